import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, createWriteStream, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * @typedef {{ path: string, data?: Buffer | string, from?: string, link?: string, isExecutable?: boolean }} Entry contents
 *   as they are, a file to copy them from, or the target of a symbolic link
 */

/** What makes the bytes follow from names, contents and the time of the commit alone. Only GNU tar sorts. */
const REPRODUCIBLE = ['--format=ustar', '--sort=name', '--owner=0', '--group=0', '--numeric-owner'];

/**
 * Packs entries below one folder, by the system's tar.
 * @param {string} file the archive
 * @param {{ entries: Entry[], folder: string, timeSeconds: number, work: string }} what `folder` is the one at the archive's
 *   top, `work` a folder to lay the entries out in, which is removed
 */
export async function writeArchive(file, { entries, folder, timeSeconds, work }) {
  rmSync(work, { recursive: true, force: true });
  for (const entry of entries) layOut(join(work, folder, entry.path), entry);
  const args = [
    '--create',
    ...REPRODUCIBLE,
    '--mode=u=rwX,go=rX',
    `--mtime=@${timeSeconds}`,
    '--directory',
    work,
    folder,
  ];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(tar, 'close');
  await pipeline(tar.stdout, createGzip({ level: 9 }), createWriteStream(file));
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code}; a release needs GNU tar`);
  rmSync(work, { recursive: true });
}

function layOut(path, { data, from, link, isExecutable }) {
  mkdirSync(dirname(path), { recursive: true });
  if (link !== undefined) return symlinkSync(link, path);
  if (from === undefined) writeFileSync(path, data);
  else copyFileSync(from, path);
  chmodSync(path, isExecutable ? 0o755 : 0o644);
}
