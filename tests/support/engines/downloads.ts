import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deadline, until } from '@satchel/contract/testing/pace';

/** What a browser saves: of Firefox's and WebKit's downloads no driver tells when they are whole. */

const orNone = <Item>(read: () => Item[]): Item[] => {
  try {
    return read();
  } catch {
    return []; // the process has ended, or has closed this file, since it was listed
  }
};

/** Whether a process has a file of this folder open. */
function isWrittenTo(folder: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => orNone(() => readdirSync(`/proc/${pid}/fd`)).map((descriptor) => `/proc/${pid}/fd/${descriptor}`))
    .some((descriptor) => orNone(() => [readlinkSync(descriptor)]).some((path) => path.startsWith(folder)));
}

/** Browsers write beside the file's own name, which some take at once with an empty file. */
const PARTIAL = /\.(part|crdownload|wkdownload)$/;

/** The file that appears in a folder by what `start` does, once no process writes it any more. */
export async function savedIn(folder: string, start: () => Promise<unknown>): Promise<Buffer> {
  const before = new Set(readdirSync(folder));
  await start();
  const added = () => readdirSync(folder).filter((name) => !before.has(name));
  const isWhole = () => {
    const [name, ...more] = added();
    if (name === undefined || [name, ...more].some((other) => PARTIAL.test(other))) return false;
    return statSync(join(folder, name)).size > 0 && !isWrittenTo(folder);
  };
  await until(isWhole, () => `the browser saved ${added().join(', ') || 'nothing'}`, deadline(180));
  return readFile(join(folder, added()[0] ?? ''));
}
