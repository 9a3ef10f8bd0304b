import { join, resolve } from 'node:path';
import { createFolderMaker } from '@satchel/client/folders/create-folder';
import { derivePassphraseKey } from '@satchel/client/keys/derive-passphrase-key';
import { folderLink } from '@satchel/client/keys/folder-link';
import { passphraseFault } from '@satchel/client/keys/passphrase-fault';
import { createWindowMaker } from '@satchel/client/send/bytes/window-maker';
import { admit, placed } from '@satchel/client/send/list/admission';
import { SMALL_AT_ONCE } from '@satchel/client/send/list/turns';
import { asSent } from '@satchel/client/send/metadata/strip-metadata';
import { type ChosenFile, isSmall, type UploadFolder } from '@satchel/client/send/order';
import { transfer } from '@satchel/client/send/transfer';
import { type FolderKeys, importKeys } from '@satchel/container/key';
import type { NewLinkMode } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { pathKey } from '@satchel/contract/files/path-parts';
import { MIB } from '@satchel/contract/limits';
import { type Chosen, choosePaths, choosePipe, type Skipped } from './chosen.ts';
import { hashName, openDirectory, readState, removeOld, removeState, writeState } from './device/state-folder.ts';
import { openUploadLog } from './device/upload-log.ts';
import {
  type ListedFile,
  listFolders,
  type OpenedFolder,
  openFolder,
  openIfThere,
  readFiles,
  readPassphrase,
} from './folder.ts';
import type { GivenLink } from './links.ts';
import { collectAfter, release } from './memory.ts';
import { CommandError, EXIT, type ExitCode, failureOf, UsageError } from './outcome.ts';
import type { Site } from './site.ts';
import { askSecret, createProgress, say } from './terminal.ts';

/** `satchel put`: files into a folder, through the same pipeline as the page's. */

/** A new folder. */
export interface FolderWish {
  readonly name?: string;
  readonly lifetimeHours: number | null;
  readonly linkMode: NewLinkMode;
  readonly hidesNames: boolean;
  readonly passphrase: boolean;
  readonly passphraseFile?: string;
}

export interface PutWish extends FolderWish {
  /** `-` alone for stdin. */
  readonly paths: readonly string[];
  /** One's own folder, by its link or by its name; a new folder where left out. */
  readonly to?: GivenLink | string;
  readonly keepsMetadata: boolean;
}

export interface PutResult {
  readonly exitCode: ExitCode;
  readonly link: string;
  readonly folder: { readonly slug: string; readonly expires_at: string };
  /** Paths in the folder. */
  readonly uploaded: readonly string[];
  readonly there: number;
  readonly bytes: number;
  readonly skipped: readonly Skipped[];
}

/** Where a command that was interrupted put its files: the same command finds its folder by it. */
interface PutRecord {
  readonly slug: string;
  /** By the server's clock. */
  readonly since: string;
}

interface Target {
  readonly folder: UploadFolder;
  readonly keys: FolderKeys | null;
  readonly linkToken: string | null;
}

const BLOCKS = {
  revoked: 'The link of this folder was revoked: it takes no further uploads',
  needs_link: 'This device has no key for this folder. Give its full link with --to',
  new_link: 'The link of this folder was replaced. Give the new link with --to',
  not_plain: 'The server says that this folder is not encrypted, and this device knows that it is. Nothing was sent',
} as const;

/** What a folder is sealed with, as far as this device vouches for it. @throws CommandError */
async function targetOf({ data, keys, trust }: OpenedFolder): Promise<Target> {
  const { sealing } = trust;
  if (sealing.kind === 'blocked')
    throw new CommandError(EXIT.refused, `folder.${sealing.block}`, BLOCKS[sealing.block]);
  if (sealing.kind === 'asked') {
    const words =
      'The server and this device disagree about this folder. Open it in a browser, and answer the question there';
    throw new CommandError(EXIT.refused, 'folder.asked', words);
  }
  const isPlain = sealing.kind === 'plain';
  return {
    folder: {
      id: data.folder_id,
      slug: data.folder_slug,
      bucket: data.folder_bucket,
      bucket_storage_path: data.folder_bucket_storage_path,
      hide_names: !isPlain && sealing.hidesNames,
      link_mode: isPlain ? 'plain' : trust.mode,
      expires_at: data.folder_expires_at,
    },
    keys: isPlain || keys.sealingKey === null ? null : await importKeys(keys.sealingKey),
    linkToken: keys.known?.api_token ?? null,
  };
}

/** @throws UsageError where the passphrase protects too little */
async function newPassphrase({ passphrase, passphraseFile, name }: FolderWish): Promise<string | null> {
  if (!passphrase && passphraseFile === undefined) return null;
  const typed = await readPassphrase(passphraseFile);
  const fault = passphraseFault(typed, name ?? null);
  if (fault !== null)
    throw new UsageError(
      'this passphrase is too easy to guess: use at least 8 characters, and none of the common passphrases',
    );
  if (passphraseFile !== undefined) return typed;
  const again = await askSecret('The same passphrase again: ', '');
  if (again !== typed) throw new UsageError('the two passphrases are not the same');
  return typed;
}

/** Makes a folder, and opens it. @throws auth.required */
export async function makeFolder(site: Site, wish: FolderWish): Promise<OpenedFolder> {
  const make = createFolderMaker({ rpc: site.api.rpc, derivePassphraseKey, rememberKey: site.keys.rememberKey });
  const { folder } = await make(
    {
      name: wish.name ?? '',
      description: '',
      linkMode: wish.linkMode,
      hideNames: wish.hidesNames,
      passphrase: await newPassphrase(wish),
      lifetimeHours: wish.lifetimeHours,
    },
    requireUser(site),
  );
  return openFolder(site, { slug: folder.slug, hash: '' });
}

/** @throws auth.required for a visitor */
function requireUser({ userId }: Site): string {
  if (userId === null) throw new AppError('auth.required');
  return userId;
}

/** One's own folder by its name or slug. @throws CommandError */
async function ownFolder(site: Site, name: string): Promise<string> {
  const mine = await listFolders(site);
  const [found, other] = mine.filter((folder) => folder.name === name || folder.slug === name);
  if (found === undefined) throw new CommandError(EXIT.refused, 'folder.not_found', `You have no folder ${name}`);
  if (other)
    throw new CommandError(EXIT.refused, 'folder.ambiguous', `Several folders are called ${name}: give a link`);
  return found.slug;
}

/** Opens the folder that files go into: the one that `--to` names, the one of an interrupted run of the same command, or a new one. */
async function openTarget(site: Site, wish: PutWish, before: PutRecord | null): Promise<OpenedFolder> {
  if (wish.to !== undefined) {
    const link = typeof wish.to === 'string' ? { slug: await ownFolder(site, wish.to), hash: '' } : wish.to;
    return openFolder(site, link, wish.passphraseFile);
  }
  const again = before && (await openIfThere(site, { slug: before.slug, hash: '' }));
  return again ?? makeFolder(site, wish);
}

/** A file of the folder, as one that is on the list already. */
interface There {
  readonly name: string;
  readonly path: string;
  readonly file: Pick<File, 'name' | 'size' | 'lastModified'>;
}

/**
 * The folder's files as the admission compares them: of the same path, size and time is the same file. A label without a time (of
 * a photograph that went without its metadata), and a plain file, count as the same only where this command has sent them before.
 */
async function alreadyThere(
  listed: readonly ListedFile[],
  chosen: readonly ChosenFile[],
  isPlain: boolean,
  { strips, since }: { readonly strips: boolean; readonly since: string | null },
): Promise<There[]> {
  const own = new Map(chosen.map((one) => [pathKey(isPlain ? one.name : one.path), one]));
  const there: There[] = [];
  for (const { path, name, sizeBytes, modifiedMs, entry } of listed) {
    const same = own.get(pathKey(isPlain ? name : path));
    let times = { size: sizeBytes, lastModified: modifiedMs ?? -1 };
    if (same && modifiedMs === null && since !== null && Date.parse(entry.created_at) >= Date.parse(since)) {
      const { file } = await asSent(same.file, strips);
      if (file.size === sizeBytes) times = { size: same.file.size, lastModified: same.file.lastModified };
    }
    there.push({ name, path: isPlain ? (same?.path ?? name) : path, file: { name, ...times } });
  }
  return there;
}

/** After this many tries, which take about five minutes, a file is given up. */
const TRIES_MAX = 9;

/** Far less than a page's, whose journal makes a small write dear. A request carries four, so without a socket they are larger. */
const windowBytesFor = ({ openSocket }: Site['network']) => (openSocket === null ? 2 * MIB : MIB);

interface Sending {
  readonly site: Site;
  readonly target: Target;
  readonly userId: string;
  readonly strips: boolean;
  readonly onBytes: (bytes: number) => void;
}

/** Sends one file. @throws AppError why it could not be sent */
async function sendFile({ site, target, userId, strips, onBytes }: Sending, chosen: ChosenFile): Promise<void> {
  const given = Promise.withResolvers<never>();
  let sentBytes = 0;
  const sending = transfer({
    order: { ...chosen, ...target, strips, userId, addedAtMs: chosen.addedAtMs ?? Date.now() },
    recallFolder: (id, folder) => site.keys.recallFolder(id, folder),
    openLog: () => openUploadLog(site.folder),
    hold: site.hold,
    createMaker: (ingredients) => createWindowMaker(ingredients, release),
    windowBytes: windowBytesFor(site.network),
    network: site.network,
    bearer: site.bearer,
    isOnline: true,
    emit(event) {
      if (event.type === 'progress') {
        onBytes(event.bytesUploaded - sentBytes);
        collectAfter(event.bytesUploaded - sentBytes);
        sentBytes = event.bytesUploaded;
      }
      if (event.type === 'retry') {
        if (event.attempt > 1)
          say(`${chosen.path}: the server can't be reached; trying again in ${event.delayMs / 1000} s`);
        if (event.attempt > TRIES_MAX) {
          sending.tell({ type: 'cancelled' });
          given.reject(
            new CommandError(
              EXIT.line,
              'line',
              'The server can’t be reached. Run the same command again: it continues where it stopped',
            ),
          );
        }
      }
      if (event.type === 'afresh') say(`${chosen.path} has changed: its upload starts over`);
    },
  });
  await Promise.race([sending.done, given.promise]);
}

/** Sends files, as many small ones at once as the page, beside a large one. Stops at the first failure that isn't one file's own. */
export async function sendAll(sending: Omit<Sending, 'onBytes'>, files: readonly ChosenFile[]): Promise<Skipped[]> {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const skipped: Skipped[] = [];
  const progress = createProgress(files.length, total);
  const queueOf = (small: boolean) => files.filter((one) => isSmall(one) === small).values();
  async function lane(queue: Iterator<ChosenFile> & Iterable<ChosenFile>): Promise<void> {
    for (const chosen of queue) {
      try {
        await sendFile({ ...sending, onBytes: progress.addBytes }, chosen);
        progress.addFile();
      } catch (error) {
        // A file that can't be read, or that no folder takes, leaves the others.
        const { exitCode, message } = failureOf(error);
        const isOwn =
          error instanceof AppError &&
          /^(upload\.(changed_file|stream_size|too_large|elsewhere)|seal\.)/.test(error.code);
        if (!isOwn || exitCode === EXIT.line) throw error;
        skipped.push({ path: chosen.path, reason: message });
      }
    }
  }
  const small = queueOf(true);
  await Promise.all([lane(queueOf(false)), ...Array.from({ length: SMALL_AT_ONCE }, () => lane(small))]);
  return skipped;
}

const recordName = ({ paths, to, name, lifetimeHours, linkMode, hidesNames }: PutWish): string =>
  hashName(
    ...paths.map((path) => resolve(path)),
    JSON.stringify([typeof to === 'object' ? to.slug : to, name, lifetimeHours, linkMode, hidesNames]),
  );

/**
 * Uploads chosen files into a folder.
 * @param since when an interrupted run of the same command began, by the server's clock; null for the first run
 */
export async function putInto(
  site: Site,
  opened: OpenedFolder,
  chosen: Chosen,
  { strips, since }: { readonly strips: boolean; readonly since: string | null },
): Promise<PutResult> {
  const userId = requireUser(site);
  const { data, keys, trust } = opened;
  await purge(site, data);
  const target = await targetOf(opened);
  const isPlain = target.folder.link_mode === 'plain';
  const { files: listed } = await readFiles(site, opened);
  const files = chosen.files.map((one) => placed(one, { folder: target.folder, directory: '' }));
  const there = await alreadyThere(listed, files, isPlain, { strips, since });
  const rules = {
    folder: target.folder,
    maySeal: target.keys !== null,
    maxFileBytes: Number.POSITIVE_INFINITY,
    maxFiles: Number.POSITIVE_INFINITY,
    fileCount: 0,
  };
  const { admitted, rejected, repeated } = admit(files, rules, there);
  const fromMs = Date.now();
  const ordered = admitted.map((one, at) => ({ ...one, addedAtMs: fromMs + at }));
  const refused = rejected.map(({ name, error }) => ({ path: name, reason: error.message }));
  const skipped = [...chosen.skipped, ...refused, ...(await sendAll({ site, target, userId, strips }, ordered))];
  const isKeyless = trust.mode === 'plain' || trust.mode === 'discord';
  return {
    exitCode: skipped.length > 0 ? EXIT.refused : EXIT.done,
    link: folderLink(site.origin, data.folder_slug, isKeyless ? null : keys.secret),
    folder: { slug: data.folder_slug, expires_at: data.folder_expires_at },
    uploaded: ordered.map(({ path }) => path),
    there: repeated.length,
    bytes: ordered.reduce((sum, { file }) => sum + file.size, 0),
    skipped,
  };
}

/** Forgets uploads and keys of expired folders, and the records of interrupted commands that were never run again. */
async function purge(site: Site, { server_time }: OpenedFolder['data']): Promise<void> {
  // By the server's clock: this device's may be wrong, and keys can't be had again.
  const timeMs = Date.parse(server_time);
  await (await openUploadLog(site.folder)).purgeExpired(timeMs);
  await site.keys.purgeExpired(timeMs);
  await Promise.all(['puts', 'gets'].map((name) => removeOld(join(site.folder, name))));
}

/** @param root the folder of what this command keeps */
export async function put(site: Site, wish: PutWish, root: string): Promise<PutResult> {
  requireUser(site);
  const strips = !wish.keepsMetadata;
  const isPipe = wish.paths[0] === '-';
  const chosen = isPipe ? await choosePipe(root, process.stdin, wish.name) : await choosePaths(wish.paths);
  for (const path of chosen.leftOut) say(`left out: ${path}`);
  if (chosen.files.length === 0) {
    for (const { path, reason } of chosen.skipped) say(`skipped: ${path}: ${reason}`);
    throw new CommandError(EXIT.refused, 'put.nothing', 'None of these files can be read');
  }
  // A pipe can't be read twice, so a later run could not continue it.
  if (isPipe) return putInto(site, await openTarget(site, wish, null), chosen, { strips, since: null });
  const name = recordName(wish);
  const unlock = await site.hold(`put ${name}`);
  if (unlock === null) throw new CommandError(EXIT.refused, 'put.elsewhere', 'The same command is running already');
  try {
    const path = join(await openDirectory(join(site.folder, 'puts')), `${name}.json`);
    const before = await readState<PutRecord>(path);
    const opened = await openTarget(site, wish, before);
    const { folder_slug: slug, server_time } = opened.data;
    const since = before?.slug === slug ? before.since : null;
    if (since === null) await writeState(path, { slug, since: server_time } satisfies PutRecord);
    const result = await putInto(site, opened, chosen, { strips, since });
    await removeState(path);
    return result;
  } finally {
    unlock();
  }
}
