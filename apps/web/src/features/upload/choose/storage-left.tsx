import { Trans } from '@lingui/react/macro';
import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { bytes, limitText } from '../../lib/format.ts';
import { ownProfileKey, useOwnProfile } from '../../lib/own-account.ts';
import { queryClient } from '../../lib/query-client.ts';

/**
 * What is left of the account, uploads that are open counted as taken; null until it is known.
 * @param busy whether uploads run: it is asked for again when that changes
 */
export function useStorageLeft(userId: string, busy: boolean): number | null {
  const { data } = useOwnProfile(userId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again when uploads begin or end
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ownProfileKey(userId) });
  }, [userId, busy]);
  return data ? Math.max(0, data.limits.storage_bytes - data.used_bytes - data.reserved_bytes) : null;
}

/** The account's limit beside the file's, and what is left of it (DESIGN-UX §8: always state both). */
export function StorageLeft({ leftBytes, totalBytes }: { leftBytes: number | null; totalBytes: number }) {
  const total = limitText(totalBytes);
  if (leftBytes === null) return <Trans>{total} for your account</Trans>;
  const left = bytes(leftBytes);
  return leftBytes === 0 ? (
    <Trans>{total} for your account, nothing left</Trans>
  ) : (
    <Trans>
      {total} for your account, {left} left
    </Trans>
  );
}

interface StorageWarningProps {
  leftBytes: number | null;
  /** What has not been started yet. */
  neededBytes: number;
}

/** Said before anything is sent: what has been chosen is more than what is left. */
export function StorageWarning({ leftBytes, neededBytes }: StorageWarningProps) {
  if (leftBytes === null || neededBytes <= leftBytes) return null;
  const [needed, left] = [bytes(neededBytes), bytes(leftBytes)];
  return (
    <p className="mt-3 flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-xs text-warning">
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <span>
        <Trans>
          These files need {needed}, and {left} are left. What doesn’t fit will fail; remove files here or in your
          folders to make room.
        </Trans>
      </span>
    </p>
  );
}
