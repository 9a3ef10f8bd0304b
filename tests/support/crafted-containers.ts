import { randomBytes } from 'node:crypto';
import { encodeBase64Url } from '@satchel/container/base64url';
import { encodeHeader } from '@satchel/container/format';
import { type FolderKeys, importKeys, newFolderKey, newKeyShare, newLinkSecret } from '@satchel/container/key';
import { sealKeyring } from '@satchel/container/keyring';
import { createSealer } from '@satchel/container/seal';
import { type CreatedFolder, type Person, runTus, type SignInTarget } from './people.ts';

/** Encrypted folders with damaged files, sealed under the folder's own key: no honest browser uploads these. */

export interface SealedFolder extends CreatedFolder {
  /** Its full link, with the secret. */
  readonly link: string;
  readonly keys: FolderKeys;
  /** 128 hex characters. */
  readonly keyText: string;
}

/** Creates a private folder like browsers before labels existed: damaged files open as far as possible. */
export async function createSealedFolder(site: SignInTarget, person: Person, name: string): Promise<SealedFolder> {
  const [key, secret, share] = [newFolderKey(), newLinkSecret(), newKeyShare()];
  const response = await person.rpc('create_folder_with_temp_key', {
    folder_name: name,
    sealed_key: await sealKeyring({ ring: { keys: [key], hidesNames: true, hasEarlierFiles: true }, secret, share }),
    key_share: encodeBase64Url(share),
  });
  if (response.status !== 201) throw new Error(`no folder: ${response.status} ${await response.text()}`);
  const { folder } = (await response.json()) as { folder: CreatedFolder };
  const link = `${site.url}/f/${folder.slug}#k=${encodeBase64Url(secret)}`;
  return { ...folder, link, keys: await importKeys(key), keyText: Buffer.from(key).toString('hex') };
}

/** Uploads bytes as they are, under a stored name that reads `{name}.txt`. */
export async function putContainer(
  site: SignInTarget,
  person: Person,
  { folder, name, bytes }: { folder: SealedFolder; name: string; bytes: Buffer },
): Promise<void> {
  const path = `${folder.bucket_storage_path}/${name}.txt_1763750000000_abcdefgh.enc`;
  const { error } = await runTus({ url: site.url, person, path }, bytes);
  if (error) throw error;
}

const CHUNK_BYTES = 32;
const CHUNKS = 4;

export interface ContainerParts {
  readonly prefix: Buffer;
  readonly chunks: readonly Buffer[];
}

/** The parts of a valid container of `thing.bin`: header, then four chunks of 32 bytes. */
export async function containerParts(keys: FolderKeys): Promise<ContainerParts> {
  const decoded = encodeHeader({
    baseCounter: new Uint8Array(randomBytes(8)),
    chunkSize: CHUNK_BYTES,
    totalChunks: CHUNKS,
    originalSize: CHUNK_BYTES * CHUNKS,
    originalName: 'thing.bin',
    originalType: 'application/octet-stream',
    mac: 'file',
    sealed: null,
  });
  const sealer = await createSealer(keys, decoded);
  const chunks: Buffer[] = [];
  for (let index = 0; index < CHUNKS; index++) {
    const { bytes } = await sealer.sealChunk(index, new Uint8Array(randomBytes(CHUNK_BYTES)));
    chunks.push(Buffer.from(bytes));
  }
  return { prefix: Buffer.from(decoded.prefix), chunks };
}

/** Joins the parts into a container. */
export const joined = ({ prefix, chunks }: ContainerParts): Buffer => Buffer.concat([prefix, ...chunks]);

/** Changes a header's contents, not its length. */
export function editedHeader(prefix: Buffer, from: string, to: string): Buffer {
  const text = prefix.toString('latin1');
  if (!text.includes(from) || to.length > from.length) throw new Error(`can’t make ${from} into ${to}`);
  return Buffer.from(text.replace(from, to.padEnd(from.length)), 'latin1');
}

/** A valid container of one chunk, whose header has this name and type; no honest browser makes it. */
export async function sealedContainer(
  keys: FolderKeys,
  { name, type, content }: { name: string; type: string; content: Buffer },
): Promise<Buffer> {
  const decoded = encodeHeader({
    baseCounter: new Uint8Array(randomBytes(8)),
    chunkSize: Math.max(32 * 1024, content.length),
    totalChunks: 1,
    originalSize: content.length,
    originalName: name,
    originalType: type,
    mac: 'file',
    sealed: null,
  });
  const sealer = await createSealer(keys, decoded);
  const { bytes } = await sealer.sealChunk(0, new Uint8Array(content));
  return Buffer.concat([decoded.prefix, bytes]);
}
