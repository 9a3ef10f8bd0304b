import { directoryBelow, isWithin, joinPath, splitPath } from '@satchel/contract/files/path-parts';
import { directoryId, type FileItem } from '../../../engine/files/file-model.ts';
import { type Arrangement, arrange, compareNames } from '../file-order.ts';

/** Directories of a folder, as its files' labels name them: there are no others, and an empty one does not exist. */

export interface DirectoryItem {
  readonly id: string;
  readonly kind: 'directory';
  readonly name: string;
  readonly path: string;
  /** A directory can be opened and selected as a file can. */
  readonly badge: null;
  /** All files in it and below it. */
  readonly files: readonly FileItem[];
  readonly sizeBytes: number;
}

/** The directory itself, or where it is gone by now, the nearest one above it. */
function nearest(files: readonly FileItem[], wanted: string): string {
  let path = wanted;
  while (path !== '' && !files.some(({ directory }) => isWithin(directory, path))) path = splitPath(path).directory;
  return path;
}

function directoryItem(path: string, files: readonly FileItem[]): DirectoryItem {
  const { name } = splitPath(path);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { id: directoryId(path), kind: 'directory', name, path, badge: null, files, sizeBytes };
}

/** The directories right below `path`. */
function directoriesBelow(within: readonly FileItem[], path: string): DirectoryItem[] {
  const inner = new Map<string, FileItem[]>();
  for (const file of within) {
    if (file.directory === path) continue;
    const [name = ''] = directoryBelow(file.directory, path).split('/');
    const files = inner.get(name);
    if (files) files.push(file);
    else inner.set(name, [file]);
  }
  return [...inner].map(([name, files]) => directoryItem(joinPath(path, name), files));
}

export interface DirectoryListing {
  readonly path: string;
  /** All files in it and below it. */
  readonly within: readonly FileItem[];
  /** The files right in it. */
  readonly here: readonly FileItem[];
  readonly directories: readonly DirectoryItem[];
}

/** What a directory of a folder shows. */
export function listDirectory(files: readonly FileItem[], wanted: string): DirectoryListing {
  const path = nearest(files, wanted);
  const within = path === '' ? files : files.filter(({ directory }) => isWithin(directory, path));
  const here = within.filter(({ directory }) => directory === path);
  return { path, within, here, directories: directoriesBelow(within, path) };
}

/** Directories come before files; by size the largest first, else by name. */
export function arrangeDirectories(
  directories: readonly DirectoryItem[],
  { sort, isReversed }: Arrangement,
): DirectoryItem[] {
  const sorted = directories.toSorted((a, b) =>
    sort === 'Size' ? b.sizeBytes - a.sizeBytes || compareNames(a, b) : compareNames(a, b),
  );
  return isReversed && (sort === 'Name' || sort === 'Size') ? sorted.reverse() : sorted;
}

/** All files in a directory and below it, in the order in which the grid of each directory shows them. */
export function walkDirectories(within: readonly FileItem[], arrangement: Arrangement, path = ''): readonly FileItem[] {
  const here = within.filter(({ directory }) => directory === path);
  const inner = arrangeDirectories(directoriesBelow(within, path), arrangement);
  const below = inner.flatMap((directory) => walkDirectories(directory.files, arrangement, directory.path));
  return [...below, ...arrange(here, arrangement)];
}
