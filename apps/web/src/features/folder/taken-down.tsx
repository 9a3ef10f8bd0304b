import { Trans, useLingui } from '@lingui/react/macro';
import { FolderState } from './folder-states.tsx';

/** A folder that an operator of the site has removed. */
export function TakenDown({ reason }: { reason: string }) {
  const { t } = useLingui();
  return (
    <FolderState pose="locked" title={t`This folder was taken down`}>
      <p>
        <Trans>An operator of this site removed it, with all its files and its key. The reason:</Trans>
      </p>
      <p translate="no" className="mt-4 rounded-card bg-raised px-4 py-3 text-ink">
        {reason}
      </p>
    </FolderState>
  );
}
