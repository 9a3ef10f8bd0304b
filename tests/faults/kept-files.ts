import { BUCKET } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { creationHeaders } from '../../apps/server/test/support/uploads/creation-headers.ts';
import { randomBytesOf, sha256 } from '../support/files/samples.ts';
import {
  type CreatedFolder,
  createPlainFolder,
  type Person,
  type SignInTarget,
  signIn,
} from '../support/people/client.ts';
import { pieceHeaders, tusHeaders } from '../support/people/tus.ts';

/**
 * A person who uploads and reads while something fails, and remembers what was acknowledged. What is missing afterwards is
 * lost; a byte that was never sent, in an answer that ended well or broke off, is wrong.
 */

const KIB = 1024;
const PIECE_BYTES = 1024 * KIB;
const PATIENCE_MS = 120_000;

interface KeptFile {
  readonly name: string;
  readonly bytes: Buffer;
}

interface BegunUpload extends KeptFile {
  readonly url: string;
  acked: number;
}

export interface KeptFiles {
  readonly person: Person;
  readonly lost: string[];
  readonly wrong: string[];
  /** How many calls were answered in which way: a status, or `broken`. */
  readonly answers: Map<string, number>;
  /** The longest that a call took. */
  longestMs(): number;
  files(): readonly KeptFile[];
  urlOf(file: KeptFile): string;
  /** @returns whether it was acknowledged to its end */
  upload(sizeBytes: number): Promise<boolean>;
  /** Reads one of the files, whole or a range of it. @returns whether the answer was whole */
  read(file: KeptFile, range?: { readonly start: number; readonly end: number }): Promise<boolean>;
  remove(file: KeptFile): Promise<boolean>;
  /** Sends the rest of what was begun, and reads all that is there: each has to be answered. */
  settle(): Promise<void>;
  /** Waits until a file is taken and read again. @returns how long that took */
  recovered(): Promise<number>;
}

async function collect(response: Response): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  try {
    if (response.body) for await (const chunk of response.body) parts.push(chunk);
    return { bytes: Buffer.concat(parts), isWhole: true };
  } catch {
    return { bytes: Buffer.concat(parts), isWhole: false };
  }
}

export async function keepFiles(site: SignInTarget, persona = 'mika'): Promise<KeptFiles> {
  const person = await signIn(site, persona);
  const folder: CreatedFolder = await createPlainFolder(person, 'Kept');
  const files: KeptFile[] = [];
  let begun: BegunUpload[] = [];
  const [lost, wrong]: [string[], string[]] = [[], []];
  const answers = new Map<string, number>();
  let made = 0;
  let longestMs = 0;

  async function call(method: string, url: string, headers: Record<string, string>, body?: Buffer) {
    const startedMs = performance.now();
    const response = await fetch(url, {
      method,
      headers: { ...tusHeaders(person), ...headers },
      body: body ? new Uint8Array(body) : null,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch(() => null);
    const answer = response && (await collect(response));
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    const outcome = response && answer?.isWhole ? String(response.status) : 'broken';
    answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
    return {
      status: response?.status ?? 0,
      headers: response?.headers,
      bytes: Buffer.alloc(0),
      isWhole: false,
      ...answer,
    };
  }

  const pathOf = (name: string) => `${folder.bucket_storage_path}/${name}`;
  const urlOf = (name: string) => `${site.url}/storage/v1/object/public/${BUCKET}/${pathOf(name)}`;

  /** Sends the rest. @returns whether all of it was acknowledged */
  async function send(upload: BegunUpload): Promise<boolean> {
    while (upload.acked < upload.bytes.length) {
      const piece = upload.bytes.subarray(upload.acked, upload.acked + PIECE_BYTES);
      const { status, headers: answered } = await call('PATCH', upload.url, pieceHeaders(person, upload.acked), piece);
      if (status !== 204) return false;
      upload.acked = Number(answered?.get('upload-offset'));
    }
    begun = begun.filter((other) => other !== upload);
    files.push(upload);
    return true;
  }

  async function begin(sizeBytes: number): Promise<BegunUpload | null> {
    made += 1;
    const name = `kept_${1_700_000_000_000 + made}_abcdefgh.bin`;
    const creation = creationHeaders(pathOf(name), sizeBytes, { contentType: 'application/octet-stream' });
    const { status, headers } = await call('POST', `${site.url}${PATHS.resumable}`, creation);
    const url = headers?.get('location');
    if (status !== 201 || !url) return null;
    const upload: BegunUpload = { name, bytes: randomBytesOf(sizeBytes), url, acked: 0 };
    begun.push(upload);
    return upload;
  }

  async function upload(sizeBytes: number): Promise<boolean> {
    const one = await begin(sizeBytes);
    return one !== null && send(one);
  }

  async function read({ name, bytes }: KeptFile, range?: { readonly start: number; readonly end: number }) {
    const { start, end } = range ?? { start: 0, end: bytes.length };
    const headers = range ? { range: `bytes=${start}-${end - 1}` } : {};
    const found = await call('GET', urlOf(name), headers as Record<string, string>);
    if (found.status !== 200 && found.status !== 206) return false;
    const wanted = bytes.subarray(start, end);
    if (!wanted.subarray(0, found.bytes.length).equals(found.bytes)) wrong.push(`${name} from ${start}: other bytes`);
    else if (found.isWhole && found.bytes.length !== wanted.length) wrong.push(`${name}: ended early, and well`);
    return found.isWhole;
  }

  async function goOn(one: BegunUpload): Promise<void> {
    const { status, headers } = await call('HEAD', one.url, {});
    const offset = Number(headers?.get('upload-offset'));
    if (status !== 200 || !(offset >= one.acked)) {
      lost.push(`upload ${one.name}: ${status}, ${offset} of ${one.acked} acknowledged bytes`);
      begun = begun.filter((other) => other !== one);
      return;
    }
    one.acked = offset;
    if (offset === one.bytes.length) {
      begun = begun.filter((other) => other !== one);
      files.push(one);
    } else if (!(await send(one))) lost.push(`upload ${one.name} does not go on`);
  }

  return {
    person,
    lost,
    wrong,
    answers,
    longestMs: () => longestMs,
    files: () => files,
    urlOf: ({ name }) => urlOf(name),
    upload,
    read,
    async remove(file) {
      const { status } = await call('DELETE', `${site.url}/storage/v1/object/${BUCKET}/${pathOf(file.name)}`, {});
      if (status === 200) files.splice(files.indexOf(file), 1);
      return status === 200;
    },
    async settle() {
      for (const one of [...begun]) await goOn(one);
      for (const file of files) {
        const { length } = wrong;
        if (!(await read(file)) && wrong.length === length) lost.push(`file ${file.name} (${sha256(file.bytes)})`);
      }
    },
    async recovered() {
      const startedMs = performance.now();
      while (!(await upload(10 * KIB)) || !(await read(files.at(-1)!))) {
        if (performance.now() - startedMs > PATIENCE_MS) {
          lost.push('it did not recover');
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return performance.now() - startedMs;
    },
  };
}
