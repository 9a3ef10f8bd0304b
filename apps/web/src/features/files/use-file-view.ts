import { useEffect, useMemo, useState } from 'react';
import type { FileItem } from '../../engine/files/file-model.ts';
import { keepChoice, keptChoice } from '../../lib/base/device.ts';
import { createStore } from '../../lib/base/external-store.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { importPatiently } from '../../lib/base/patient-import.ts';
import type { DirectoryItem } from './directories/directory-view.ts';
import { arrange, type Filter, matchesFilter, type Sort, search } from './file-order.ts';

/** What the file area has a cell for. */
export type FolderEntry = FileItem | DirectoryItem;

/** Directory, filter, search and sort order of the file area; the viewer uses the same order. */
export interface FileView {
  /** The directory that is shown, as `a/b`; empty for the folder itself. */
  readonly directory: string;
  /** Whether any file of the folder lies in a directory. */
  readonly hasDirectories: boolean;
  /** Directories first. */
  readonly entries: readonly FolderEntry[];
  /** The files of `entries`. */
  readonly shown: readonly FileItem[];
  /**
   * The files that the viewer steps through: the ones that filter or search found, otherwise all files of the folder, with the
   * files of a directory at its place.
   */
  readonly walk: () => readonly FileItem[];
  /** The files of the directory and of all below it: what the filters count. */
  readonly within: readonly FileItem[];
  /** The files that filter and search let through: Download all saves them. */
  readonly matching: readonly FileItem[];
  readonly filter: Filter;
  readonly sort: Sort;
  readonly isReversed: boolean;
  readonly query: string;
  readonly onDirectory: (path: string) => void;
  readonly onFilter: (filter: Filter) => void;
  /** Sorts again; a second time, in reverse. */
  readonly onSort: (sort: Sort) => void;
  readonly onQuery: (query: string) => void;
  /** Whether the files are lines of a table, and not cards; this device keeps it. */
  readonly isList: boolean;
  readonly onList: (isList: boolean) => void;
}

/** Where the page is in the folder's directories. */
export interface DirectoryPlace {
  readonly directory: string;
  readonly showDirectory: (path: string) => void;
}

type Directories = typeof import('./directories/directory-view.ts');
/** A folder without directories needs none of this code. */
const directories = createStore<Directories | null>(null);

function useDirectories(isNeeded: boolean): Directories | null {
  const code = useStore(directories);
  useEffect(() => {
    if (isNeeded) void importPatiently(() => import('./directories/directory-view.ts')).then(directories.set);
  }, [isNeeded]);
  return code;
}

const STORAGE_NAME = 'satchel-files';

/** The view of a folder's files; null while the code for directories is on its way. */
export function useFileView(files: readonly FileItem[], { directory, showDirectory }: DirectoryPlace): FileView | null {
  const [filter, onFilter] = useState<Filter>('All');
  const [arrangement, setArrangement] = useState<{ sort: Sort; isReversed: boolean }>({
    sort: 'Added',
    isReversed: false,
  });
  const [query, onQuery] = useState('');
  const [isList, setList] = useState(() => keptChoice(STORAGE_NAME) === 'list');
  const hasDirectories = useMemo(() => files.some((file) => file.directory !== ''), [files]);
  const code = useDirectories(hasDirectories);
  const listing = useMemo(() => {
    if (!hasDirectories) return { path: '', within: files, here: files, directories: [] };
    return code?.listDirectory(files, directory) ?? null;
  }, [hasDirectories, code, files, directory]);
  const content = useMemo(() => {
    if (!listing) return null;
    const { within, here } = listing;
    const matching = search(
      within.filter((file) => matchesFilter(file, filter)),
      query,
    );
    // A filter and a search look into the directories below, too.
    const isNarrowed = filter !== 'All' || query.trim() !== '';
    const shown = arrange(isNarrowed ? matching : here, arrangement);
    const inner = filter === 'All' ? search(listing.directories, query) : [];
    const before = code && inner.length > 0 ? code.arrangeDirectories(inner, arrangement) : [];
    const walk = () => (isNarrowed || !code ? shown : code.walkDirectories(files, arrangement));
    return { directory: listing.path, within, matching, shown, walk, entries: [...before, ...shown] };
  }, [listing, code, files, filter, query, arrangement]);
  if (!content) return null;
  const onSort = (sort: Sort) =>
    setArrangement((last) => ({ sort, isReversed: last.sort === sort && !last.isReversed }));
  const onList = (next: boolean) => {
    keepChoice(STORAGE_NAME, next ? 'list' : 'cards');
    setList(next);
  };
  const state = { hasDirectories, filter, query, isList, ...arrangement };
  return { ...content, ...state, onDirectory: showDirectory, onFilter, onSort, onQuery, onList };
}
