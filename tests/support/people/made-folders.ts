import { encodeBase64Url } from '@satchel/container/base64url';
import { encodeHeader } from '@satchel/container/format';
import {
  type FolderKeys,
  formatKey,
  hashProof,
  importKeys,
  newKeyShare,
  newLinkSecret,
  proveSecret,
} from '@satchel/container/key';
import { addFolderKey, type Keyring, newKeyring, sealingKeyOf, sealKeyring } from '@satchel/container/keyring';
import { hashHeader, sealLabel } from '@satchel/container/label';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';
import type { FileEntry } from '@satchel/contract/entities';
import { storedName } from '@satchel/contract/file-name';
import { extensionOf, randomBase62 } from '@satchel/contract/naming';
import { PATHS } from '@satchel/contract/paths';
import { derivePassphraseKey } from '../../../apps/web/src/engine/passphrase/derive-passphrase-key.ts';
import { answerOf, type CreatedFolder, createFolder, type Person, type SignInTarget } from './client.ts';
import { runTus } from './tus.ts';

/** Folders, links and files as the page makes them, without a page: for tests whose subject comes after them. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface FolderContent {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
  /** The directory that its label names; absent when it names no directory. */
  readonly directory?: string;
}

export interface FolderWish {
  readonly name: string;
  readonly description?: string;
  readonly files?: readonly FolderContent[];
  /** Private where left out. */
  readonly mode?: 'private' | 'discord' | 'plain';
  /** True where left out; a plain folder never hides them. */
  readonly hidesNames?: boolean;
  /** Of a private link. */
  readonly passphrase?: string;
}

/** A folder with its owner, who adds files and replaces its link. */
export interface OwnedFolder {
  readonly folder: CreatedFolder;
  /** The newest full link; without a key, the address. */
  link(): string;
  /** All of its keys, newest last; null for a plain folder. */
  ring(): Keyring | null;
  /** The server's part of the newest private link. */
  deposit(): { readonly sealed_key: string; readonly key_share: string };
  /** Uploads a file, sealed under the newest key. */
  add(file: FolderContent): Promise<void>;
  /** Makes another private link, with a key for later files; gives the full link. */
  replaceLink(passphrase?: string): Promise<string>;
  /** Leaves the keys with the server, so that the address alone opens the folder. */
  openToDiscord(): Promise<void>;
}

interface PrivateLink {
  readonly secret: Bytes;
  readonly fields: { readonly sealed_key: string; readonly key_share: string };
}

async function sealPrivateLink(ring: Keyring, passphrase: string | undefined): Promise<PrivateLink> {
  const [secret, share] = [newLinkSecret(), newKeyShare()];
  const key_share = encodeBase64Url(share);
  if (passphrase === undefined)
    return { secret, fields: { sealed_key: await sealKeyring({ ring, secret, share }), key_share } };
  const passphraseKey = await derivePassphraseKey({ passphrase, secret });
  const proof = { passphrase: true, proof_hash: await hashProof(await proveSecret({ secret, passphraseKey })) };
  return {
    secret,
    fields: { sealed_key: await sealKeyring({ ring, secret, share, passphraseKey }), key_share, ...proof },
  };
}

interface Sealing {
  readonly keys: FolderKeys;
  readonly hidesNames: boolean;
}

/** The bytes to store, and their metadata, under this stored name. */
async function sealed(
  { name, mimeType: type, buffer, directory = '' }: FolderContent,
  { keys, hidesNames }: Sealing,
  stored: string,
) {
  const plain = new Blob([new Uint8Array(buffer)]);
  const sizeBytes = plain.size;
  const decoded = encodeHeader(createHeader({ sizeBytes, name, type, hidesName: hidesNames }));
  const parts: Uint8Array[] = [decoded.prefix];
  for await (const unit of sealStream(await createSealer(keys, decoded), plain)) {
    for (const { bytes } of unit) parts.push(bytes);
  }
  const label = await sealLabel(
    keys,
    { name, type, sizeBytes, header: await hashHeader(decoded.prefix), directory },
    stored,
  );
  return { bytes: Buffer.concat(parts), contentType: hidesNames ? 'application/octet-stream' : type, sealed: label };
}

function storedNameOf(name: string, sealing: Sealing | null): string {
  if (sealing) return storedName(sealing.hidesNames ? randomBase62(16) : name, 'enc', Date.now());
  const extension = extensionOf(name);
  return storedName(extension === '' ? name : name.slice(0, -extension.length - 1), extension, Date.now());
}

/** Creates a folder with files, one after the other: lists keep the order of arrival. */
export async function createFolderAs(
  person: Person,
  site: SignInTarget,
  { name, description, files = [], mode = 'private', hidesNames = true, passphrase }: FolderWish,
): Promise<OwnedFolder> {
  let ring = mode === 'plain' ? null : newKeyring({ hidesNames });
  let link = ring && mode === 'private' ? await sealPrivateLink(ring, passphrase) : null;
  const folder = await createFolder(person, {
    folder_name: name,
    ...(description !== undefined && { folder_description: description }),
    hide_names: ring !== null && hidesNames,
    ...link?.fields,
    ...(ring && mode === 'discord' && { encryption_key: formatKey(sealingKeyOf(ring)) }),
  });
  const address = `${site.url}/f/${folder.slug}`;
  const linkNow = () => (link ? `${address}#k=${encodeBase64Url(link.secret)}` : address);

  async function add(file: FolderContent): Promise<void> {
    const sealing = ring && { keys: await importKeys(sealingKeyOf(ring)), hidesNames };
    const stored = storedNameOf(file.name, sealing);
    const path = `${folder.bucket_storage_path}/${stored}`;
    const { bytes, ...facts } = sealing
      ? await sealed(file, sealing, stored)
      : { bytes: file.buffer, contentType: file.mimeType };
    const metadata = { bucketName: 'unlocked-folders', objectName: path, cacheControl: '3600', ...facts };
    const { error } = await runTus({ url: site.url, person, path }, bytes, { metadata, retryDelays: [0, 1000, 3000] });
    if (error) throw error;
  }

  for (const file of files) await add(file);
  return {
    folder,
    link: linkNow,
    ring: () => ring,
    deposit() {
      if (!link) throw new Error('the folder has no private link');
      return link.fields;
    },
    add,
    async replaceLink(passphrase) {
      if (!ring) throw new Error('the folder is not encrypted');
      const next = addFolderKey(ring);
      const made = await sealPrivateLink(next, passphrase);
      await answerOf(await person.rpc('generate_temp_encryption_key', { folder_id: folder.id, ...made.fields }));
      [ring, link] = [next, made];
      return linkNow();
    },
    async openToDiscord() {
      if (!ring) throw new Error('the folder is not encrypted');
      const [encrypted_key, ...earlier_keys] = ring.keys.map(formatKey).toReversed();
      const keys = { encrypted_key, ...(earlier_keys.length > 0 && { earlier_keys }) };
      await answerOf(await person.rpc('generate_temp_encryption_key', { folder_id: folder.id, ...keys }));
      link = null;
    },
  };
}

/** A folder's files as the server lists them. @param prefix the folder's path in its bucket */
export const listFiles = async (person: Person, prefix: string): Promise<FileEntry[]> =>
  answerOf(await person.call('POST', `${PATHS.list}/unlocked-folders`, { prefix }));
