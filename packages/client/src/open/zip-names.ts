import { safeFileName } from '@satchel/contract/file-name';
import { safeDirectory } from '@satchel/contract/files/file-path';
import { numberedName, pathKey } from '@satchel/contract/files/path-parts';
import { cutUtf8, extensionOf, utf8Length } from '@satchel/contract/naming';

/** Paths of the files in a zip: safe to unpack on every system, and no two alike. */

/** What Windows refuses in names, beyond what no name of ours has; a colon would even name another stream of a file. */
const REFUSED = /[<>:"|?*]/g;
/** Devices of Windows, with or without an extension, and with the blanks before it that Windows skips. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(?=[. ]*$| *\.)/i;
/** Most file systems take no longer name. */
const NAME_MAX_BYTES = 240;

/** Cuts a name in front of its extension. */
function cutName(name: string): string {
  if (utf8Length(name) <= NAME_MAX_BYTES) return name;
  const extension = extensionOf(name);
  const tail = extension === '' ? '' : name.slice(-extension.length - 1);
  return `${cutUtf8(name.slice(0, name.length - tail.length), NAME_MAX_BYTES - utf8Length(tail))}${tail}`;
}

/**
 * A name that unpacks to one file beside the zip and nowhere else: no folders, no device, nothing that a system refuses.
 * @param name as its sealer wrote it
 */
export function zipFileName(name: string): string {
  const clean = cutName(safeFileName(name.replace(REFUSED, '_')))
    // Windows cuts these from the end, and two names could become one.
    .replace(/[. ]+$/, '')
    .replace(DEVICE, '_$1');
  return safeFileName(clean);
}

/** A name for systems that refuse less than Windows: safe, and not too long. */
export const systemFileName = (name: string): string => safeFileName(cutName(safeFileName(name)));

/** Every directory on the way to a file: of `a/b/c`, also `a` and `a/b`. */
const waysTo = (directory: string): string[] =>
  directory.split('/').map((_segment, at, segments) => segments.slice(0, at + 1).join('/'));

/**
 * Gives every file of one zip its path: the second `a.txt` of a directory becomes `a (2).txt`, and so does a file that is
 * called as a directory is.
 * @param files all files of the zip
 * @param cleanName for a system that unpacks, where it is known
 */
export function createZipNames(
  files: Iterable<{ readonly directory?: string }> = [],
  cleanName: (name: string) => string = zipFileName,
): (name: string, directory?: string) => string {
  /** A directory that unpacks below the zip's own and nowhere else: each segment is as safe as a file's name. */
  const zipDirectory = (directory: string): string => safeDirectory(directory).split('/').map(cleanName).join('/');
  const directories = new Map<string, string>([['', '']]);
  const taken = new Set<string>();
  for (const { directory = '' } of files) {
    if (directories.has(directory)) continue;
    const safe = zipDirectory(directory);
    directories.set(directory, `${safe}/`);
    for (const way of waysTo(safe)) taken.add(pathKey(way));
  }
  /** The last number that each name was given, so that a thousand files of one name are not counted up a thousand times. */
  const numbers = new Map<string, number>();
  return (name, directory = '') => {
    const wanted = cleanName(name);
    const inside = directories.get(directory) ?? `${zipDirectory(directory)}/`;
    const key = pathKey(inside + wanted);
    let unique = inside + wanted;
    let number = numbers.get(key) ?? 1;
    while (taken.has(pathKey(unique))) {
      number += 1;
      unique = inside + numberedName(wanted, number);
    }
    numbers.set(key, number);
    taken.add(pathKey(unique));
    return unique;
  };
}
