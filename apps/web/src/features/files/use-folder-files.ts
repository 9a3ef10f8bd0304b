import type { FolderKeys } from '@satchel/container/key';
import type { FileLabel } from '@satchel/container/label';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { LIST_FRESH_MS } from '@satchel/contract/limits';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useStore } from '../../lib/external-store.ts';
import { publicFileUrl } from '../../lib/file-url.ts';
import { openedCache, sweepOpenedFiles } from '../../lib/opened-cache.ts';
import { importPatiently } from '../../lib/patient-import.ts';
import { queryClient } from '../../lib/query-client.ts';
import { zipLimitBytes } from '../../lib/zip-limit.ts';
import { activityOf, createItemMaker, type FileItem, fileItem, NO_ACTIVITY } from './file-model.ts';
import { createFileOpener, type FileOpener, type FileOpenerDeps, type SealedFile } from './file-opener.ts';
import { filesQueryKey, type Labels, listFiles, withKnownLabels } from './list-files.ts';
import { useFileActions } from './use-file-actions.ts';
import { type FileView, useFileView } from './use-file-view.ts';

export interface FolderFilesInput {
  readonly folder: FolderCompleteData;
  /** The imported folder key; null for plain folders and when this page has none. */
  readonly keys: FolderKeys | null;
  /** Whether `keys` may still come: without them files would show for a moment as ones that nobody can open. */
  readonly keyLoading: boolean;
  /** A file has been saved, by its stored name, or a zip of several: null. */
  readonly onDownloaded?: (object: string | null) => void;
  /** Files are gone, and the folder's figures with them. */
  readonly onRemoved?: () => void;
}

export interface FolderFiles {
  /** Oldest first. */
  readonly files: readonly FileItem[];
  readonly view: FileView;
  readonly loading: boolean;
  readonly error: AppError | null;
  /** Asks for the list again if it is older than a minute, or in any case when forced (§9). */
  readonly reload: (force?: boolean) => Promise<void>;
  /** A click on an encrypted card: opens the file, however large. Ignored while it is being opened, and without a key. */
  readonly open: (id: string) => void;
  readonly retry: (id: string) => void;
  /** Saves the file. Failures show on its card and as a toast; the promise never rejects. */
  readonly download: (id: string) => Promise<void>;
  /** Saves files as one zip. How it goes shows in the dock; the promise never rejects. */
  readonly downloadZip: (ids: readonly string[]) => Promise<void>;
  /** Removes files for good, and resolves to those that are gone. A toast says why the others are not. */
  readonly remove: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Says that a card came into view or left it: in view, small files are opened unasked and kept. */
  readonly inView: (id: string, isVisible?: boolean) => void;
  /** Keeps an opened file while its viewer is open; call what it returns when the viewer closes. */
  readonly keepOpen: (id: string) => () => void;
  /** The largest encrypted file that this window can save, in bytes; null for no limit. To be said up front. */
  readonly downloadLimitBytes: number | null;
  /** The most stored bytes that go into one zip here; null for no limit. To be said up front. */
  readonly zipLimitBytes: number | null;
}

/** What opens files loads with the first of them: a plain folder never needs it. */
const OPENER: FileOpenerDeps = {
  openFile: async (request) => (await import('../../lib/open-client.ts')).openFile(request),
  streamOpened: async (request) => (await import('../../lib/media-client.ts')).streamOpened(request),
  cache: openedCache,
};

const NO_LABELS: Labels = new Map();
const NO_ENTRIES: readonly FileEntry[] = [];
/** Labels are opened this many at a time, so that a folder of thousands does not hold up the page. */
const LABELS_AT_ONCE = 200;

async function openLabels(keys: FolderKeys, entries: readonly FileEntry[], known: Labels): Promise<Labels> {
  const { openLabel } = await importPatiently(() => import('@satchel/container/label'));
  const labels = new Map<string, FileLabel | AppError>();
  const texts = entries.flatMap(({ metadata }) => metadata.sealed ?? []);
  for (let at = 0; at < texts.length; at += LABELS_AT_ONCE) {
    const opening = texts.slice(at, at + LABELS_AT_ONCE).map(async (sealed) => {
      const label =
        known.get(sealed) ?? (await openLabel(keys, sealed).catch((error) => toAppError(error, 'open.corrupted')));
      labels.set(sealed, label);
    });
    await Promise.all(opening);
  }
  return labels;
}

interface Labelled {
  readonly entries: readonly FileEntry[];
  readonly labels: Labels;
}

/**
 * The entries with the names that their labels seal; null as long as there is none to show. A file that has just come
 * joins the others when its label is open: they stay as they are meanwhile, with what is shown or played of them.
 */
function useLabelled(entries: readonly FileEntry[], keys: FolderKeys | null): Labelled | null {
  const [opened, setOpened] = useState<{ keys: FolderKeys; labels: Labels } | null>(null);
  const known = opened?.keys === keys ? opened.labels : NO_LABELS;
  const readable = useMemo(() => withKnownLabels(entries, known), [entries, known]);
  const isComplete = keys === null || readable.length === entries.length;
  useEffect(() => {
    if (keys === null || isComplete) return;
    let isCurrent = true;
    openLabels(keys, entries, known).then((labels) => {
      if (isCurrent) setOpened({ keys, labels });
    });
    return () => {
      isCurrent = false;
    };
  }, [entries, keys, known, isComplete]);
  if (isComplete) return { entries, labels: keys === null ? NO_LABELS : known };
  return readable.length === 0 ? null : { entries: readable, labels: known };
}

const NOTHING_LABELLED: Labelled = { entries: NO_ENTRIES, labels: NO_LABELS };

const labelFor = (labels: Labels, { metadata }: FileEntry): FileLabel | AppError | null =>
  metadata.sealed === undefined ? null : (labels.get(metadata.sealed) ?? null);

interface Listing extends Labelled {
  readonly folder: FolderCompleteData;
  readonly keys: FolderKeys | null;
}

/** What does not depend on what is going on: name, type, address, and whether the file is an encrypted one. */
function useStillItems({ folder, keys, entries, labels }: Listing): readonly FileItem[] {
  const { folder_bucket: bucket, folder_bucket_storage_path: storagePath } = folder;
  const encrypted = folder.folder_link_mode !== 'plain';
  const hasKey = keys !== null;
  return useMemo(
    () =>
      entries.map((entry) => {
        const url = publicFileUrl(bucket, storagePath, entry.name);
        const label = labelFor(labels, entry);
        return fileItem(entry, { encrypted, hasKey, label, url, activity: NO_ACTIVITY, opened: null });
      }),
    [entries, labels, bucket, storagePath, encrypted, hasKey],
  );
}

const sealedFiles = (items: readonly FileItem[]): ReadonlyMap<string, SealedFile> =>
  new Map(
    items
      .filter(({ encrypted }) => encrypted)
      .map(({ id, entry, url, name, type, error }) => [id, { entry, url, name, type, readable: error === null }]),
  );

/** Adds to the still items what is going on and what has been opened. */
function useLiveItems(stillItems: readonly FileItem[], { folder, keys, labels }: Listing, opener: FileOpener) {
  const [makeItem] = useState(createItemMaker);
  const activities = useStore(opener.store);
  const cacheVersion = useSyncExternalStore(openedCache.subscribe, openedCache.version);
  const encrypted = folder.folder_link_mode !== 'plain';
  const hasKey = keys !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: cacheVersion stands for what openedCache.peek answers
  return useMemo(
    () =>
      stillItems.map(({ entry, url }) =>
        makeItem(entry, {
          encrypted,
          hasKey,
          label: labelFor(labels, entry),
          url,
          activity: activityOf(activities, entry.id),
          opened: openedCache.peek(entry.id),
        }),
      ),
    [stillItems, labels, activities, cacheVersion, encrypted, hasKey, makeItem],
  );
}

interface Limits {
  readonly downloadLimitBytes: number | null;
  readonly zipLimitBytes: number | null;
}

/** Starts the service worker before sealed files need it, and says what can be saved where there is none. */
function useLimits(isNeeded: boolean): Limits {
  const [limits, setLimits] = useState<Limits>(() => ({
    downloadLimitBytes: null,
    zipLimitBytes: zipLimitBytes('serviceWorker' in navigator),
  }));
  useEffect(() => {
    if (!isNeeded) return;
    let isCurrent = true;
    import('../../lib/media-client.ts')
      .then(({ downloadLimitBytes }) => downloadLimitBytes())
      .then(
        (limit) => {
          if (isCurrent) setLimits({ downloadLimitBytes: limit, zipLimitBytes: zipLimitBytes(limit === null) });
        },
        // What could not be loaded says so itself when somebody saves a file.
        () => {},
      );
    return () => {
      isCurrent = false;
    };
  }, [isNeeded]);
  return limits;
}

/**
 * The files of a folder: listed, named, opened as they come into view, saved and removed. It belongs to one folder: give
 * the component that uses it the folder's id as its key.
 */
export function useFolderFiles(input: FolderFilesInput): FolderFiles {
  const { folder, keys, keyLoading, onDownloaded, onRemoved } = input;
  const [opener] = useState(() => createFileOpener(OPENER));
  const { folder_id: folderId, folder_bucket: bucket, folder_bucket_storage_path: storagePath } = folder;
  const query = useQuery(
    {
      queryKey: filesQueryKey(folderId),
      queryFn: ({ signal }) => listFiles({ bucket, storagePath }, signal),
      staleTime: LIST_FRESH_MS,
    },
    queryClient,
  );
  const entries = query.data ?? NO_ENTRIES;
  const named = useLabelled(entries, keys);
  const labelled = keyLoading ? null : named;
  const listing: Listing = { folder, keys, ...(labelled ?? NOTHING_LABELLED) };
  const stillItems = useStillItems(listing);
  const files = useLiveItems(stillItems, listing, opener);
  useEffect(() => opener.setFolder(sealedFiles(stillItems), keys), [opener, stillItems, keys]);
  useEffect(() => {
    sweepOpenedFiles();
    return opener.stop;
  }, [opener]);
  const title = folder.folder_name || folder.folder_slug;
  const place = { bucket, storagePath };
  const actions = useFileActions({ folderId, title, place, keys, files, opener, onDownloaded, onRemoved });
  const limits = useLimits(keys !== null);
  const { refetch, isStale } = query;
  const reload = useCallback(
    async (force = false) => {
      if (force || isStale) await refetch();
    },
    [refetch, isStale],
  );
  return {
    files,
    view: useFileView(files),
    loading: query.isPending || labelled === null,
    error: query.data === undefined && query.error ? toAppError(query.error, 'files.load_failed') : null,
    reload,
    open: opener.open,
    retry: opener.retry,
    inView: opener.setInView,
    keepOpen: openedCache.hold,
    ...limits,
    ...actions,
  };
}
