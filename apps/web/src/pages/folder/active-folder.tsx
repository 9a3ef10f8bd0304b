import { lazy, Suspense, useMemo, useState } from 'react';
import { countFiles } from '../features/files/file-model.ts';
import { zipStore } from '../features/files/zip-store.ts';
import { FactsPanel, FactsRow } from '../features/folder/facts-panel.tsx';
import { FolderActions } from '../features/folder/folder-actions.tsx';
import { FolderHeader } from '../features/folder/folder-header.tsx';
import { SignInBanner } from '../features/folder/sign-in-banner.tsx';
import { useStore } from '../lib/external-store.ts';
import { useTitle } from '../lib/hooks.ts';
import { importWithTexts } from '../lib/import-with-texts.ts';
import { importPatiently } from '../lib/patient-import.ts';
import { useShortcuts } from '../lib/shortcut.ts';
import { FolderTabs } from './folder-tabs.tsx';
import { SharePanel } from './share-panel.tsx';
import { type FolderPageParts, type FolderPageProps, useFolderPage } from './use-folder-page.ts';

/** For owners alone. */
const Uploads = lazy(async () => {
  const { Uploads } = await importPatiently(() => import('./folder-uploads.tsx'));
  return { default: Uploads };
});
const FileViewer = lazy(async () => {
  const { FileViewer } = await importWithTexts('later', () => import('../features/files/file-viewer.tsx'));
  return { default: FileViewer };
});
const ZipDock = lazy(async () => {
  const { ZipDock } = await importWithTexts('later', () => import('../features/files/zip-dock.tsx'));
  return { default: ZipDock };
});
const KeyboardHelp = lazy(async () => {
  const { KeyboardHelp } = await importWithTexts('later', () => import('../features/folder/keyboard-help.tsx'));
  return { default: KeyboardHelp };
});

const ReportDialog = lazy(async () => {
  const { ReportDialog } = await importWithTexts('later', () => import('../features/report/report-dialog.tsx'));
  return { default: ReportDialog };
});

interface OverlaysProps {
  parts: FolderPageParts;
  title: string;
  isOwner: boolean;
  isSealed: boolean;
  help: boolean;
  onHelp: (open: boolean) => void;
}

/** What lies over the page: dropping, the viewer, the zip that is being saved, the list of keys. */
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

/** A folder that is there: header, tabs and facts (§2). */
export function ActiveFolder(given: FolderPageProps) {
  const { role, lifetime } = given;
  const parts = useFolderPage(given);
  // What this device knows of the folder goes before what the server says (CONTAINER §6).
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
  // A server that says it has the key is believed in what it can see; that a sealed folder is plain, in nothing.
  const seen = given.folder.folder_link_mode === 'plain' ? folder : given.folder;
  const facts = { folder, seen, counts, lifetime, onReport: isOwner ? null : () => setReporting(true) };
  useShortcuts({ '?': () => setHelp(true), s: share, ...(isOwner ? { u: zone.toggle } : {}) });
  return (
    <>
      {role === 'public' && <SignInBanner />}
      <div className="wrap pt-8 pb-20">
        <FolderHeader folder={folder} role={role}>
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
