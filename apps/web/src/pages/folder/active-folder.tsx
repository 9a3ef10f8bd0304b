import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Link } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import { countFiles } from '../../engine/files/file-model.ts';
import { toCompare } from '../../engine/files/saving/to-compare.ts';
import { zipStore } from '../../engine/zip/zip-store.ts';
import { packing } from '../../features/files/packing.ts';
import type { FolderFiles } from '../../features/files/use-folder-files.ts';
import { FactsPanel, FactsRow } from '../../features/folder/facts-panel.tsx';
import { type DownloadOffer, FolderActions } from '../../features/folder/folder-actions.tsx';
import { FolderHeader } from '../../features/folder/folder-header.tsx';
import { cx } from '../../lib/base/class-names.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { settings } from '../../lib/base/settings.ts';
import { markDocument, useTitle } from '../../lib/browser/hooks.ts';
import { useShortcuts } from '../../lib/browser/shortcut.ts';
import { limitText } from '../../lib/figures/format.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { WhoRunsThis } from '../../ui/base/who-runs-this.tsx';
import { wantsKey } from './folder-key.tsx';
import { FolderTabs } from './folder-tabs.tsx';
import { SharePanel } from './panels/share-panel.tsx';
import { type FolderPageParts, type FolderPageProps, useFolderPage } from './use-folder-page.ts';

/** Owners only. */
const Uploads = lazyPart(() => import('./uploads/folder-uploads.tsx'), 'Uploads');
const FileViewer = lazyPart(() => import('../../features/files/viewer/file-viewer.tsx'), 'FileViewer', 'later');
const CompareDock = lazyPart(() => import('../../features/files/saving/compare-dock.tsx'), 'CompareDock', 'later');
const ZipDock = lazyPart(() => import('../../features/files/zip/zip-dock.tsx'), 'ZipDock', 'later');
const KeyboardHelp = lazyPart(() => import('../../features/folder/keyboard-help.tsx'), 'KeyboardHelp', 'later');

const ReportDialog = lazyPart(() => import('../../features/report/report-dialog.tsx'), 'ReportDialog', 'later');

const markZip = markDocument('zip');

/** For signed-out visitors. */
function SignInBanner() {
  const { t } = useLingui();
  const limit = limitText(settings.free_storage_bytes);
  return (
    <aside aria-label={t`Sign in`} className="border-b border-line/60 bg-accent-soft">
      <p className="wrap flex items-center justify-center gap-x-3 py-2 text-center text-xs text-ink sm:py-2.5 sm:text-sm">
        <span className="max-sm:hidden">
          <Trans>Signing up is free and lets you share up to {limit} of files.</Trans>
        </span>
        {/* One line of a phone. */}
        <span className="sm:hidden">
          <Trans>Sign up free, share up to {limit}.</Trans>
        </span>
        <Link
          to="/auth"
          className="tap rounded-chip font-semibold text-accent-text underline decoration-stitch underline-offset-4"
        >
          <Trans>Sign In</Trans>
        </Link>
      </p>
      <WhoRunsThis className="wrap justify-center text-center max-sm:-mt-2 sm:pb-2" />
    </aside>
  );
}

interface OverlaysProps {
  parts: FolderPageParts;
  title: string;
  isOwner: boolean;
  isSealed: boolean;
  help: boolean;
  closeHelp: () => void;
}

/** Overlays of the page: drop target, viewer, dock of what is saved, list of keys. */
function Overlays({ parts, title, isOwner, isSealed, help, closeHelp }: OverlaysProps) {
  const { address, files, shown, viewable } = parts;
  const isZipping = useStore(zipStore) !== null;
  const isComparing = useStore(toCompare) !== null;
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
        {(isZipping || isComparing) && (
          <div ref={markZip} className="dock inset-x-3 mx-auto grid max-w-xl gap-2">
            {isComparing && <CompareDock />}
            {isZipping && <ZipDock />}
          </div>
        )}
        {help && <KeyboardHelp onClose={closeHelp} isOwner={isOwner} />}
      </Suspense>
    </>
  );
}

function useCounts({ files, loading }: FolderPageParts['files']) {
  return useMemo(() => (loading ? null : countFiles(files)), [files, loading]);
}

/** What most visitors come for: all files of the folder, at its head. Null for the owner, and where nothing can be saved. */
function useDownloadAll(folder: FolderCompleteData, role: Role, files: FolderFiles): DownloadOffer | null {
  const isBusy = useStore(zipStore)?.status === 'packing';
  if (role === 'owner') return null;
  const stored = folder.folder_size_bytes;
  // Its place is kept while names are on their way, so that nothing jumps.
  if (files.loading) return stored > 0 && !files.error ? { sizeBytes: stored, isOne: false, onDownload: null } : null;
  const { packable, isTooLarge } = packing(files.files, files.saving.zipLimitBytes);
  const [first] = packable;
  if (!first) return null;
  const sizeBytes = packable.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (files.files.length === 1) return { sizeBytes, isOne: true, onDownload: () => void files.download(first.id) };
  if (isTooLarge) return null;
  const ids = files.files.map(({ id }) => id);
  return { sizeBytes, isOne: false, onDownload: isBusy ? null : () => void files.downloadZip(ids, '') };
}

/** An active folder: header, tabs and facts. */
export function ActiveFolder(given: FolderPageProps) {
  const { role, lifetime } = given;
  const parts = useFolderPage(given);
  // This device's records of the folder override the server's answer (docs/container.md §6).
  const { folder } = parts;
  const props = { ...given, folder };
  const { title } = parts.files;
  useTitle(title);
  const { address, zone, copied, copyLink, share } = parts;
  const download = useDownloadAll(folder, role, parts.files);
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
      <div className={cx('wrap pb-20', isOwner ? 'pt-8' : 'pt-8 max-sm:pt-4')}>
        <FolderHeader
          folder={folder}
          title={title}
          role={role}
          lifetime={lifetime}
          onRenamed={() => void given.onChanged()}
        >
          <FolderActions
            role={role}
            download={download}
            uploadOpen={zone.open}
            copied={copied}
            quiet={folder.folder_link_mode === 'revoked' || wantsKey(parts, folder.folder_link_mode)}
            onToggleUpload={zone.toggle}
            onShare={share}
            onCopy={copyLink}
            onDelete={askToDelete}
          />
        </FolderHeader>
        <div className="mt-6 grid grid-cols-1 gap-x-8 gap-y-5 max-sm:mt-4 lg:grid-cols-[minmax(0,1fr)_17.5rem]">
          {isOwner && <FactsRow {...facts} />}
          <FolderTabs {...props} parts={parts} seen={seen} asking={asking} onAsk={setAsking} />
          {/* Visitors come for the files; the head says whose they are, and for how long. Files would push it down. */}
          {!isOwner && counts && <FactsRow {...facts} />}
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
        closeHelp={() => setHelp(false)}
      />
    </>
  );
}
