import { Trans } from '@lingui/react/macro';
import { shownAbove } from '@satchel/contract/files/sizes';
import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { ownProfileKey, useOwnProfile } from '../../../account/own-data/own-account.ts';
import { queryClient } from '../../../account/session/query-client.ts';
import { bytes } from '../../../lib/figures/format.ts';

/**
 * Free bytes of the account, with open uploads counted as used; null until loaded.
 * @param busy whether uploads run: a change loads the figure again
 */
export function useStorageLeft(userId: string, busy: boolean): number | null {
  const { data } = useOwnProfile(userId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded again when uploads begin or end
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ownProfileKey(userId) });
  }, [userId, busy]);
  return data ? Math.max(0, data.limits.storage_bytes - data.used_bytes - data.reserved_bytes) : null;
}

/** A line of a phone may end before a size, never within it. */
const unbroken = (sizeBytes: number, ofBytes = sizeBytes) => (
  <span className="whitespace-nowrap">{bytes(sizeBytes, ofBytes)}</span>
);

/** The file limit and the account's free space (always state both). */
export function StorageLeft({ leftBytes, totalBytes }: { leftBytes: number | null; totalBytes: number }) {
  const total = unbroken(totalBytes);
  if (leftBytes === null) return <Trans>{total} for your account</Trans>;
  const left = unbroken(leftBytes, totalBytes);
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
  /** Bytes of files that are not started yet. */
  neededBytes: number;
}

/** A warning before the upload starts: the chosen files exceed the free space. */
export function StorageWarning({ leftBytes, neededBytes }: StorageWarningProps) {
  if (leftBytes === null || neededBytes <= leftBytes) return null;
  const [needed, left] = [bytes(shownAbove(neededBytes, leftBytes)), bytes(leftBytes)];
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
