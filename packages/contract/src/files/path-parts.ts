import { extensionOf } from '../naming.ts';

/** Paths in a folder: a directory is written `a/b`, the folder itself is the empty text. */

/** Parts a path into the directory and the name at its end. */
export function splitPath(path: string): { directory: string; name: string } {
  const slash = path.lastIndexOf('/');
  return { directory: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

/** A path below a directory. */
export const joinPath = (directory: string, below: string): string =>
  directory === '' || below === '' ? directory + below : `${directory}/${below}`;

/** Whether a directory is `base` or lies below it. */
export const isWithin = (directory: string, base: string): boolean =>
  base === '' || directory === base || directory.startsWith(`${base}/`);

/** A directory as it is called from `base`, which it lies in. */
export const directoryBelow = (directory: string, base: string): string =>
  base === '' ? directory : directory.slice(base.length + 1);

/** What makes two paths one for a person, and on a system that ignores case. */
export const pathKey = (path: string): string => path.normalize('NFC').toLowerCase();

/** A name with a number before its extension: `boat (2).jpg`. */
export function numberedName(name: string, number: number): string {
  const extension = extensionOf(name);
  const base = extension === '' ? name : name.slice(0, -extension.length - 1);
  return `${base} (${number})${name.slice(base.length)}`;
}
