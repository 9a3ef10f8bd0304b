import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readFile, realpath, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fetchStored } from '@satchel/client/open/fetch-stored';
import { readMediaEntry } from '@satchel/client/open/media-entry';
import { openRange } from '@satchel/client/open/open-range';
import { createZipNames, systemFileName, zipFileName } from '@satchel/client/open/zip-names';
import { AppError } from '@satchel/contract/errors';
import { MIB, RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { FILE_MODE, hashName, openDirectory, removeState, syncFolder } from './device/state-folder.ts';
import { type ListedFile, openFolder, readFiles } from './folder.ts';
import { collectAfter, release } from './memory.ts';
import { CommandError, EXIT, type ExitCode, failureOf, UsageError } from './outcome.ts';
import type { Site } from './site.ts';
import { createProgress, print, say } from './terminal.ts';

/** `satchel get`: files of a folder onto the disk, each under its name only once all of it is proven. */

export interface GetWish {
  readonly slug: string;
  readonly hash: string;
  /** The directory that files go into. */
  readonly into: string;
  readonly only: readonly string[];
  readonly overwrites: boolean;
  readonly passphraseFile?: string;
}

export interface GetResult {
  readonly exitCode: ExitCode;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly there: number;
  readonly failed: readonly { readonly path: string; readonly code: string; readonly reason: string }[];
}

/** What one digest of a part's journal covers. */
const PIECE_BYTES = 4 * MIB;
const DIGEST_BYTES = 32;
const LANES = 3;
const NEVER = new AbortController().signal;

type Bytes = Uint8Array<ArrayBuffer>;

/** The plaintext of a file from a place on, each byte proven by its label and its chunk; as it came in a plain folder. */
async function* plaintext({ line, origin }: Site, file: ListedFile, from: number): AsyncGenerator<readonly Bytes[]> {
  const { proof, url, name, entry, sizeBytes } = file;
  if (proof !== null) {
    const media = await readMediaEntry({ url, entry, proof }, { ...line, origin, retryDelaysMs: RETRY_DELAYS_MS });
    for await (const unit of openRange(media, from, sizeBytes, { ...line, signal: NEVER }).units) {
      yield unit;
      for (const chunk of unit) release(chunk);
    }
    return;
  }
  if (from >= sizeBytes) return;
  const wish = { headers: { Range: `bytes=${from}-` } };
  const { body, status } = await fetchStored({ url, name }, { ...line, retryDelaysMs: RETRY_DELAYS_MS }, wish);
  if (status !== 206) throw new AppError('download.file_failed', { name, message: `HTTP ${status}` });
  let at = from;
  try {
    for await (const part of body) {
      at += part.length;
      yield [part];
    }
  } catch (error) {
    throw new AppError('download.file_failed', { name, message: '' }, { cause: error });
  }
  if (at !== sizeBytes)
    throw new AppError('download.file_failed', { name, message: 'it is incomplete' }, { cause: at });
}

/** Reads what a part or a finished file has, as far as the journal's digests prove it. */
async function provenBytes(file: FileHandle, digests: Buffer, sizeBytes: number): Promise<number> {
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let at = 0, index = 0; at < sizeBytes; at += PIECE_BYTES, index += 1) {
    const length = Math.min(PIECE_BYTES, sizeBytes - at);
    const { bytesRead } = await file.read(piece, 0, length, at);
    const known = digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    const isSame = createHash('sha256').update(piece.subarray(0, bytesRead)).digest().equals(known);
    if (bytesRead < length || !isSame) return at;
  }
  return sizeBytes;
}

/** Which file of which upload a part is of: another upload of the same name is another file. */
const identityOf = ({ proof, entry, sizeBytes }: ListedFile): string =>
  hashName(proof?.header ?? entry.id, entry.name, String(sizeBytes));

/**
 * Reads the journal of one file: digests of the pieces that were proven. A part of an interrupted command is used as far as these
 * digests match, so that no byte of another program, and none that a power cut lost, gets the file's name.
 * @returns null for the journal of another file, and where there is none
 */
async function readJournal(path: string, identity: string): Promise<Buffer | null> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return bytes.subarray(0, identity.length).toString() === identity ? bytes.subarray(identity.length) : null;
}

/** Writes a journal to the disk before its part is made, so that a later run knows the part as this command's own. */
async function openJournal(path: string, identity: string, digests: Buffer): Promise<FileHandle> {
  const log = await open(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
  const bytes = Buffer.concat([Buffer.from(identity), digests]);
  await log.write(bytes, 0, bytes.length, 0);
  await log.truncate(bytes.length);
  await log.sync();
  return log;
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** No link is followed to where the part lies; Windows has no such flag, and no such links for people without rights. */
const PART_FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

interface Place {
  /** The absolute path of the finished file. */
  readonly path: string;
  readonly journal: string;
}

/** @throws CommandError where a link leads out of the directory */
async function placeOf(root: string, relative: string, journals: string): Promise<Place> {
  const path = join(root, relative);
  await mkdir(dirname(path), { recursive: true });
  const folder = await realpath(dirname(path));
  if (folder !== root && !folder.startsWith(root.endsWith(sep) ? root : root + sep)) {
    throw new CommandError(EXIT.refused, 'get.outside', `${relative}: a link leads out of the directory`);
  }
  return { path, journal: join(journals, hashName(path)) };
}

/** Puts the finished part under its name. A link never replaces a file, as a rename would. */
async function finish(part: string, path: string, overwrites: boolean): Promise<void> {
  if (overwrites) await rename(part, path);
  else {
    await link(part, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw inTheWay(path);
      // A file system without links.
      if (await isThere(path)) throw inTheWay(path);
      await rename(part, path);
    });
    await rm(part, { force: true });
  }
  await syncFolder(dirname(path));
}

const inTheWay = (path: string) =>
  new CommandError(EXIT.refused, 'get.exists', `${path} is there already; -f overwrites it`);

/** @returns whether it was there already, whole, from an earlier run of the same command */
async function getFile(
  site: Site,
  file: ListedFile,
  { path, journal }: Place,
  overwrites: boolean,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  const part = `${path}.part`;
  const identity = identityOf(file);
  const known = await readJournal(journal, identity);
  if (await isThere(path)) {
    if (known?.length && (await isProven(path, known, file.sizeBytes))) return true;
    if (!overwrites) throw inTheWay(path);
  }
  if (known === null && !overwrites && (await isThere(part))) throw inTheWay(part);
  const log = await openJournal(journal, identity, known ?? Buffer.alloc(0));
  const output = await open(part, PART_FLAGS, 0o666);
  try {
    const from = await provenBytes(output, known ?? Buffer.alloc(0), file.sizeBytes);
    onBytes(from);
    await output.truncate(from);
    const pieces = from === file.sizeBytes ? Math.ceil(from / PIECE_BYTES) : from / PIECE_BYTES;
    const logAt = identity.length + pieces * DIGEST_BYTES;
    await log.truncate(logAt);
    await writePieces(plaintext(site, file, from), { output, log, from, logAt, onBytes });
    await output.sync();
  } finally {
    await Promise.all([output.close(), log.close()]);
  }
  if (file.modifiedMs !== null) await utimes(part, new Date(), new Date(file.modifiedMs));
  await finish(part, path, overwrites);
  return false;
}

async function isProven(path: string, digests: Buffer, sizeBytes: number): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return (await file.stat()).size === sizeBytes && (await provenBytes(file, digests, sizeBytes)) === sizeBytes;
  } finally {
    await file.close();
  }
}

interface Writing {
  readonly output: FileHandle;
  readonly log: FileHandle;
  /** A multiple of a piece, or the end of the file. */
  readonly from: number;
  readonly logAt: number;
  readonly onBytes: (bytes: number) => void;
}

/** Writes proven bytes, and the digest of each piece once it is whole. */
async function writePieces(
  units: AsyncIterable<readonly Bytes[]>,
  { output, log, from, logAt, onBytes }: Writing,
): Promise<void> {
  let [at, next] = [from, logAt];
  let hash = createHash('sha256');
  let hashed = 0;
  const note = async () => {
    await log.write(hash.digest(), 0, DIGEST_BYTES, next);
    next += DIGEST_BYTES;
    hash = createHash('sha256');
    hashed = 0;
  };
  for await (const unit of units) {
    for (const chunk of unit) {
      for (let start = 0; start < chunk.length; ) {
        const piece = chunk.subarray(start, start + PIECE_BYTES - hashed);
        await output.write(piece, 0, piece.length, at);
        hash.update(piece);
        hashed += piece.length;
        start += piece.length;
        at += piece.length;
        onBytes(piece.length);
        collectAfter(piece.length);
        if (hashed === PIECE_BYTES) await note();
      }
    }
  }
  // An empty file has a digest, too: it says that the file was proven.
  if (hashed > 0 || (from === 0 && next === logAt)) await note();
}

/** `*` and `?` stay within a directory, `**` does not. */
function patternOf(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|[*?]|[\\^$.+()|[\]{}]/g, (found) => {
    if (found === '*') return '[^/]*';
    if (found === '?') return '[^/]';
    return found.startsWith('**') ? '.*' : `\\${found}`;
  });
  return new RegExp(`^${source}$`, 'u');
}

/** Whether a file is meant by its path, by its name alone, or by a directory that it lies in. */
export function matches(only: readonly string[]): (file: Pick<ListedFile, 'path' | 'name'>) => boolean {
  const patterns = only.map(patternOf);
  return ({ path, name }) =>
    only.length === 0 ||
    patterns.some(
      (pattern, at) => pattern.test(path) || pattern.test(name) || path.startsWith(`${only[at]?.replace(/\/$/, '')}/`),
    );
}

/**
 * The files of a folder that a command is about.
 * @throws CommandError where there are none
 */
export async function findFiles(
  site: Site,
  { slug, hash, only, passphraseFile }: Omit<GetWish, 'into' | 'overwrites'>,
) {
  const opened = await openFolder(site, { slug, hash }, passphraseFile);
  const { files, foreign } = await readFiles(site, opened);
  if (foreign > 0)
    say(`warning: left out what is not from this folder, since its keys don’t vouch for it (entries: ${foreign})`);
  const wanted = files.filter(matches(only));
  if (wanted.length === 0 && only.length > 0) throw new CommandError(EXIT.refused, 'get.none', 'No file matches');
  return { opened, files: wanted, foreign };
}

/** Writes one file to stdout. Bytes leave as they are proven: exit code 4 says that the rest was not. */
export async function getToStdout(site: Site, wish: Omit<GetWish, 'into' | 'overwrites'>): Promise<void> {
  const { files } = await findFiles(site, wish);
  const [file, other] = files;
  if (file === undefined || other)
    throw new UsageError(`--stdout takes one file, and ${files.length} match: choose one with --only`);
  for await (const unit of plaintext(site, file, 0)) for (const chunk of unit) await print(chunk);
}

export async function get(site: Site, wish: GetWish): Promise<GetResult> {
  const { files, foreign } = await findFiles(site, wish);
  await mkdir(wish.into, { recursive: true });
  const root = await realpath(resolve(wish.into));
  const journals = await openDirectory(join(site.folder, 'gets'));
  const nameOf = createZipNames(files, process.platform === 'win32' ? zipFileName : systemFileName);
  const queue = files.map((file) => ({ file, relative: nameOf(file.name, file.directory) })).values();
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const progress = createProgress(files.length, total);
  const done: { path: string; size: number }[] = [];
  const failed: { path: string; code: string; reason: string; exitCode: ExitCode }[] = [];
  const written: string[] = [];
  let there = 0;
  async function lane(): Promise<void> {
    for (const { file, relative } of queue) {
      try {
        const place = await placeOf(root, relative, journals);
        const unlock = await site.hold(`get ${place.path}`);
        if (unlock === null)
          throw new CommandError(EXIT.refused, 'get.elsewhere', 'Another satchel is downloading this file already');
        try {
          if (await getFile(site, file, place, wish.overwrites, progress.addBytes)) there += 1;
        } finally {
          unlock();
        }
        written.push(place.journal);
        done.push({ path: place.path, size: file.sizeBytes });
        progress.addFile();
      } catch (error) {
        const { exitCode, code, message } = failureOf(error);
        // Without a line, no other file comes either.
        if (exitCode === EXIT.line) throw error;
        say(`${relative}: ${message}`);
        failed.push({ path: relative, code, reason: message, exitCode });
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane));
  const isForged = foreign > 0 && wish.only.length === 0;
  const worst = Math.max(isForged ? EXIT.forged : EXIT.done, ...failed.map(({ exitCode }) => exitCode)) as ExitCode;
  // Only a run that ended whole is over: until then, what is there counts as this command's own.
  if (worst === EXIT.done) for (const journal of written) await removeState(journal);
  return { exitCode: worst, files: done, there, failed };
}
