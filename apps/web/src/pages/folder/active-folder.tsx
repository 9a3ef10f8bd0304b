import { Suspense, useMemo, useState } from 'react';
import { countFiles } from '../../engine/files/file-model.ts';
import { zipStore } from '../../engine/zip/zip-store.ts';
import { FactsPanel, FactsRow } from '../../features/folder/facts-panel.tsx';
import { FolderActions } from '../../features/folder/folder-actions.tsx';
import { FolderHeader } from '../../features/folder/folder-header.tsx';
import { SignInBanner } from '../../features/folder/sign-in-banner.tsx';
import { useStore } from '../../lib/base/page-hooks.ts';
import { useTitle } from '../../lib/browser/hooks.ts';
import { useShortcuts } from '../../lib/browser/shortcut.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { FolderTabs } from './folder-tabs.tsx';
import { SharePanel } from './panels/share-panel.tsx';
import { type FolderPageParts, type FolderPageProps, useFolderPage } from './use-folder-page.ts';

/** Owners only. */
const Uploads = lazyPart(() => import('./uploads/folder-uploads.tsx'), 'Uploads');
const FileViewer = lazyPart(() => import('../../features/files/viewer/file-viewer.tsx'), 'FileViewer', 'later');
const ZipDock = lazyPart(() => import('../../features/files/zip/zip-dock.tsx'), 'ZipDock', 'later');
const KeyboardHelp = lazyPart(() => import('../../features/folder/keyboard-help.tsx'), 'KeyboardHelp', 'later');

const ReportDialog = lazyPart(() => import('../../features/report/report-dialog.tsx'), 'ReportDialog', 'later');

interface OverlaysProps {
  parts: FolderPageParts;
  title: string;
  isOwner: boolean;
  isSealed: boolean;
  help: boolean;
  onHelp: (open: boolean) => void;
}

/** Overlays of the page: drop target, viewer, zip dock, list of keys. */
function Overlays({ parts, title, isOwner, isSealed, help, onHelp }: OverlaysProps) {
  const { address, files, shown, viewable } = parts;
  const isZipping = useStore(zipStore) !== null;
  const download = (id: string) => {
    void files.download(id);
    address.showFile(undefined);
  };
  return (
    <>
      <Suspense>{isOwner && <Uploads parts={parts} folderName={title} isSealed={isSealed} />}</Suspense>
      <Suspense>
        {shown && (
          <FileViewer
            file={shown}
            files={viewable}
            onMove={address.moveFile}
            onOpen={files.open}
            onRetry={files.retry}
            onLook={files.look}
            keepOpen={files.keepOpen}
            onClose={() => address.showFile(undefined)}
            onDownload={download}
            onRemove={isOwner ? files.remove : null}
          />
        )}
        {isZipping && <ZipDock />}
        {help && <KeyboardHelp open onOpenChange={onHelp} isOwner={isOwner} />}
      </Suspense>
    </>
  );
}

function useCounts({ files, loading }: FolderPageParts['files']) {
  return useMemo(() => (loading ? null : countFiles(files)), [files, loading]);
}

/** An active folder: header, tabs and facts (§2). */
export function ActiveFolder(given: FolderPageProps) {
  const { role, lifetime } = given;
  const parts = useFolderPage(given);
  // This device's records of the folder override the server's answer (CONTAINER §6).
  const { folder } = parts;
  const props = { ...given, folder };
  const title = folder.folder_name || folder.folder_slug;
  useTitle(title);
  const { address, zone, copied, copyLink, share } = parts;
  const counts = useCounts(parts.files);
  const [asking, setAsking] = useState(false);
  const [help, setHelp] = useState(false);
  const [reporting, setReporting] = useState(false);
  const isOwner = role === 'owner';
  const askToDelete = () => {
    address.change({ tab: 'settings' });
    setAsking(true);
  };
  // Trust the server when it says that it has the key; never when it says that a sealed folder is plain.
  const seen = given.folder.folder_link_mode === 'plain' ? folder : given.folder;
  const facts = { folder, seen, counts, lifetime, onReport: isOwner ? null : () => setReporting(true) };
  useShortcuts({ '?': () => setHelp(true), s: share, ...(isOwner ? { u: zone.toggle } : {}) });
  return (
    <>
      {role === 'public' && <SignInBanner />}
      <div className="wrap pt-8 pb-20">
        <FolderHeader folder={folder} role={role} onRenamed={() => void given.onChanged()}>
          <FolderActions
            role={role}
            uploadOpen={zone.open}
            copied={copied}
            quiet={parts.folderKey.unlock !== null}
            onToggleUpload={zone.toggle}
            onShare={share}
            onCopy={copyLink}
            onDelete={askToDelete}
          />
        </FolderHeader>
        <div className="mt-6 grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_17.5rem]">
          <FactsRow {...facts} />
          <FolderTabs {...props} parts={parts} asking={asking} onAsk={setAsking} />
          <FactsPanel {...facts} />
        </div>
      </div>
      <SharePanel {...props} parts={parts} />
      <Suspense>
        {reporting && (
          <ReportDialog
            slug={folder.folder_slug}
            folderKeys={parts.folderKey.keys}
            onClose={() => setReporting(false)}
          />
        )}
      </Suspense>
      <Overlays
        parts={parts}
        title={title}
        isOwner={isOwner}
        isSealed={folder.folder_link_mode !== 'plain'}
        help={help}
        onHelp={setHelp}
      />
    </>
  );
}
