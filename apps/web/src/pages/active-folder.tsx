import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { FileItem } from '../features/files/file-model.ts';
import { FilesTab } from '../features/files/files-tab.tsx';
import { type FolderFiles, useFolderFiles } from '../features/files/use-folder-files.ts';
import type { Lifetime } from '../features/folder/countdown.tsx';
import { FactsPanel, FactsRow } from '../features/folder/facts-panel.tsx';
import { FolderActions } from '../features/folder/folder-actions.tsx';
import { FolderHeader } from '../features/folder/folder-header.tsx';
import { KeyNotice } from '../features/folder/key-notice.tsx';
import { shareLink } from '../features/folder/share-link.ts';
import { SignInBanner } from '../features/folder/sign-in-banner.tsx';
import { type FolderKeyState, useFolderKey } from '../features/folder/use-folder-key.ts';
import { DropOverlay } from '../features/upload/drop-overlay.tsx';
import { SignUpPrompt } from '../features/upload/sign-up-prompt.tsx';
import { UploadNotice } from '../features/upload/upload-notice.tsx';
import { UploadPanel } from '../features/upload/upload-panel.tsx';
import { type UploadQueue, useUploadQueue } from '../features/upload/use-upload-queue.ts';
import { announce } from '../lib/announce.ts';
import { plural } from '../lib/format.ts';
import { useCopy, useTitle } from '../lib/hooks.ts';
import { useShortcuts } from '../lib/shortcut.ts';
import { notify } from '../lib/toast.ts';
import { PanelState } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { type FolderAddress, useFolderAddress } from './folder-address.ts';
import { useDeleteFolder } from './use-delete-folder.ts';

const FileViewer = lazy(async () => ({ default: (await import('../features/files/file-viewer.tsx')).FileViewer }));
const InfoTab = lazy(async () => ({ default: (await import('../features/folder/info-tab.tsx')).InfoTab }));
const SettingsTab = lazy(async () => ({ default: (await import('../features/folder/settings-tab.tsx')).SettingsTab }));
const KeyboardHelp = lazy(async () => ({
  default: (await import('../features/folder/keyboard-help.tsx')).KeyboardHelp,
}));

interface ActiveFolderProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string | null;
  lifetime: Lifetime;
  /** The folder's own facts are to be asked for again. */
  onChanged: () => void;
}

/** The folder as uploads know it. */
function useUploads(props: ActiveFolderProps, folderKey: FolderKeyState, files: FolderFiles): UploadQueue {
  const { folder, userId, onChanged } = props;
  const { reload } = files;
  const onUploaded = useCallback(() => {
    void reload(true);
    onChanged();
  }, [reload, onChanged]);
  return useUploadQueue({
    folder: {
      id: folder.folder_id,
      slug: folder.folder_slug,
      bucket: folder.folder_bucket,
      bucket_storage_path: folder.folder_bucket_storage_path,
      hide_names: folder.hide_names,
      link_mode: folder.folder_link_mode,
      expires_at: folder.folder_expires_at,
    },
    keys: folderKey.sealingKeys,
    userId,
    onUploaded,
  });
}

/** Copies the link with the fragment (§2 "Folder actions"). */
function useShare(folder: FolderCompleteData, secret: FolderKeyState['secret'], hash: string) {
  const [copied, copy] = useCopy();
  const share = async () => {
    const done = await copy(shareLink({ origin: location.origin, slug: folder.folder_slug, secret, hash }));
    if (done) announce('Link copied');
    else notify('The browser did not let us copy. Copy the address from its bar instead.', 'error');
  };
  return [copied, () => void share()] as const;
}

/** Opens the file that the address names, and says what the viewer shows. */
function useViewer({ files, open, keepOpen }: FolderFiles, { search, showFile }: FolderAddress) {
  const viewable = useMemo(() => files.filter(({ opened, phase }) => opened !== null && phase === 'none'), [files]);
  const named = files.find(({ id }) => id === search.file);
  const isWaiting = named !== undefined && named.opened === null && named.phase === 'none' && named.badge === 'api';
  const hasFailed = named !== undefined && named.opened === null && named.error !== null;
  const [asked, setAsked] = useState<string | null>(null);
  useEffect(() => {
    if (search.file === undefined) return setAsked(null);
    if (isWaiting && asked !== search.file) {
      setAsked(search.file);
      open(search.file);
    } else if (hasFailed && asked === search.file) showFile(undefined);
  }, [search.file, isWaiting, hasFailed, asked, open, showFile]);
  const shown = named !== undefined && named.opened !== null ? named : null;
  const shownId = shown?.id;
  useEffect(() => (shownId === undefined ? undefined : keepOpen(shownId)), [shownId, keepOpen]);
  return { viewable, shown };
}

const EMPTY_TEXT = {
  owner: ['No files yet', 'Upload your first file to get started'],
  others: ['No files shared yet', 'Check back later for shared files'],
} as const;

function Empty({ role, beside }: { role: Role; beside: boolean }) {
  const [title, text] = EMPTY_TEXT[role === 'owner' ? 'owner' : 'others'];
  if (!beside) {
    return (
      <PanelState pose={role === 'owner' ? 'closed' : 'empty'} title={title}>
        {text}
      </PanelState>
    );
  }
  return (
    <div className="text-center">
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="mt-0.5 text-sm text-muted">{text}</p>
    </div>
  );
}

interface FolderTabProps extends ActiveFolderProps {
  folderKey: FolderKeyState;
  files: FolderFiles;
  queue: UploadQueue;
  uploadOpen: boolean;
  onView: (id: string) => void;
}

function UploadZone({ folder, folderKey, queue }: Pick<FolderTabProps, 'folder' | 'folderKey' | 'queue'>) {
  const mode = folder.folder_link_mode;
  if (folderKey.loading) return null;
  if (mode === 'revoked') return <UploadNotice block="revoked" error={null} />;
  if (mode !== 'plain' && !folderKey.sealingKeys) return <UploadNotice block="needs_link" error={folderKey.error} />;
  return <UploadPanel queue={queue} sealed={mode !== 'plain'} />;
}

function FolderTab({ folder, role, folderKey, files, queue, uploadOpen, onView }: FolderTabProps) {
  const anyLocked = files.files.some(({ badge }) => badge === 'none');
  const zoneSaysIt = uploadOpen && folderKey.sealingKeys === null;
  return (
    <div className="grid grid-cols-1 gap-6">
      {uploadOpen && <UploadZone folder={folder} folderKey={folderKey} queue={queue} />}
      {anyLocked && !folderKey.loading && !zoneSaysIt && <KeyNotice role={role} error={folderKey.error} />}
      <FilesTab
        files={files.files}
        loading={files.loading || folderKey.loading}
        error={files.error}
        onReload={() => void files.reload(true)}
        empty={queue.items.length > 0 ? null : <Empty role={role} beside={uploadOpen} />}
        onView={onView}
        onDownload={files.download}
        onRetry={files.retry}
        onInView={files.inView}
      />
      {role === 'public' && <SignUpPrompt />}
    </div>
  );
}

const countFiles = (files: readonly FileItem[]) => ({
  total: files.length,
  encrypted: files.filter(({ encrypted }) => encrypted).length,
});

/** A folder that is there: header, tabs and facts (§2). */
export function ActiveFolder(props: ActiveFolderProps) {
  const { folder, role, userId, lifetime, onChanged } = props;
  const title = folder.folder_name || folder.folder_slug;
  useTitle(title);
  const hash = useLocation({ select: (location) => location.hash });
  const address = useFolderAddress();
  const { tab = 'folder', upload } = address.search;
  const isOwner = role === 'owner';
  const folderKey = useFolderKey({ folder, userId, hash });
  const files = useFolderFiles({ folder, keys: folderKey.keys });
  const queue = useUploads(props, folderKey, files);
  const [copied, share] = useShare(folder, folderKey.secret, hash);
  const { viewable, shown } = useViewer(files, address);
  const [asking, setAsking] = useState(false);
  const [help, setHelp] = useState(false);
  const deleteFolder = useDeleteFolder(folder, userId);
  const isEmpty = !files.loading && files.error === null && files.files.length === 0;
  const [closed, setClosed] = useState(false);
  const uploadOpen = isOwner && (upload === true || (isEmpty && !closed));
  const counts = countFiles(files.files);
  const takesFiles = isOwner && (folder.folder_link_mode === 'plain' || folderKey.sealingKeys !== null);

  const toggleUpload = () => {
    setClosed(uploadOpen);
    address.change({ tab: undefined, upload: uploadOpen ? undefined : true });
  };
  const addFiles = (list: File[]) => {
    queue.add(list);
    address.change({ tab: undefined, upload: true });
    announce(`${plural(list.length, 'file')} added to the upload list`);
  };
  const download = (id: string) => {
    void files.download(id);
    address.showFile(undefined);
  };
  useShortcuts({ '?': () => setHelp(true), s: share, ...(isOwner ? { u: toggleUpload } : {}) });

  return (
    <>
      {role === 'public' && <SignInBanner />}
      <div className="wrap pt-8 pb-20">
        <FolderHeader folder={folder} role={role}>
          <FolderActions
            role={role}
            uploadOpen={uploadOpen}
            copied={copied}
            onToggleUpload={toggleUpload}
            onShare={share}
            onDelete={() => {
              address.change({ tab: 'settings' });
              setAsking(true);
            }}
          />
        </FolderHeader>
        <div className="mt-6 grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_17.5rem]">
          <FactsRow folder={folder} counts={counts} lifetime={lifetime} />
          <Suspense>
            <Tabs
              className="min-w-0"
              label="Folder sections"
              value={tab}
              onValueChange={(id) => address.change({ tab: id === 'info' || id === 'settings' ? id : undefined })}
              tabs={[
                {
                  id: 'folder',
                  label: 'Folder',
                  content: (
                    <FolderTab
                      {...props}
                      folderKey={folderKey}
                      files={files}
                      queue={queue}
                      uploadOpen={uploadOpen}
                      onView={address.showFile}
                    />
                  ),
                },
                { id: 'info', label: 'Info', content: <InfoTab folder={folder} role={role} userId={userId} /> },
                {
                  id: 'settings',
                  label: 'Settings',
                  content: (
                    <SettingsTab
                      folder={folder}
                      role={role}
                      fileCount={counts.total}
                      asking={asking}
                      onAsk={setAsking}
                      onSaved={onChanged}
                      onDelete={deleteFolder}
                    />
                  ),
                },
              ]}
            />
          </Suspense>
          <FactsPanel folder={folder} counts={counts} lifetime={lifetime} />
        </div>
      </div>
      {takesFiles && <DropOverlay folderName={title} sealed={folder.folder_link_mode !== 'plain'} onFiles={addFiles} />}
      <Suspense>
        {shown && (
          <FileViewer
            file={shown}
            files={viewable}
            onMove={address.moveFile}
            onClose={() => address.showFile(undefined)}
            onDownload={download}
            onRemove={isOwner ? files.remove : null}
          />
        )}
        {help && <KeyboardHelp open onOpenChange={setHelp} mayUpload={isOwner} />}
      </Suspense>
    </>
  );
}
