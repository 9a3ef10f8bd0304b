import { t } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { queryClient } from '../../account/session/query-client.ts';
import { openedCache } from '../../engine/files/opened-cache.ts';
import { useFolderActivity } from '../../features/upload/use-folder-activity.ts';
import { notify } from '../../lib/base/toast.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Dots } from '../../ui/base/button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { FolderTab } from './folder-tab.tsx';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const LinkControls = lazyPart(() => import('./panels/link-controls.tsx'), 'LinkControls');
const InfoPanel = lazyPart(() => import('./panels/info-panel.tsx'), 'InfoPanel', 'activity');
const SettingsTab = lazyPart(() => import('../../features/settings/settings-tab.tsx'), 'SettingsTab', 'settings');

const Later = ({ children }: { children: ReactNode }) => (
  <Suspense
    fallback={
      <div className="grid place-items-center py-16 text-subtle">
        <Dots />
      </div>
    }
  >
    {children}
  </Suspense>
);

/** Deletes the folder and leaves its page; throws the AppError when it failed. */
function useDeleteFolder(folder: FolderCompleteData, name: string, userId: string | null): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const { deleteFolder } = await import('../../account/own-data/delete-folder.ts');
    await deleteFolder({ id: folder.folder_id }, userId);
    await navigate({ to: '/profile' });
    openedCache.clear();
    queryClient.removeQueries({ queryKey: ['folder', folder.folder_slug] });
    await queryClient.invalidateQueries({ queryKey: ['folders'] });
    await queryClient.invalidateQueries({ queryKey: ['profile'] });
    notify(() => t`${name} deleted`);
  };
}

interface FolderTabsProps extends FolderPageProps {
  parts: FolderPageParts;
  /** The folder as the server sent it. */
  seen: FolderPageProps['folder'];
  /** The confirmation of deleting the folder is open. */
  asking: boolean;
  onAsk: (asking: boolean) => void;
}

/** Folder, Info and Settings; the address names the visible tab. */
export function FolderTabs({ asking, onAsk, ...props }: FolderTabsProps) {
  const { t } = useLingui();
  const { folder, role, userId, onChanged, parts } = props;
  const { address, files } = parts;
  const deleteFolder = useDeleteFolder(folder, files.title, userId);
  const isUploading = useFolderActivity(folder.folder_id, (activity) => activity?.isBusy === true);
  const settings = (
    <Later>
      <SettingsTab
        folder={folder}
        role={role}
        fileCount={files.files.length}
        isUploading={isUploading}
        link={<LinkControls {...props} />}
        asking={asking}
        onAsk={onAsk}
        onSaved={onChanged}
        onDelete={deleteFolder}
      />
    </Later>
  );
  const info = (
    <Later>
      <InfoPanel {...props} />
    </Later>
  );
  return (
    <Tabs
      className="min-w-0"
      label={t`Folder sections`}
      value={address.search.tab ?? 'folder'}
      onValueChange={(id) => address.change({ tab: id === 'info' || id === 'settings' ? id : undefined })}
      tabs={[
        { id: 'folder', label: t`Folder`, content: <FolderTab {...props} /> },
        { id: 'info', label: t`Info`, content: info },
        { id: 'settings', label: t`Settings`, content: settings },
      ]}
    />
  );
}
