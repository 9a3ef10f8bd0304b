import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { useEffect, useMemo, useRef, useState } from 'react';
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
import { type FolderAddress, useFolderAddress } from './folder-address.ts';
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
  /** The folder's own facts are to be asked for again. */
  onChanged: () => void;
}

/** A queue of hundreds of small files must not ask for the list as many times. */
const RELOAD_EVERY_MS = 1500;

/** What the owner's queue works for. */
function useUploadOptions(props: FolderPageProps, folderKey: FolderKeyState, files: FolderFiles): UploadQueueOptions {
  const { folder, userId, onChanged } = props;
  const reload = useRef(() => {});
  useEffect(() => {
    reload.current = () => {
      void files.reload(true);
      onChanged();
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
      hide_names: folder.hide_names,
      link_mode: folder.folder_link_mode,
      expires_at: folder.folder_expires_at,
    },
    keys: folderKey.sealingKeys,
    userId,
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

/** Everything that the page of an active folder is made of. */
export function useFolderPage(props: FolderPageProps) {
  const { folder, role, userId } = props;
  const { hash, put: putNewLink } = usePageLink(folder);
  const address = useFolderAddress();
  const folderKey = useFolderKey({ folder, userId, hash });
  const onDownloaded = useFolderEvents(folder.folder_slug, role);
  const files = useFolderFiles({
    folder,
    keys: folderKey.keys,
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
  const mode = folder.folder_link_mode;
  const takesFiles = isOwner && mode !== 'revoked' && (mode === 'plain' || folderKey.sealingKeys !== null);
  const addFiles = (choice: Choice) => {
    address.change({ tab: undefined, upload: true });
    // As long as a key may still come, files wait for it.
    if (takesFiles || folderKey.loading || folderKey.unlock) desk.add(choice);
    else announce(errorText(new AppError(mode === 'revoked' ? 'folder.revoked' : 'key.needs_link')), true);
  };
  return {
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
    ...useShare(folder, folderKey, hash),
    ...useViewer(files, address),
  };
}

export type FolderPageParts = ReturnType<typeof useFolderPage>;
