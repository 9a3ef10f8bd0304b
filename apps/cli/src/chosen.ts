import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { BYTES_TYPE, renderType } from '@satchel/client/open/render-type';
import { compareSegments, isSystemFile, nameBelow, segmentsOf } from '@satchel/client/send/list/chosen-paths';
import { CHOSEN_FILES_MAX, type ChosenFile } from '@satchel/client/send/order';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { extensionOf } from '@satchel/contract/naming';
import { FILE_MODE, namesIn, openDirectory } from './device/state-folder.ts';
import { openDiskFile } from './disk-file.ts';
import { UsageError } from './outcome.ts';

/** The files that a command line names. */
export interface Chosen {
  readonly files: readonly ChosenFile[];
  /** What could not be read, and why. */
  readonly skipped: readonly Skipped[];
  /** Links that lead out of the tree that was named, or to a directory; and what systems leave in directories. */
  readonly leftOut: readonly string[];
}

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

interface Found {
  /** Below what was named, with its name. */
  readonly path: string;
  readonly from: string;
}

interface Walk {
  readonly found: Found[];
  readonly skipped: Skipped[];
  readonly leftOut: string[];
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A link of a tree is followed to a file of the same tree only: it may lead anywhere, and in circles. */
async function isInside(root: string, path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => null);
  return Boolean(target?.startsWith(root + sep)) && (await stat(path)).isFile();
}

async function walk(root: string, folder: string, below: string, into: Walk): Promise<void> {
  const inside = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    into.skipped.push({ path: folder, reason: reasonOf(error) });
    return [];
  });
  for (const entry of inside) {
    const [from, path] = [join(folder, entry.name), `${below}/${entry.name}`];
    if (into.found.length > CHOSEN_FILES_MAX) throw new AppError('upload.too_many_chosen', { max: CHOSEN_FILES_MAX });
    if (entry.isDirectory()) await walk(root, from, path, into);
    else if (entry.isFile() ? !isSystemFile(path) : entry.isSymbolicLink() && (await isInside(root, from))) {
      into.found.push({ path, from });
    } else if (entry.isFile() || entry.isSymbolicLink()) into.leftOut.push(from);
    else into.skipped.push({ path: from, reason: 'neither file nor directory' });
  }
}

/** The ending says it, but for `.ts`, whose bytes do (`open/transport-stream.ts`). */
function typeOf(name: string): string {
  const type = /^m?ts$/.test(extensionOf(name)) ? '' : renderType(name, '');
  return type === BYTES_TYPE ? '' : type;
}

/** @throws UsageError where one that was named is not there */
export async function choosePaths(paths: readonly string[]): Promise<Chosen> {
  const into: Walk = { found: [], skipped: [], leftOut: [] };
  for (const path of paths) {
    const name = basename(resolve(path)) || 'files';
    const facts = await stat(path).catch((error: unknown) => {
      throw new UsageError(reasonOf(error));
    });
    if (facts.isDirectory()) await walk(await realpath(path), path, name, into);
    else into.found.push({ path: name, from: path });
  }
  const parted = into.found.map((one) => ({ ...one, segments: segmentsOf(one.path) }));
  parted.sort((one, other) => compareSegments(one.segments, other.segments));
  const roots = new Set(parted.map(({ segments }) => (segments.length > 1 ? segments[0] : '')));
  const files: ChosenFile[] = [];
  for (const { path, from, segments } of parted) {
    try {
      const own = segments.at(-1) ?? path;
      files.push({ file: await openDiskFile(from, own, typeOf(own)), path, name: nameBelow(path, roots.size > 1) });
    } catch (error) {
      into.skipped.push({ path: from, reason: reasonOf(error) });
    }
  }
  return { files, skipped: into.skipped, leftOut: into.leftOut };
}

/** More than this of a pipe goes by way of the disk: its length has to be known before its first byte is sent. */
const HELD_BYTES = 8 * MIB;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** The file that a pipe is kept in until it is sent; what killed commands left is removed. */
async function openSpool(root: string): Promise<string> {
  const folder = await openDirectory(join(root, 'pipes'));
  for (const name of await namesIn(folder)) {
    if (!isAlive(Number.parseInt(name, 10))) rmSync(join(folder, name), { force: true });
  }
  const path = join(folder, `${process.pid}-${randomUUID()}`);
  process.once('exit', () => rmSync(path, { force: true }));
  return path;
}

/** The names that a program which gives none would want, by the first bytes of its picture. */
const SIGNATURES = [
  [/^\x89PNG/, 'png'],
  [/^\xff\xd8\xff/, 'jpg'],
  [/^GIF8/, 'gif'],
  [/^RIFF.{4}WEBP/s, 'webp'],
  [/^%PDF-/, 'pdf'],
  [/^.{4}ftyp/s, 'mp4'],
] as const;

function pipeName(head: Buffer): string {
  const text = head.subarray(0, 16).toString('latin1');
  const [, extension] = SIGNATURES.find(([signature]) => signature.test(text)) ?? [];
  const stamp = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  return extension === undefined ? `stdin ${stamp}` : `${stamp}.${extension}`;
}

/** Reads a pipe to its end. @param name what its file is called; by its content where left out */
export async function choosePipe(root: string, pipe: AsyncIterable<Buffer>, name?: string): Promise<Chosen> {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let head = Buffer.alloc(0);
  let spool: string | null = null;
  let disk: ReturnType<typeof createWriteStream> | null = null;
  for await (const part of pipe) {
    if (head.length < 16) head = Buffer.concat([head, part]).subarray(0, 16);
    held.push(part);
    heldBytes += part.length;
    if (heldBytes <= HELD_BYTES) continue;
    spool ??= await openSpool(root);
    disk ??= createWriteStream(spool, { mode: FILE_MODE, flags: 'wx' });
    for (const one of held.splice(0)) if (!disk.write(one)) await once(disk, 'drain');
    heldBytes = HELD_BYTES;
  }
  if (disk !== null && spool !== null) {
    disk.end();
    await once(disk, 'close');
  }
  const own = name ?? pipeName(head);
  const parts = held.map((part) => new Uint8Array(part));
  const file =
    spool === null
      ? new File(parts, own, { type: typeOf(own), lastModified: Date.now() })
      : await openDiskFile(spool, own, typeOf(own));
  return { files: [{ file, path: own, name: own }], skipped: [], leftOut: [] };
}
