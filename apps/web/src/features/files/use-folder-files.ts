import { useLingui } from '@lingui/react/macro';
import { type FolderPlace, listFiles } from '@satchel/client/folders/list-files';
import {
  type FolderTrust,
  listedAs,
  NO_VERDICTS,
  proveEntries,
  stillProven,
  type Verdict,
  type Verdicts,
  verdictFor,
  withVerdict,
} from '@satchel/client/folders/proven-files';
import { publicFileUrl } from '@satchel/client/open/file-url';
import type { FolderKeyring } from '@satchel/container/keyring';
import { proveFile } from '@satchel/container/proof';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { LIST_FRESH_MS } from '@satchel/contract/limits';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { queryClient, useServerQuery } from '../../account/session/query-client.ts';
import { askForAvif } from '../../engine/files/content/decodes-picture.ts';
import {
  activityOf,
  canOpen,
  createItemMaker,
  type FileItem,
  fileItem,
  NO_ACTIVITY,
  type UnknownNames,
} from '../../engine/files/file-model.ts';
import {
  createFileOpener,
  type FileOpener,
  type FileOpenerDeps,
  type SealedFile,
} from '../../engine/files/file-opener.ts';
import { localFiles } from '../../engine/files/local-files.ts';
import type { OpenLocalRequest } from '../../engine/files/open/open-local.ts';
import { openedCache, sweepOpenedFiles } from '../../engine/files/opened-cache.ts';
import { likelySaving, type Saving } from '../../engine/files/saving/saving-way.ts';
import { knownStills, loadShelf } from '../../engine/files/stills/known-stills.ts';
import type { FileStill } from '../../engine/files/stills/still-ref.ts';
import { sendJson } from '../../lib/api/api.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { savesData } from '../../lib/browser/line.ts';
import { whenIdle } from '../../lib/browser/when-idle.ts';
import { whileCurrent } from '../../lib/browser/while-current.ts';
import { folderTitle } from '../../lib/figures/folder-title.ts';
import { useFileActions } from './actions/use-file-actions.ts';
import { inAddedOrder } from './file-order.ts';
import { filesQueryKey } from './files-query-key.ts';
import type { Renaming } from './rename/rename-files.ts';
import { type DirectoryPlace, type FileView, useFileView } from './use-file-view.ts';

export interface FolderFilesInput extends DirectoryPlace {
  readonly folder: FolderCompleteData;
  /** Whether this page treats the folder as encrypted: then it opens only files that the folder's keys authenticate. */
  readonly encrypted: boolean;
  /** The folder's keys; null for plain folders and when this page has none. */
  readonly keyring: FolderKeyring | null;
  /** Whether `keyring` may still load: until then, files don't show as locked. */
  readonly keyLoading: boolean;
  /** Keys and labels are changing together: until both are here, the files stay as they are. */
  readonly isSettling: boolean;
  /** Called with the stored name of a saved file, or null for a zip. */
  readonly onDownloaded?: (object: string | null) => void;
  /** Files were deleted, and the folder's figures changed. */
  readonly onDeleted?: () => void;
}

export interface FolderFiles {
  /** What the folder is called: by its own name, or by its files. */
  readonly title: string;
  /** In the order in which they were chosen. */
  readonly files: readonly FileItem[];
  /** Null while it loads. */
  readonly view: FileView | null;
  readonly loading: boolean;
  readonly error: AppError | null;
  /** Reloads the list if it is older than a minute, or always when forced. */
  readonly reload: (force?: boolean) => Promise<void>;
  /** Reads the files that were added after the list was read. */
  readonly readOn: () => Promise<void>;
  /** Opens the file of an encrypted card, of any size. Does nothing while it opens, and without a key. */
  readonly open: (id: string) => void;
  readonly retry: (id: string) => void;
  /** What the viewer shows, null once it is closed, and what it would show next: that is opened ahead. */
  readonly look: (id: string | null, next: readonly string[]) => void;
  /** Saves the file. Failures show on its card and as a toast; the promise never rejects. */
  readonly download: (id: string) => Promise<void>;
  /**
   * Saves files as one zip, with their paths below a directory, which names it. The dock shows its progress; the promise
   * never rejects.
   */
  readonly downloadZip: (ids: readonly string[], directory: string) => Promise<void>;
  /** Deletes files, and resolves to the deleted ones. A toast gives the reason for the others. */
  readonly remove: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Gives files new names, and resolves to why some don't have theirs, in words; null when all do. */
  readonly rename: (renamings: readonly Renaming[]) => Promise<string | null>;
  /** Reports that a card entered or left the view: small files in view are opened on their own and kept. */
  readonly inView: (id: string, isVisible?: boolean) => void;
  /** Keeps an opened file while its viewer is open; call the returned function when the viewer closes. */
  readonly keepOpen: (id: string) => () => void;
  /** How files are saved here, and how large they may be. The page shows it before a click. */
  readonly saving: Saving;
}

/** A picture or film that this page has uploaded is not fetched back. */
const fromDevice = async (request: OpenLocalRequest) =>
  localFiles.get(request) && (await import('../../engine/files/open/open-local.ts')).openLocal(request);

/** The code that opens files loads with the first of them: a plain folder never needs it. */
const OPENER: FileOpenerDeps = {
  openFile: async (request) =>
    (await fromDevice(request)) ?? (await import('../../engine/files/open/open-client.ts')).openFile(request),
  streamOpened: async (request) =>
    (await fromDevice(request)) ?? (await import('../../engine/media/media-client.ts')).streamOpened(request),
  cache: openedCache,
  savesData,
  isAtHand: (file) => localFiles.get(file)?.isSmall === true,
};

const NO_ENTRIES: readonly FileEntry[] = [];

interface Proven {
  readonly entries: readonly FileEntry[];
  readonly verdicts: Verdicts;
}

interface Tried {
  readonly keyring: FolderKeyring;
  readonly verdicts: Verdicts;
}

function knownTo(keyring: FolderKeyring | null, tried: Tried | null): Verdicts {
  if (keyring === null || tried === null) return NO_VERDICTS;
  return tried.keyring === keyring ? tried.verdicts : stillProven(tried.verdicts, keyring);
}

/**
 * The entries whose labels have been tried; null while there is none to show. A new file joins the others once its
 * label is open: until then the others stay as they are, with their pictures and playing videos.
 */
function useProvenNow(entries: readonly FileEntry[], keyring: FolderKeyring | null): Proven | null {
  const [tried, setTried] = useState<Tried | null>(null);
  const known = useMemo(() => knownTo(keyring, tried), [keyring, tried]);
  const proven = useMemo(() => withVerdict(entries, known), [entries, known]);
  const isComplete = keyring === null || proven.length === entries.length;
  useEffect(() => {
    if (keyring === null || isComplete) return;
    return whileCurrent(proveEntries(proveFile, keyring, { entries, known }), (verdicts) =>
      setTried({ keyring, verdicts }),
    );
  }, [entries, keyring, known, isComplete]);
  return useMemo(() => {
    if (isComplete) return { entries, verdicts: keyring === null ? NO_VERDICTS : known };
    return proven.length === 0 ? null : { entries: proven, verdicts: known };
  }, [isComplete, entries, keyring, known, proven]);
}

/** The same; while keys and labels change together, as it was before: either alone would prove no file. */
function useProven(entries: readonly FileEntry[], keyring: FolderKeyring | null, isSettling: boolean): Proven | null {
  const current = useProvenNow(entries, keyring);
  const [settled, setSettled] = useState(current);
  if (!isSettling && settled !== current) setSettled(current);
  return isSettling && settled !== null ? settled : current;
}

const NOTHING_PROVEN: Proven = { entries: NO_ENTRIES, verdicts: NO_VERDICTS };

interface Listing extends Proven, FolderTrust {
  readonly folder: FolderCompleteData;
  readonly unknownNames: UnknownNames;
}

/** The state of a file apart from running actions. */
interface Listed {
  readonly verdict: Verdict | null;
  readonly item: FileItem;
  /** See {@link SealedFile}; null when there is nothing to open. */
  readonly listedAs: string | null;
}

type Known = ReturnType<typeof knownStills.get>;

const COMING: FileStill = { ref: null, url: null };

/** Its still, if it has one as far as this page knows. */
function stillOf({ verdict, item: { entry, encrypted } }: Listed, place: FolderPlace, known: Known): FileStill | null {
  const proof = verdict === 'foreign' ? null : verdict;
  if (known) return known.shelf.stillOf(entry, { place, encrypted, proof });
  return entry.metadata.still ? COMING : null;
}

function useListed({ folder, encrypted, hasKeys, entries, verdicts, unknownNames }: Listing): readonly Listed[] {
  const { folder_bucket: bucket, folder_bucket_storage_path: storagePath } = folder;
  return useMemo(
    () =>
      entries.map((entry) => {
        const url = publicFileUrl(bucket, storagePath, entry.name);
        const verdict = verdictFor(entry, { encrypted, hasKeys }, verdicts);
        const none = { activity: NO_ACTIVITY, opened: null, still: null };
        const item = fileItem(entry, { encrypted, verdict, url, unknownNames, ...none });
        return { verdict, item, listedAs: item.proof && listedAs(entry) };
      }),
    [entries, verdicts, bucket, storagePath, encrypted, hasKeys, unknownNames],
  );
}

/** The sealed part of a file; null for a file that no key authenticates. */
const sealedFiles = (files: readonly Listed[], place: FolderPlace, known: Known): ReadonlyMap<string, SealedFile> =>
  new Map(
    files.flatMap((file): [string, SealedFile][] => {
      const { item, listedAs } = file;
      const { id, entry, url, name, type, proof } = item;
      if (!proof || listedAs === null) return [];
      const hasStill = stillOf(file, place, known) !== null;
      return [[id, { entry, url, name, type, proof, listedAs, hasStill }]];
    }),
  );

/** The stills of this page, from the first one on that the list names. */
function useStills(entries: readonly FileEntry[]): Known {
  const hasSome = entries.some(({ metadata }) => metadata.still);
  useEffect(() => {
    if (hasSome) void loadShelf();
  }, [hasSome]);
  return useStore(knownStills);
}

/** Adds running actions and opened content. */
function useLiveItems(
  files: readonly Listed[],
  opener: FileOpener,
  unknownNames: UnknownNames,
  place: FolderPlace,
  known: Known,
): readonly FileItem[] {
  const [makeItem] = useState(createItemMaker);
  const activities = useStore(opener.store);
  const cacheVersion = useSyncExternalStore(openedCache.subscribe, openedCache.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: cacheVersion changes with the results of openedCache.peek
  return useMemo(
    () =>
      files.map((file) => {
        const { verdict, listedAs, item } = file;
        const { id, entry, encrypted, url } = item;
        const opened = listedAs === null ? null : openedCache.peek(id, listedAs);
        const live = { activity: activityOf(activities, id), opened, still: stillOf(file, place, known) };
        return makeItem(entry, { encrypted, verdict, url, unknownNames, ...live });
      }),
    [files, activities, cacheVersion, known, place, unknownNames, makeItem],
  );
}

/** Starts the service worker before sealed files need it. */
function useSaving(isNeeded: boolean): Saving {
  const [saving, setSaving] = useState(likelySaving);
  useEffect(() => {
    if (!isNeeded) return;
    return whileCurrent(
      whenIdle()
        .then(() => import('../../engine/files/saving/save-opened.ts'))
        .then(({ savingHere }) => savingHere()),
      setSaving,
      // A save reports its own error when this code fails to load.
      () => {},
    );
  }, [isNeeded]);
  return saving;
}

/**
 * The files of a folder: lists, names, opens (as they come into view), saves and deletes them. It belongs to one
 * folder: use the folder's id as the component's key.
 */
export function useFolderFiles(input: FolderFilesInput): FolderFiles {
  const { folder, encrypted, keyring, keyLoading, isSettling, onDownloaded, onDeleted } = input;
  const [opener] = useState(() => createFileOpener(OPENER));
  const { folder_id: folderId, folder_bucket: bucket, folder_bucket_storage_path: storagePath } = folder;
  const query = useServerQuery({
    queryKey: filesQueryKey(folderId),
    queryFn: ({ signal }) => listFiles({ sendJson }, { bucket, storagePath }, { signal }),
    staleTime: LIST_FRESH_MS,
  });
  const entries = query.data ?? NO_ENTRIES;
  const tried = useProven(entries, encrypted ? keyring : null, isSettling);
  const proven = keyLoading ? null : tried;
  const { t } = useLingui();
  const unknownNames = useMemo(() => ({ foreign: t`Unknown file`, hidden: t`Hidden name` }), [t]);
  const listing = { folder, encrypted, hasKeys: keyring !== null, unknownNames, ...(proven ?? NOTHING_PROVEN) };
  const listed = useListed(listing);
  const place = useMemo(() => ({ bucket, storagePath }), [bucket, storagePath]);
  const known = useStills(entries);
  const unordered = useLiveItems(listed, opener, unknownNames, place, known);
  const files = useMemo(() => inAddedOrder(unordered), [unordered]);
  useEffect(() => opener.setFolder(sealedFiles(listed, place, known)), [opener, listed, place, known]);
  useEffect(() => {
    void askForAvif();
    sweepOpenedFiles();
    return opener.stop;
  }, [opener]);
  const title = useMemo(() => folderTitle(folder, files.filter(canOpen)), [folder, files]);
  const actions = useFileActions({ folderId, title, place, files, opener, onDownloaded, onDeleted });
  const saving = useSaving(keyring !== null && proven !== null);
  const { refetch, isStale } = query;
  const reload = useCallback(
    async (force = false) => {
      if (force || isStale) await refetch();
    },
    [refetch, isStale],
  );
  const readOn = useCallback(async () => {
    const queryKey = filesQueryKey(folderId);
    const known = queryClient.getQueryData<FileEntry[]>(queryKey);
    const listed = known && (await listFiles({ sendJson }, { bucket, storagePath }, { known }).catch(() => undefined));
    // The list may have changed since: by a file that was deleted here, or by a reading of the whole.
    const isSame = queryClient.getQueryData(queryKey) === known && queryClient.isFetching({ queryKey }) === 0;
    if (listed && isSame) queryClient.setQueryData(queryKey, listed);
    else await refetch();
  }, [folderId, bucket, storagePath, refetch]);
  const view = useFileView(files, input);
  return {
    title,
    files,
    view,
    loading: query.isPending || proven === null || view === null,
    error: query.data === undefined && query.error ? toAppError(query.error, 'files.load_failed') : null,
    reload,
    readOn,
    open: opener.open,
    look: opener.look,
    inView: opener.setInView,
    keepOpen: openedCache.hold,
    saving,
    ...actions,
  };
}
