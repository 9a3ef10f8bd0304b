import { Trans, useLingui } from '@lingui/react/macro';
import type { Folder } from '@satchel/contract/entities';
import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { serverNowMs } from '../../lib/api/server-clock.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Dots, LinkButton } from '../../ui/base/button.tsx';
import { LoadFailed } from '../../ui/states/banner.tsx';
import { PanelState } from '../../ui/states/states.tsx';
import { FolderRow } from './folder-row.tsx';
import { keepExpired } from './keep-expired.ts';
import { useKeyFragments } from './use-key-fragments.ts';

const DeleteFolderDialog = lazyPart(() => import('./delete-folder-dialog.tsx'), 'DeleteFolderDialog', 'account');

interface MyFoldersProps {
  userId: string;
  /** Undefined while they load. */
  folders: readonly Folder[] | undefined;
  failed: boolean;
  onRetry: () => void;
}

const Empty = () => {
  const { t } = useLingui();
  return (
    <PanelState
      pose="closed"
      title={t`No folders yet`}
      action={
        <LinkButton to="/upload" tone="primary" size="lg">
          <Trans>Create First Folder</Trans>
        </LinkButton>
      }
    >
      <Trans>Pack your first files and share them with one link.</Trans>
    </PanelState>
  );
};

function List({ userId, folders }: { userId: string; folders: readonly Folder[] }) {
  const fragments = useKeyFragments(userId, folders);
  const [deleting, setDeleting] = useState<Folder | null>(null);
  return (
    <>
      {folders.length === 0 ? (
        <Empty />
      ) : (
        <ul className="card divide-y divide-line">
          {folders.map((folder) => (
            <FolderRow key={folder.id} folder={folder} fragment={fragments.get(folder.id)} onAskDelete={setDeleting} />
          ))}
        </ul>
      )}
      {deleting && (
        <Suspense>
          <DeleteFolderDialog folder={deleting} userId={userId} onClose={() => setDeleting(null)} />
        </Suspense>
      )}
    </>
  );
}

/** The current folders, and folders that expired while they were visible. */
function useShown(listed: readonly Folder[] | undefined): readonly Folder[] | undefined {
  const [kept, setKept] = useState({ listed, shown: listed });
  if (listed === kept.listed) return kept.shown;
  const shown = listed && keepExpired(kept.shown ?? [], listed, serverNowMs());
  setKept({ listed, shown });
  return shown;
}

export function MyFolders({ userId, folders: listed, failed, onRetry }: MyFoldersProps) {
  const { t } = useLingui();
  const folders = useShown(listed);
  const count = folders?.length ?? 0;
  return (
    <section aria-labelledby="my-folders">
      <div className="mb-3 flex min-h-9 flex-wrap items-center justify-between gap-4">
        <h2 id="my-folders" className="display text-xl">
          <Trans>My Folders ({count})</Trans>
        </h2>
        {count > 0 && (
          <LinkButton to="/upload" tone="primary">
            <Plus size={16} aria-hidden />
            <Trans>New folder</Trans>
          </LinkButton>
        )}
      </div>
      {failed && (
        <LoadFailed onRetry={onRetry}>
          <Trans>Your folders could not be loaded.</Trans>
        </LoadFailed>
      )}
      {!failed && folders && <List userId={userId} folders={folders} />}
      {!failed && !folders && (
        <div className="card grid place-items-center p-10 text-subtle">
          <Dots label={t`Loading folders`} />
        </div>
      )}
    </section>
  );
}
