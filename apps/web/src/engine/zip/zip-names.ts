import { safeFileName } from '@satchel/contract/file-name';
import { cutUtf8, extensionOf, utf8Length } from '@satchel/contract/naming';

/** Names of the files in a zip: flat, safe to unpack on every system, and no two alike (DESIGN-UX §7.9). */

/** What Windows refuses in names, beyond what no name of ours has; a colon would even name another stream of a file. */
const REFUSED = /[<>:"|?*]/g;
/** Devices of Windows, with or without an extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/** Most file systems take no longer name. */
const NAME_MAX_BYTES = 240;

/** Cuts a name in front of its extension. */
function cutName(name: string, maxBytes: number): string {
  if (utf8Length(name) <= maxBytes) return name;
  const extension = extensionOf(name);
  const tail = extension === '' ? '' : name.slice(-extension.length - 1);
  return `${cutUtf8(name.slice(0, name.length - tail.length), maxBytes - utf8Length(tail))}${tail}`;
}

/**
 * A name that unpacks to one file beside the zip and nowhere else: no folders, no device, nothing that a system refuses.
 * @param name as its sealer wrote it
 */
export function zipFileName(name: string): string {
  const clean = cutName(safeFileName(name.replace(REFUSED, '_')), NAME_MAX_BYTES)
    // Windows cuts these from the end, and two names could become one.
    .replace(/[. ]+$/, '')
    .replace(DEVICE, '_$1');
  return safeFileName(clean);
}

/** What makes two names one on a system that ignores case. */
const sameness = (name: string): string => name.normalize('NFC').toLowerCase();

function numbered(name: string, number: number): string {
  const extension = extensionOf(name);
  const base = extension === '' ? name : name.slice(0, -extension.length - 1);
  return extension === '' ? `${base} (${number})` : `${base} (${number})${name.slice(base.length)}`;
}

/** Gives every file of one zip its name: the second `a.txt` becomes `a (2).txt`. */
export function createZipNames(): (name: string) => string {
  const taken = new Set<string>();
  /** The last number that each name was given, so that a thousand files of one name are not counted up a thousand times. */
  const numbers = new Map<string, number>();
  return (name) => {
    const wanted = zipFileName(name);
    let unique = wanted;
    let number = numbers.get(sameness(wanted)) ?? 1;
    while (taken.has(sameness(unique))) {
      number += 1;
      unique = numbered(wanted, number);
    }
    numbers.set(sameness(wanted), number);
    taken.add(sameness(unique));
    return unique;
  };
}
