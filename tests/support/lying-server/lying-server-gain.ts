import type { FolderKeys } from '@satchel/container/key';
import { openContainer } from '@satchel/container/open';
import type { LyingServer, ReceivedRequest, ReceivedUpload } from './lying-server.ts';

/** A lying server's gain: plaintext, names, and files sealed under a key that it has. */

export interface TestFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export interface Gain {
  /** Parts of the files' contents, in any encoding. */
  readonly plaintextBytes: number;
  /** Requests that contain a file's name. */
  readonly clearNames: number;
  /** Uploads that open with a key of the server. */
  readonly sealedForServer: number;
  /** Uploads other than one of the files, sealed under the owner's key. */
  readonly notOwners: number;
}

export const NO_GAIN: Gain = { plaintextBytes: 0, clearNames: 0, sealedForServer: 0, notOwners: 0 };

const BLOCK_BYTES = 32;
const TELLING_WORD_LENGTH = 8;

/** The base64 of `bytes` at each alignment, without the characters shared with neighbouring bytes. */
function base64Spellings(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const whole = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** `bytes` in an address, a header or a body, read as Latin-1. */
function spellings(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  const text = bytes.toString('utf8');
  const texts = text.includes('\ufffd')
    ? []
    : [encodeURIComponent(text), encodeURI(text), JSON.stringify(text).slice(1, -1)];
  const escaped = [...text].map((char) =>
    char > '~' ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char,
  );
  return [bytes.toString('latin1'), hex, hex.toUpperCase(), ...texts, escaped.join(''), ...base64Spellings(bytes)];
}

/** tus metadata headers are base64; search their decoded values, too. */
function textOf({ method, url, headers, body }: ReceivedRequest): string {
  const metadata = (headers['upload-metadata'] ?? '')
    .split(/[ ,]/)
    .map((part) => Buffer.from(part, 'base64').toString('latin1'));
  return [method, url, JSON.stringify(headers), ...metadata, body.toString('latin1')].join('\n');
}

function plaintextBytes(texts: readonly string[], { buffer }: TestFile): number {
  let found = 0;
  for (let at = 0; at < buffer.length; at += BLOCK_BYTES) {
    const block = buffer.subarray(at, at + BLOCK_BYTES);
    const wanted = block.length < BLOCK_BYTES ? [] : spellings(block);
    if (wanted.some((spelling) => texts.some((text) => text.includes(spelling)))) found += block.length;
  }
  return found;
}

/** A word of a name reveals it, however the rest is encoded. */
function clearNames(texts: readonly string[], { name }: TestFile): number {
  const words = name.split(/[^a-z0-9]+/i).filter(({ length }) => length >= TELLING_WORD_LENGTH);
  const wanted = words.flatMap((word) => spellings(Buffer.from(word)));
  return texts.filter((text) => wanted.some((spelling) => text.includes(spelling))).length;
}

const streamOf = (bytes: Buffer): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new Blob([new Uint8Array(bytes)]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;

/** The plaintext of an upload, or null when this key does not open it. */
export async function opened(keys: FolderKeys, { bytes }: Pick<ReceivedUpload, 'bytes'>): Promise<Buffer | null> {
  try {
    const { plaintext } = await openContainer(keys, streamOf(bytes));
    const chunks: Uint8Array[] = [];
    for await (const some of plaintext) chunks.push(...some);
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}

export interface GainInput {
  /** Files that were chosen since the last `forget`. */
  readonly files: readonly TestFile[];
  /** The folder's keys, from its link. */
  readonly owners: readonly FolderKeys[];
  /** Keys that the server knows. */
  readonly servers: readonly FolderKeys[];
}

const anyOpens = async (keys: readonly FolderKeys[], upload: ReceivedUpload, isMeant: (bytes: Buffer) => boolean) => {
  const contents = await Promise.all(keys.map((key) => opened(key, upload)));
  return contents.some((content) => content !== null && isMeant(content));
};

/** The server's gain of these files. */
export async function gainOf(server: LyingServer, { files, owners, servers }: GainInput): Promise<Gain> {
  const texts = server.received().map(textOf);
  const uploads = server.uploads();
  const isChosen = (content: Buffer) => files.some(({ buffer }) => buffer.equals(content));
  const ofOwner = await Promise.all(uploads.map((upload) => anyOpens(owners, upload, isChosen)));
  const ofServer = await Promise.all(uploads.map((upload) => anyOpens(servers, upload, () => true)));
  const sum = (count: (texts: readonly string[], file: TestFile) => number) =>
    files.reduce((total, file) => total + count(texts, file), 0);
  return {
    plaintextBytes: sum(plaintextBytes),
    clearNames: sum(clearNames),
    sealedForServer: ofServer.filter(Boolean).length,
    notOwners: ofOwner.filter((isOwners) => !isOwners).length,
  };
}
