import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../durable-file.ts';

/**
 * The files of a site that its operator has enrolled in WEBCAT (https://docs.webcat.tech), in DATA_DIR: written by
 * `satchel-admin webcat publish`, served at `/.well-known/webcat/`.
 */

export const WEBCAT_FILES = [
  'enrollment.json',
  'manifest.json',
  'bundle.json',
  // Of the enrollment before, for browsers that have not heard of the new one (WEBCAT server.md §2).
  'enrollment-prev.json',
  'bundle-prev.json',
] as const;
export type WebcatFile = (typeof WEBCAT_FILES)[number];

const folderIn = (dataDir: string): string => join(dataDir, 'webcat');

/** @returns null where the site is not enrolled */
export const readWebcatFile = (dataDir: string, name: WebcatFile): Promise<string | null> =>
  unlessMissing(readFile(join(folderIn(dataDir), name), 'utf8'), null);

/** Puts the files in place, each whole. */
export async function writeWebcatFiles(dataDir: string, files: ReadonlyMap<WebcatFile, string>): Promise<void> {
  const folder = folderIn(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of files) {
    const next = join(folder, `${name}.next`);
    await writeFile(next, text, { mode: 0o600 });
    await rename(next, join(folder, name));
  }
}
