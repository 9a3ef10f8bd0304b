import { t } from '@lingui/core/macro';
import { shareLink } from '@satchel/client/keys/folder-link';
import type { FolderTrust, SealBlock } from '@satchel/client/keys/folder-trust';
import type { NewLink } from '@satchel/client/keys/link-mode';
import { fragmentKind } from '@satchel/client/keys/link-parts';
import type { Choice } from '@satchel/client/send/order';
import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { canOpen, type FileItem } from '../../engine/files/file-model.ts';
import type { UploadPlace } from '../../engine/uploads/upload-target.ts';
import { type FolderFiles, useFolderFiles } from '../../features/files/use-folder-files.ts';
import type { Lifetime } from '../../features/folder/countdown.tsx';
import { type FolderKeyState, useFolderKey } from '../../features/folder/keys/use-folder-key.ts';
import type { PageTarget } from '../../features/upload/upload-target-host.tsx';
import { isUploadingTo, useFolderActivity } from '../../features/upload/use-folder-activity.ts';
import { recordFolderEvent, whenSeen } from '../../lib/api/folder-events.ts';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { coalesce } from '../../lib/browser/coalesce.ts';
import { useCopy } from '../../lib/browser/hooks.ts';
import { whenIdle } from '../../lib/browser/when-idle.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { importWithTexts } from '../../lib/texts/import-with-texts.ts';
import { type FolderAddress, useFolderAddress } from './folder-address.ts';
import { OWN_EVERY_MS, useLiveFolder } from './live/use-live-folder.ts';
import { useBareAddress, usePageLink } from './use-page-link.ts';

/**
 * Finishes a change of the link that an earlier page of this device has begun: its person wanted it. Until then the former link
 * is the folder's. Where it fails, the next page tries again, or the device has given it up because the server refused it.
 */
function useUnfinishedLink(
  folder: FolderCompleteData,
  isUnfinished: boolean,
  onNewLink: (link: NewLink) => void,
): void {
  const finish = useEffectEvent(async () => {
    const { finishLink } = await importWithTexts('share', () => import('../../features/share/use-link-change.ts'));
    const link = await finishLink(folder);
    if (link !== null) onNewLink(link);
  });
  useEffect(() => {
    if (isUnfinished) finish().catch(() => console.warn('A change of the folder’s link could not be finished.'));
  }, [isUnfinished]);
}

/** An active folder and the person who views it. */
export interface FolderPageProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string | null;
  lifetime: Lifetime;
  /** Receive time of `folder` by this device's clock; milliseconds since the epoch. */
  receivedAtMs: number;
  /** Reloads the folder's own facts; resolves to whether the server answered. */
  onChanged: () => Promise<boolean>;
}

/**
 * Reports this visit once the folder has rendered its files in a visible page: before them it would take their
 * place on a slow line. The owner's own doesn't count; the server ignores it as well.
 */
function useVisit(slug: string, role: Role, isListed: boolean): void {
  const isCounted = role !== 'owner' && isListed;
  useEffect(() => {
    if (!isCounted) return;
    const report = () => whenIdle().then(() => recordFolderEvent({ folder_slug: slug, kind: 'view' }));
    return whenSeen(document, report);
  }, [slug, isCounted]);
}

/**
 * Reports downloads, except the owner's.
 * @returns to be called with the stored name of a saved file, or null for a zip
 */
function useDownloads(slug: string, role: Role) {
  const isCounted = role !== 'owner';
  return useCallback(
    (object: string | null) => {
      if (isCounted) recordFolderEvent({ folder_slug: slug, kind: 'download', object });
    },
    [slug, isCounted],
  );
}

/**
 * Loads the folder's facts before files are sealed, and reports the running request: a link that was
 * replaced on another device has a newer key, and an open page gets no notice of it. Without an answer
 * the page uses the facts it has.
 */
function useFactsCheck({
  receivedAtMs,
  onChanged,
}: FolderPageProps): readonly [isChecking: boolean, check: () => boolean] {
  const [askedAtMs, setAskedAtMs] = useState<number | null>(null);
  const check = useCallback(() => {
    if (!navigator.onLine) return false;
    setAskedAtMs(Date.now());
    void onChanged().then((hasAnswer) => hasAnswer || setAskedAtMs(null));
    return true;
  }, [onChanged]);
  return [askedAtMs !== null && receivedAtMs < askedAtMs, check];
}

/** The upload target of the folder while its page is open. */
function useUploadTarget(
  props: FolderPageProps,
  hash: string,
  folderKey: FolderKeyState,
  files: FolderFiles,
): PageTarget {
  const { folder, userId, onChanged } = props;
  const { trust, sealing, ownKeys, reloading } = folderKey;
  const isPlain = trust.sealing.kind === 'plain';
  const [isChecking, check] = useFactsCheck(props);
  const reloadNow = () => {
    // Once the last file is there, the whole list: what the server says of the others may have changed.
    void (isUploadingTo(folder.folder_id) ? files.readOn() : files.reload(true));
    void onChanged();
  };
  const reload = useRef(reloadNow);
  useEffect(() => {
    reload.current = reloadNow;
  });
  const [uploaded] = useState(() => coalesce(() => reload.current(), OWN_EVERY_MS));
  useEffect(() => uploaded.stop, [uploaded]);
  return {
    folderId: folder.folder_id,
    slug: folder.folder_slug,
    name: files.title,
    hash,
    folder: {
      id: folder.folder_id,
      slug: folder.folder_slug,
      bucket: folder.folder_bucket,
      bucket_storage_path: folder.folder_bucket_storage_path,
      hide_names: sealing?.hidesNames ?? trust.hidesNames,
      link_mode: isPlain ? 'plain' : trust.mode,
      expires_at: folder.folder_expires_at,
    },
    keys: isPlain ? null : (sealing?.keys ?? ownKeys),
    linkToken: sealing?.linkToken ?? null,
    isHeld: reloading || !(isPlain || sealing),
    isChecking,
    onStart: check,
    userId,
    fileCount: files.files.length,
    directory: files.view?.directory ?? '',
    existing: files.loading ? null : files.files,
    onFiles: uploaded.run,
  };
}

/** The file that the address names, and all that the viewer leads to, in the order of the grids. */
function useViewer({ files, view }: FolderFiles, { search, showFile }: FolderAddress) {
  const walk = view?.walk;
  const named = files.find(({ id }) => id === search.file);
  const shown = named && canOpen(named) ? named : null;
  const isForeign = named?.badge === 'foreign';
  useEffect(() => {
    if (isForeign) showFile(undefined);
  }, [isForeign, showFile]);
  const viewable = useMemo(() => {
    if (shown === null) return [];
    const walked = walk?.();
    // A file that the grid's filter hides is reached by its address.
    return (walked?.includes(shown) ? walked : files).filter(canOpen);
  }, [walk, files, shown]);
  return { viewable, shown };
}

/**
 * The upload zone: toggled by the owner, and open by default with a reason: the folder is loaded and empty, or an earlier page left uploads unfinished.
 */
function useUploadZone(isOwner: boolean, hasReason: boolean, { search, change }: FolderAddress) {
  const [hasOpened, setOpened] = useState(false);
  const opensNow = isOwner && hasReason && !hasOpened;
  useEffect(() => {
    if (!opensNow) return;
    setOpened(true);
    change({ upload: true });
  }, [opensNow, change]);
  const open = isOwner && (search.upload === true || opensNow);
  return { open, toggle: () => change({ tab: undefined, upload: open ? undefined : true }) };
}

/** The folder with this device's records instead of the server's where they differ, in display and actions, too. */
function useTreated(folder: FolderCompleteData, { mode, hidesNames }: FolderTrust): FolderCompleteData {
  return useMemo(() => ({ ...folder, folder_link_mode: mode, hide_names: hidesNames }), [folder, mode, hidesNames]);
}

/** Why a folder accepts no files now; null when it does, or will once a question is answered. */
function blockOf({ sealing }: FolderTrust): SealBlock | null {
  return sealing.kind === 'blocked' && sealing.block !== 'new_link' ? sealing.block : null;
}

/** The upload code loads with the first file, which waits for it here. */
async function addFilesTo(place: UploadPlace, choice: Choice): Promise<void> {
  const { uploads } = await importWithTexts('upload', () => import('../../features/upload/page-uploads.ts'));
  uploads.add(place, choice);
}

/** Copies the link, with the key where there is one, and opens Share. */
function useShare(folder: FolderCompleteData, { loading, fragment }: FolderKeyState, hash: string) {
  const [copied, copy, tellAgain] = useCopy();
  const [sharing, setSharing] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  /** Share was pressed and is not on the screen yet: its code may come later than `copied` lasts. */
  const isComing = useRef(false);
  const hasCopied = useRef(false);
  const { folder_slug: slug, folder_link_mode: mode, show_name_in_previews: showsName } = folder;
  const link = shareLink({ origin: location.origin, slug, mode, showsName, fragment: loading ? hash : fragment });
  /** Without a key in the address, the full link is known once this device's keys are loaded. */
  const isReady = !loading || fragmentKind(hash) !== 'none';
  const copyNow = async () => {
    hasCopied.current = false;
    hasCopied.current = await copy(`${link.page}${link.key ?? ''}`);
    if (hasCopied.current) return announce(t`Link copied`);
    notify(() => t`The browser did not let us copy. Select the link and copy it by hand.`, 'error');
    setSharing(true);
  };
  const copyWaiting = useEffectEvent(() => void copyNow());
  useEffect(() => {
    if (!isWaiting || !isReady) return;
    setWaiting(false);
    copyWaiting();
  }, [isWaiting, isReady]);
  const copyLink = () => (isReady ? void copyNow() : setWaiting(true));
  const show = (isShown: boolean) => {
    isComing.current = false;
    setSharing(isShown);
  };
  const share = () => {
    copyLink();
    show(true);
    isComing.current = true;
  };
  const onShown = () => {
    if (isComing.current && hasCopied.current) tellAgain();
    isComing.current = false;
  };
  return { link, copied, copyLink, share, sharing: sharing && isReady, setSharing: show, onShown };
}

/** A file that can't be had may tell of a folder that has ended: the page then asks for the folder, and says so. */
function useFailedFiles(files: readonly FileItem[], onChanged: () => Promise<boolean>): void {
  const failed = files.filter(({ error }) => error !== null).length;
  const look = useEffectEvent(() => void onChanged());
  useEffect(() => {
    if (failed > 0) look();
  }, [failed]);
}

/** State of an active folder's page. */
export function useFolderPage(props: FolderPageProps) {
  const { folder, role, userId } = props;
  const pageLink = usePageLink(folder);
  const { hash } = pageLink;
  const address = useFolderAddress();
  const folderKey = useFolderKey({ folder, userId, hash, onNewLink: props.onChanged });
  useBareAddress(folder.folder_id, userId, pageLink, folderKey);
  const { trust } = folderKey;
  const treated = useTreated(folder, trust);
  const onDownloaded = useDownloads(folder.folder_slug, role);
  /** After a new link: the list with the new labels, and then the keys, are on their way. */
  const [settling, setSettling] = useState<'no' | 'list' | 'keys'>('no');
  if (settling === 'keys' && !folderKey.reloading) setSettling('no');
  const files = useFolderFiles({
    folder,
    encrypted: trust.readsAs === 'encrypted',
    keyring: folderKey.keyring,
    keyLoading: folderKey.loading,
    onDownloaded,
    onDeleted: props.onChanged,
    isSettling: settling !== 'no',
    directory: address.directory,
    showDirectory: address.showDirectory,
  });
  const putNewLink = (link: NewLink) => {
    pageLink.put(link);
    // The facts of the new link can reach the page before this device has kept its keys. The page then loaded the old
    // keys, and the same facts don't make it load them again.
    folderKey.retry();
    void props.onChanged();
    // A new private link brings new labels: the earlier list doesn't open with the new keys.
    setSettling('list');
    void files.reload(true).finally(() => setSettling('keys'));
  };
  useUnfinishedLink(folder, role === 'owner' && folderKey.isLinkUnfinished, putNewLink);
  const uploadTarget = useUploadTarget(props, hash, folderKey, files);
  useLiveFolder(props, files, uploadTarget.onFiles);
  useFailedFiles(files.files, props.onChanged);
  useVisit(folder.folder_slug, role, !files.loading);
  const hasUnfinished = useFolderActivity(folder.folder_id, (activity) => activity?.hasUnfinished === true);
  const reload = () => {
    void files.reload(true);
    if (folderKey.lost === null) return;
    folderKey.retry();
    void props.onChanged();
  };
  const isOwner = role === 'owner';
  const isEmpty = !files.loading && files.error === null && files.files.length === 0;
  const zone = useUploadZone(isOwner, isEmpty || hasUnfinished, address);
  const block = blockOf(trust);
  const takesFiles = isOwner && block === null;
  const addFiles = (choice: Choice) => {
    address.change({ tab: undefined, upload: true });
    // While a key may still load, files wait for it.
    if (takesFiles || folderKey.loading || folderKey.unlock) void addFilesTo(uploadTarget, choice);
    else announce(errorText(new AppError(block === 'revoked' ? 'folder.revoked' : 'key.needs_link')), true);
  };
  return {
    folder: treated,
    address,
    folderKey,
    files,
    /** Asks again for what the file area could not show. */
    reload,
    uploadTarget,
    zone,
    addFiles,
    /** Whether this page can upload to the folder. */
    takesFiles,
    putNewLink,
    ...useShare(treated, folderKey, hash),
    ...useViewer(files, address),
  };
}

export type FolderPageParts = ReturnType<typeof useFolderPage>;
