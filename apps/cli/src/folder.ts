import { readFile } from 'node:fs/promises';
import { listFiles } from '@satchel/client/folders/list-files';
import { createFolderLoader } from '@satchel/client/folders/load-folder';
import {
  NO_VERDICTS,
  proveEntries,
  type FolderTrust as ReadAs,
  verdictFor,
} from '@satchel/client/folders/proven-files';
import { derivePassphraseKey } from '@satchel/client/keys/derive-passphrase-key';
import { createFolderCrypto, isReplaced, type LoadedFolderKey } from '@satchel/client/keys/folder-crypto';
import { type FolderTrust, trustOf } from '@satchel/client/keys/folder-trust';
import { publicFileUrl } from '@satchel/client/open/file-url';
import { importKeyring } from '@satchel/container/keyring';
import { type FileProof, proveFile } from '@satchel/container/proof';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { joinPath } from '@satchel/contract/files/path-parts';
import { displayName } from '@satchel/contract/naming';
import { PATHS } from '@satchel/contract/paths';
import { UsageError } from './outcome.ts';
import type { Site } from './site.ts';
import { askSecret, readAll } from './terminal.ts';

/** A folder with its keys, as far as this device has them. */
export interface OpenedFolder {
  readonly data: FolderCompleteData;
  readonly keys: LoadedFolderKey;
  readonly trust: FolderTrust;
}

/** A file of a folder that its label has proven, or one of a plain folder. */
export interface ListedFile {
  readonly entry: FileEntry;
  readonly name: string;
  /** Empty for the folder itself. */
  readonly directory: string;
  readonly path: string;
  /** Of the plaintext. */
  readonly sizeBytes: number;
  readonly modifiedMs: number | null;
  readonly url: string;
  /** Null in a plain folder. */
  readonly proof: FileProof | null;
}

/** Where a passphrase comes from: a file, `-` for stdin; without one, the terminal. */
export async function readPassphrase(file: string | undefined): Promise<string> {
  if (file === undefined)
    return askSecret('Passphrase: ', 'without a terminal, give the passphrase by --passphrase-file');
  const text = file === '-' ? await readAll() : await readFile(file, 'utf8');
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase === '') throw new UsageError('the passphrase is empty');
  return passphrase;
}

const GONE = /^folder\.(not_found|expired|taken_down)$/;

/** What `openFolder` gives; null for a folder that has ended. @throws AppError for any other reason */
export async function openIfThere(...[site, link, passphraseFile]: Parameters<typeof openFolder>) {
  return openFolder(site, link, passphraseFile).catch((error: unknown) => {
    if (error instanceof AppError && GONE.test(error.code)) return null;
    throw error;
  });
}

/** The signed-in person's folders. */
export const listFolders = ({ api }: Site): Promise<Folder[]> => api.getJson<Folder[]>(`${PATHS.folders}?owner=me`);

/**
 * Loads a folder, and its keys by its link and by what this device remembers.
 * @throws folder.*; key.*
 */
export async function openFolder(
  site: Site,
  { slug, hash }: { readonly slug: string; readonly hash: string },
  passphraseFile?: string,
): Promise<OpenedFolder> {
  const load = createFolderLoader({ ...site.api, nowMs: Date.now });
  const data = await load(slug);
  if (!('folder_id' in data)) {
    await site.keys.expireSlug(slug);
    throw new AppError('folder.expired');
  }
  const request = { folder: data, userId: site.userId, hash };
  const crypto = createFolderCrypto({ fetch: site.fetch, keys: site.keys, derivePassphraseKey });
  let keys = await crypto.loadFolderKey(request);
  if (keys.ring === null && keys.needsPassphrase) {
    keys = await crypto.unlockFolderKey(request, await readPassphrase(passphraseFile));
  }
  const isOld = keys.knows.ring === 'own' && isReplaced(keys.known, data.temp_key_api_token);
  const says = { mode: data.folder_link_mode, hidesNames: data.hide_names };
  return { data, keys, trust: trustOf({ ...keys.knows, isReplaced: isOld }, says) };
}

/**
 * The files of a folder. Entries that its keys don't vouch for are counted, and never named.
 * @throws key.* where there is no key to prove files with
 */
export async function readFiles(
  { api }: Site,
  { data, keys, trust }: OpenedFolder,
): Promise<{ readonly files: readonly ListedFile[]; readonly foreign: number }> {
  const { folder_bucket: bucket, folder_bucket_storage_path: storagePath } = data;
  const encrypted = trust.readsAs === 'encrypted';
  if (encrypted && keys.ring === null) throw keys.error ?? new AppError('key.needs_link');
  const entries = await listFiles(api, { bucket, storagePath });
  const ring = encrypted && keys.ring !== null ? await importKeyring(keys.ring) : null;
  const verdicts = ring ? await proveEntries(proveFile, ring, { entries, known: NO_VERDICTS }) : NO_VERDICTS;
  const readAs: ReadAs = { encrypted, hasKeys: ring !== null };
  const files: ListedFile[] = [];
  let foreign = 0;
  for (const entry of entries) {
    const proof = verdictFor(entry, readAs, verdicts);
    if (proof === 'foreign') foreign += 1;
    else files.push(listed(entry, proof, publicFileUrl(bucket, storagePath, entry.name)));
  }
  return { files, foreign };
}

function listed(entry: FileEntry, proof: FileProof | null, url: string): ListedFile {
  const { name, directory = '', modifiedMs = null } = proof?.label ?? { name: displayName(entry.name) };
  const sizeBytes = proof?.sizeBytes ?? entry.metadata.size;
  return { entry, name, directory, path: joinPath(directory, name), sizeBytes, modifiedMs, url, proof };
}
