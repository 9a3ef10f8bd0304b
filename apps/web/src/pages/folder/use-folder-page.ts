import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type FolderFiles, useFolderFiles } from '../features/files/use-folder-files.ts';
import type { Lifetime } from '../features/folder/countdown.tsx';
import { type FolderKeyState, useFolderKey } from '../features/folder/use-folder-key.ts';
import type { Choice } from '../features/upload/chosen-files.ts';
import type { UploadQueueOptions } from '../features/upload/queue-options.ts';
import { createUploadDesk } from '../features/upload/upload-desk.ts';
import { announce } from '../lib/announce.ts';
import { coalesce } from '../lib/coalesce.ts';
import { errorText } from '../lib/error-text.ts';
import { useStore } from '../lib/external-store.ts';
import type { FolderTrust, SealBlock } from '../lib/folder-trust.ts';
import { type FolderAddress, useFolderAddress } from './folder-address.ts';
import { useBareAddress } from './use-bare-address.ts';
import { useFolderEvents } from './use-folder-events.ts';
import { usePageLink } from './use-page-link.ts';
import { useShare } from './use-share.ts';
import { takeFiles } from './waiting-files.ts';

/** A folder that is there, and who looks at it. */
export interface FolderPageProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string | null;
  lifetime: Lifetime;
  /** When `folder` came, by this device's clock; milliseconds since the epoch. */
  receivedAtMs: number;
  /** The folder's own facts are to be asked for again; resolves to whether an answer came. */
  onChanged: () => Promise<boolean>;
}

/** A queue of hundreds of small files must not ask for the list as many times. */
const RELOAD_EVERY_MS = 1500;

/**
 * Asks for the folder's facts before files are sealed, and says as long as the answer is on its way: a link that was
 * replaced on another device has brought a newer key, and a page that stays open does not hear of it. Without an answer
 * the page goes by what it knows.
 */
function useFactsCheck({
  receivedAtMs,
  onChanged,
}: FolderPageProps): readonly [isChecking: boolean, check: () => void] {
  const [askedAtMs, setAskedAtMs] = useState<number | null>(null);
  const check = useCallback(() => {
    if (!navigator.onLine) return;
    setAskedAtMs(Date.now());
    void onChanged().then((hasAnswer) => hasAnswer || setAskedAtMs(null));
  }, [onChanged]);
  return [askedAtMs !== null && receivedAtMs < askedAtMs, check];
}

/** What the owner's queue works for. */
function useUploadOptions(props: FolderPageProps, folderKey: FolderKeyState, files: FolderFiles): UploadQueueOptions {
  const { folder, userId, onChanged } = props;
  const { trust, sealing, ownKeys, reloading } = folderKey;
  const isPlain = trust.sealing.kind === 'plain';
  const [isChecking, check] = useFactsCheck(props);
  const reload = useRef(() => {});
  useEffect(() => {
    reload.current = () => {
      void files.reload(true);
      void onChanged();
    };
  });
  const [uploaded] = useState(() => coalesce(() => reload.current(), RELOAD_EVERY_MS));
  useEffect(() => uploaded.stop, [uploaded]);
  return {
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
    isHeld: isChecking || reloading || !(isPlain || sealing),
    onStart: check,
    userId,
    fileCount: files.files.length,
    onFiles: uploaded.run,
  };
}

/** Opens the file that the address names, and says what the viewer shows. */
function useViewer({ files, view, open, keepOpen }: FolderFiles, { search, showFile }: FolderAddress) {
  const { shown: inGrid } = view;
  const viewable = useMemo(() => inGrid.filter(({ opened, phase }) => opened !== null && phase === 'none'), [inGrid]);
  const named = files.find(({ id }) => id === search.file);
  const isSealed = named !== undefined && named.opened === null;
  const isWaiting = isSealed && named.phase === 'none' && named.badge === 'api';
  const hasFailed = isSealed && named.phase === 'none' && named.error !== null;
  const isForeign = named?.badge === 'foreign';
  const [asked, setAsked] = useState<string | null>(null);
  useEffect(() => {
    if (search.file === undefined) return setAsked(null);
    if (isWaiting && asked !== search.file) {
      setAsked(search.file);
      open(search.file);
    } else if (isForeign || (hasFailed && asked === search.file)) showFile(undefined);
  }, [search.file, isWaiting, hasFailed, isForeign, asked, open, showFile]);
  const shown = named !== undefined && named.opened !== null ? named : null;
  const shownId = shown?.id;
  useEffect(() => (shownId === undefined ? undefined : keepOpen(shownId)), [shownId, keepOpen]);
  return { viewable, shown };
}

/**
 * The upload zone: toggled by the owner, and open by itself once there is a reason: the folder is loaded and empty (§2,
 * §4), or an earlier page left uploads unfinished.
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

/** The folder as this page treats it: in what it shows and offers, too, this device goes before the server. */
function useTreated(folder: FolderCompleteData, { mode, hidesNames }: FolderTrust): FolderCompleteData {
  return useMemo(() => ({ ...folder, folder_link_mode: mode, hide_names: hidesNames }), [folder, mode, hidesNames]);
}

/** Why a folder takes no files now; null when it does, or will once a question is answered. */
function blockOf({ sealing }: FolderTrust): SealBlock | null {
  return sealing.kind === 'blocked' && sealing.block !== 'new_link' ? sealing.block : null;
}

/** Everything that the page of an active folder is made of. */
export function useFolderPage(props: FolderPageProps) {
  const { folder, role, userId } = props;
  const pageLink = usePageLink(folder);
  const { hash, put: putNewLink } = pageLink;
  const address = useFolderAddress();
  const folderKey = useFolderKey({ folder, userId, hash, onNewLink: props.onChanged });
  useBareAddress(folder.folder_id, userId, pageLink, folderKey);
  const { trust } = folderKey;
  const treated = useTreated(folder, trust);
  const onDownloaded = useFolderEvents(folder.folder_slug, role);
  const files = useFolderFiles({
    folder,
    encrypted: trust.readsAs === 'encrypted',
    keyring: folderKey.keyring,
    keyLoading: folderKey.loading,
    onDownloaded,
    onRemoved: props.onChanged,
  });
  const uploadOptions = useUploadOptions(props, folderKey, files);
  const [desk] = useState(createUploadDesk);
  useEffect(() => {
    const chosenBefore = takeFiles(folder.folder_slug);
    if (chosenBefore) desk.send(chosenBefore);
  }, [desk, folder.folder_slug]);
  const hasUnfinished = useStore(desk.hasUnfinished);
  const isOwner = role === 'owner';
  const isEmpty = !files.loading && files.error === null && files.files.length === 0;
  const zone = useUploadZone(isOwner, isEmpty || hasUnfinished, address);
  const block = blockOf(trust);
  const takesFiles = isOwner && block === null;
  const addFiles = (choice: Choice) => {
    address.change({ tab: undefined, upload: true });
    // As long as a key may still come, files wait for it.
    if (takesFiles || folderKey.loading || folderKey.unlock) desk.add(choice);
    else announce(errorText(new AppError(block === 'revoked' ? 'folder.revoked' : 'key.needs_link')), true);
  };
  return {
    folder: treated,
    address,
    folderKey,
    files,
    uploadOptions,
    desk,
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
