import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKET } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { deadline } from '@satchel/contract/testing/pace';
import { creationHeaders } from '../../apps/server/test/support/folders.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import {
  type CreatedFolder,
  createPlainFolder,
  type Person,
  pieceHeaders,
  type SignInTarget,
  signIn,
  tusHeaders,
} from '../support/people.ts';

/**
 * A person who uploads and reads while something fails, and remembers what was acknowledged. What is missing afterwards is
 * lost; a byte that was never sent, in an answer that ended well or broke off, is wrong.
 */

const KIB = 1024;
const PIECE_BYTES = 1024 * KIB;
const PATIENCE_MS = deadline(120);

interface KeptFile {
  readonly name: string;
  readonly bytes: Buffer;
}

interface KeptUpload extends KeptFile {
  /** Null until it is created. */
  url: string | null;
  acked: number;
}

export interface KeptFiles {
  readonly person: Person;
  readonly lost: string[];
  readonly wrong: string[];
  /** How many calls were answered in which way: a status, or `broken`. */
  readonly answers: Map<string, number>;
  /** The call that took longest. */
  longest(): { readonly ms: number; readonly method: string };
  /** Forgets the answers so far, and how long they took. */
  beginCount(): void;
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
  let begun: KeptUpload[] = [];
  const [lost, wrong]: [string[], string[]] = [[], []];
  const answers = new Map<string, number>();
  let made = 0;
  let longest = { ms: 0, method: '' };

  async function call(method: string, url: string, headers: Record<string, string>, body?: Buffer) {
    const startedMs = performance.now();
    const response = await fetch(url, {
      method,
      headers: { ...tusHeaders(person), ...headers },
      body: body ? new Uint8Array(body) : null,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch(() => null);
    const answer = response && (await collect(response));
    const ms = performance.now() - startedMs;
    if (ms > longest.ms) longest = { ms, method };
    const outcome = response && answer?.isWhole ? String(response.status) : 'broken';
    answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
    if (response?.status === 503 && !response.headers.has('retry-after'))
      wrong.push(`${method}: 503 without Retry-After`);
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

  function newUpload(sizeBytes: number): KeptUpload {
    made += 1;
    const name = `kept_${1_700_000_000_000 + made}_abcdefgh.bin`;
    return { name, bytes: randomBytesOf(sizeBytes), url: null, acked: 0 };
  }

  function end(upload: KeptUpload, isTaken: boolean): void {
    begun = begun.filter((other) => other !== upload);
    if (isTaken) files.push(upload);
  }

  /** Sends the rest of a created upload. @returns whether all of it was acknowledged */
  async function send(upload: KeptUpload): Promise<boolean> {
    while (upload.acked < upload.bytes.length) {
      const piece = upload.bytes.subarray(upload.acked, upload.acked + PIECE_BYTES);
      const { status, headers } = await call('PATCH', upload.url!, pieceHeaders(person, upload.acked), piece);
      if (status !== 204) return false;
      upload.acked = Number(headers?.get('upload-offset'));
    }
    end(upload, true);
    return true;
  }

  async function create(upload: KeptUpload): Promise<boolean> {
    const creation = creationHeaders(pathOf(upload.name), upload.bytes.length, {
      contentType: 'application/octet-stream',
    });
    const { status, headers } = await call('POST', `${site.url}${PATHS.resumable}`, creation);
    const url = headers?.get('location');
    if (status !== 201 || !url) return false;
    upload.url = url;
    begun.push(upload);
    return true;
  }

  async function upload(sizeBytes: number): Promise<boolean> {
    const one = newUpload(sizeBytes);
    return (await create(one)) && send(one);
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

  /** Sends what the server says that it does not have. @returns whether all of it was acknowledged */
  async function goOn(one: KeptUpload): Promise<boolean> {
    const { status, headers } = await call('HEAD', one.url!, {});
    if (status !== 200) return false;
    const offset = Number(headers?.get('upload-offset'));
    if (!(offset >= one.acked)) lost.push(`upload ${one.name}: ${offset} of ${one.acked} acknowledged bytes`);
    one.acked = offset;
    return send(one);
  }

  return {
    person,
    lost,
    wrong,
    answers,
    longest: () => longest,
    beginCount() {
      answers.clear();
      longest = { ms: 0, method: '' };
    },
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
      for (const one of [...begun]) {
        if (await goOn(one)) continue;
        lost.push(`upload ${one.name} does not continue at ${one.acked} acknowledged bytes`);
        end(one, false);
      }
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
        await sleep(100);
      }
      return performance.now() - startedMs;
    },
  };
}
