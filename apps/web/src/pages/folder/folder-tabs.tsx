import { useLingui } from '@lingui/react/macro';
import { lazy, type ReactNode, Suspense } from 'react';
import { importWithTexts } from '../lib/import-with-texts.ts';
import { Dots } from '../ui/button.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { FolderTab } from './folder-tab.tsx';
import { useDeleteFolder } from './use-delete-folder.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const LinkControls = lazy(async () => ({ default: (await import('./link-controls.tsx')).LinkControls }));
const InfoTab = lazy(async () => {
  const { InfoTab } = await importWithTexts('activity', () => import('../features/activity/info-tab.tsx'));
  return { default: InfoTab };
});
const SettingsTab = lazy(async () => {
  const { SettingsTab } = await importWithTexts('settings', () => import('../features/settings/settings-tab.tsx'));
  return { default: SettingsTab };
});

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

interface FolderTabsProps extends FolderPageProps {
  parts: FolderPageParts;
  /** The confirmation of deleting the folder is open. */
  asking: boolean;
  onAsk: (asking: boolean) => void;
}

/** Folder, Info and Settings (§2); which one is shown is in the address. */
export function FolderTabs({ asking, onAsk, ...props }: FolderTabsProps) {
  const { t } = useLingui();
  const { folder, role, userId, lifetime, onChanged, parts } = props;
  const { address, files } = parts;
  const deleteFolder = useDeleteFolder(folder, userId);
  const settings = (
    <Later>
      <SettingsTab
        folder={folder}
        role={role}
        fileCount={files.files.length}
        clockOffsetMs={lifetime.clockOffsetMs}
        link={folder.folder_link_mode === 'plain' ? null : <LinkControls {...props} />}
        asking={asking}
        onAsk={onAsk}
        onSaved={onChanged}
        onDelete={deleteFolder}
      />
    </Later>
  );
  const info = (
    <Later>
      <InfoTab folder={folder} role={role} userId={userId} clockOffsetMs={props.lifetime.clockOffsetMs} />
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
