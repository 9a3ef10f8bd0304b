import { safeFileName } from '../file-name.ts';
import { DIRECTORY_DEPTH_MAX, NAME_MAX_BYTES } from '../limits.ts';
import { utf8Length } from '../naming.ts';

/** What a file's label says of directories (docs/container.md §2). */

const segmentsOf = (path: string): string[] =>
  path.split('/').filter((segment) => segment !== '' && !/^\.{1,2}$/.test(segment));

/**
 * Makes a stranger's directory harmless: it never leaves the folder, however it is written. Empty, `.` and `..` segments
 * go, so that nothing is absolute; each other segment becomes a safe name (`\`, NUL and direction characters as in
 * safeFileName); files below DIRECTORY_DEPTH_MAX lie in the last directory that counts.
 */
export function safeDirectory(path: string): string {
  return segmentsOf(path.toWellFormed())
    .slice(0, DIRECTORY_DEPTH_MAX)
    .map((segment) => safeFileName(segment))
    .join('/');
}

/** Whether a label holds this path as it is: not too deep, and with its name not too long. */
export function fitsLabel(path: string): boolean {
  return segmentsOf(path).length <= DIRECTORY_DEPTH_MAX + 1 && utf8Length(path) <= NAME_MAX_BYTES;
}
