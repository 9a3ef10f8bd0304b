import { createHash, randomBytes } from 'node:crypto';
import { BUCKET } from '@satchel/contract/limits';
import { creationHeaders, newPrivate } from '../../apps/server/test/support/folders.ts';
import { sha256 } from '../support/files.ts';
import { OFFSET_BYTES, type Person, tusHeaders } from '../support/people.ts';

/** A client that records what the site has acknowledged, and afterwards requests all of it. */

const KIB = 1024;
const WHOLE_MAX_BYTES = 1024 * KIB;
const PATIENCE_MS = 30_000;
const FOLDERS_MAX = 5;

/** SHA-256 of a name's possible bytes; null: no file. One entry is certain; an unanswered call leaves several. */
type Contents = readonly (string | null)[];

interface OpenUpload {
  readonly url: string;
  readonly name: string;
  readonly bytes: Buffer<ArrayBuffer>;
  acked: number;
  /** Its cancellation had no answer. */
  mayBeGone: boolean;
}

interface Link {
  readonly token: string;
  readonly share: string;
}

interface KnownFolder {
  readonly id: string;
  readonly slug: string;
  readonly path: string;
  fate: 'kept' | 'gone' | 'unsure';
  readonly files: Map<string, Contents>;
  uploads: OpenUpload[];
  /** The link, null for none; 'unsure' after an unanswered call. Undefined for a plain folder. */
  link: Link | null | 'unsure' | undefined;
  /** Key shares of unanswered calls. */
  readonly possible: Set<string>;
}

export interface Tally {
  acts: number;
  /** Acknowledged, but missing. */
  readonly lost: string[];
  /** Still there after a deletion, or changed. */
  readonly wrong: string[];
}

/** The same seed gives the same numbers. */
export function createRandom(seed: string): () => number {
  let count = 0;
  return () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32LE() / 2 ** 32;
}

/** A call that was unanswered or refused: its effect is checked later. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** @param sendsWhole true for small files in the request that creates them, too */
export function createWorker(url: string, person: Person, seed: string, tally: Tally, sendsWhole = false) {
  const random = createRandom(seed);
  const folders: KnownFolder[] = [];
  const erased = new Set<string>();
  let token = person.token;
  let named = 0;
  let isOver = false;

  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const kept = (isPlain: boolean) =>
    folders.filter(({ fate, link }) => fate === 'kept' && (link === undefined) === isPlain);

  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | Buffer<ArrayBuffer>,
  ) {
    const address = path.startsWith('http') ? path : url + path;
    const init = { method, headers, body: body ?? null, signal: AbortSignal.timeout(PATIENCE_MS) };
    const response = await fetch(address, init).catch((error: unknown) => {
      throw new NoAnswer(`${method} ${path}`, { cause: error });
    });
    const bytes = Buffer.from(
      await response.arrayBuffer().catch((error: unknown) => {
        throw new NoAnswer(`${method} ${path}`, { cause: error });
      }),
    );
    if (response.status >= 500) throw new NoAnswer(`${method} ${path}: ${response.status}`);
    return { status: response.status, headers: response.headers, bytes };
  }

  async function rpc(name: string, input: unknown) {
    const headers = { origin: url, cookie: person.cookies(), 'content-type': 'application/json' };
    const { status, bytes } = await send('POST', `/rest/v1/rpc/${name}`, headers, JSON.stringify(input));
    return { status, body: bytes.length > 0 ? JSON.parse(bytes.toString()) : null };
  }

  const storage = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer<ArrayBuffer>,
  ) => send(method, path, { ...tusHeaders({ token }), ...headers }, body);

  /** A refusal of a call that must succeed counts as a loss. */
  function expectStatus(what: string, status: number, ...wanted: number[]): void {
    if (!wanted.includes(status)) tally.wrong.push(`${what} answered ${status}`);
  }

  async function makeFolder(isPlain: boolean): Promise<void> {
    const key = isPlain ? null : newPrivate();
    const { status, body } = await rpc('create_folder_with_temp_key', key ?? {});
    expectStatus('a new folder', status, 201);
    if (status !== 201) return;
    const { id, slug, bucket_storage_path: path } = body.folder;
    const link = key ? { token: body.temp_key_info.api_token as string, share: key.key_share } : undefined;
    folders.push({ id, slug, path, fate: 'kept', files: new Map(), uploads: [], link, possible: new Set() });
  }

  async function beginUpload(folder: KnownFolder): Promise<void> {
    const present = [...folder.files].filter(([, contents]) => contents.length === 1 && contents[0] !== null);
    const busy = new Set(folder.uploads.map(({ name }) => name));
    const old = random() < 0.25 ? pick(present.filter(([name]) => !busy.has(name)))?.[0] : undefined;
    const name = old ?? `file_${1_700_000_000_000 + named++}_abcdefgh.bin`;
    const bytes = Buffer.from(randomBytes(Math.ceil((20 + random() * 1500) * KIB)));
    const isWhole = sendsWhole && bytes.length <= WHOLE_MAX_BYTES && random() < 0.5;
    if (isWhole) folder.files.set(name, [...(folder.files.get(name) ?? [null]), sha256(bytes)]);
    const creation = {
      ...creationHeaders(`${folder.path}/${name}`, bytes.length, { contentType: 'application/octet-stream' }),
      'x-upsert': String(old !== undefined),
      ...(isWhole && { 'content-type': OFFSET_BYTES }),
    };
    const { status, headers } = await storage(
      'POST',
      '/storage/v1/upload/resumable',
      creation,
      isWhole ? bytes : undefined,
    );
    expectStatus('a new upload', status, 201);
    if (status !== 201) return;
    if (isWhole && Number(headers.get('upload-offset')) === bytes.length) {
      folder.files.set(name, [sha256(bytes)]);
      return;
    }
    const upload: OpenUpload = { url: headers.get('location')!, name, bytes, acked: 0, mayBeGone: false };
    folder.uploads.push(upload);
    await goOn(folder, upload, random() < 0.3 ? random() * bytes.length : bytes.length);
  }

  /** Sends up to `untilBytes` in pieces. */
  async function goOn(folder: KnownFolder, upload: OpenUpload, untilBytes: number): Promise<void> {
    const { bytes, name } = upload;
    while (upload.acked < untilBytes && !isOver) {
      const end = Math.min(bytes.length, upload.acked + Math.ceil((32 + random() * 400) * KIB));
      if (end === bytes.length) folder.files.set(name, [...(folder.files.get(name) ?? [null]), sha256(bytes)]);
      const { status, headers } = await storage(
        'PATCH',
        upload.url,
        { 'upload-offset': String(upload.acked), 'content-type': OFFSET_BYTES },
        bytes.subarray(upload.acked, end),
      );
      expectStatus('a piece', status, 204);
      if (status !== 204) return;
      upload.acked = Number(headers.get('upload-offset'));
    }
    if (upload.acked === bytes.length) finish(folder, upload);
  }

  function finish(folder: KnownFolder, upload: OpenUpload): void {
    folder.files.set(upload.name, [sha256(upload.bytes)]);
    folder.uploads = folder.uploads.filter((other) => other !== upload);
  }

  async function cancelUpload(folder: KnownFolder, upload: OpenUpload): Promise<void> {
    upload.mayBeGone = true;
    const { status } = await storage('DELETE', upload.url);
    expectStatus('a cancelled upload', status, 204);
    folder.uploads = folder.uploads.filter((other) => other !== upload);
  }

  async function deleteFile(folder: KnownFolder, name: string): Promise<void> {
    folder.files.set(name, [...(folder.files.get(name) ?? []), null]);
    const { status } = await storage('DELETE', `/storage/v1/object/${BUCKET}/${folder.path}/${name}`);
    expectStatus('a deleted file', status, 200);
    if (status === 200) folder.files.set(name, [null]);
  }

  const sharesOf = ({ link, possible }: KnownFolder) => [
    ...possible,
    ...(link && link !== 'unsure' ? [link.share] : []),
  ];

  async function deleteFolder(folder: KnownFolder): Promise<void> {
    folder.fate = 'unsure';
    const { status } = await rpc('delete_folder_complete', { folder_id: folder.id });
    expectStatus('a deleted folder', status, 204);
    folder.fate = 'gone';
    for (const gone of sharesOf(folder)) erased.add(gone);
  }

  /** Deletes only the key share that it replaces; the sweep deletes what an unanswered call left. */
  async function replaceLink(folder: KnownFolder): Promise<void> {
    const { link, possible } = folder;
    const old = link && link !== 'unsure' ? link.share : null;
    const next = newPrivate();
    if (old !== null) possible.add(old);
    possible.add(next.key_share);
    folder.link = 'unsure';
    const { status, body } = await rpc('generate_temp_encryption_key', { folder_id: folder.id, ...next });
    expectStatus('a new link', status, 201);
    if (status !== 201) return;
    folder.link = { token: body.api_token, share: next.key_share };
    possible.delete(next.key_share);
    if (old === null) return;
    possible.delete(old);
    erased.add(old);
  }

  async function revoke(folder: KnownFolder): Promise<void> {
    const before = sharesOf(folder);
    for (const possible of before) folder.possible.add(possible);
    folder.link = 'unsure';
    const { status } = await rpc('revoke_temp_encryption_key', { folder_id: folder.id });
    expectStatus('a revoked link', status, 200, 204);
    folder.link = null;
    folder.possible.clear();
    for (const gone of before) erased.add(gone);
  }

  async function act(): Promise<void> {
    const isPlain = random() < 0.7;
    const own = kept(isPlain);
    const folder = pick(own);
    const dice = random();
    if (!folder || (own.length < FOLDERS_MAX && dice < 0.15)) return makeFolder(isPlain);
    if (dice < 0.25) return deleteFolder(folder);
    if (!isPlain) {
      if (folder.link === null) return deleteFolder(folder);
      return dice < 0.75 ? replaceLink(folder) : revoke(folder);
    }
    const upload = pick(folder.uploads);
    if (upload && dice < 0.5) return goOn(folder, upload, upload.bytes.length);
    if (upload && dice < 0.55) return cancelUpload(folder, upload);
    const file = pick([...folder.files].filter(([, contents]) => contents.length === 1 && contents[0] !== null));
    const isBusy = folder.uploads.some(({ name }) => name === file?.[0]);
    if (file && !isBusy && dice < 0.7) return deleteFile(folder, file[0]);
    return beginUpload(folder);
  }

  /** Works until it is stopped, or a call is not answered. */
  async function work(): Promise<void> {
    isOver = false;
    while (!isOver) {
      try {
        await act();
        tally.acts += 1;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return;
      }
    }
  }

  async function checkUpload(folder: KnownFolder, upload: OpenUpload): Promise<void> {
    const { status, headers } = await storage('HEAD', upload.url);
    const forget = () => {
      folder.uploads = folder.uploads.filter((other) => other !== upload);
    };
    if (status === 404 || status === 410) {
      if (!upload.mayBeGone) tally.lost.push(`upload ${upload.url}: ${status}`);
      // Cancelling a complete upload deletes its file, too.
      folder.files.set(upload.name, [...(folder.files.get(upload.name) ?? []), null]);
      return forget();
    }
    const offset = Number(headers.get('upload-offset'));
    if (offset < upload.acked) tally.lost.push(`upload ${upload.url}: ${offset} of ${upload.acked} acknowledged bytes`);
    upload.acked = offset;
    upload.mayBeGone = false;
    if (offset === upload.bytes.length) finish(folder, upload);
  }

  async function checkFiles(folder: KnownFolder, isThorough: boolean): Promise<void> {
    const { status, bytes } = await storage(
      'POST',
      `/storage/v1/object/list/${BUCKET}`,
      { 'content-type': 'application/json' },
      JSON.stringify({ prefix: folder.path, limit: 1000 }),
    );
    expectStatus('a list', status, 200);
    const listed = new Set((JSON.parse(bytes.toString()) as { name: string }[]).map(({ name }) => name));
    for (const name of listed) if (!folder.files.has(name)) tally.wrong.push(`file ${name} was never finished`);
    for (const [name, contents] of folder.files) {
      if (!listed.has(name)) {
        if (!contents.includes(null)) tally.lost.push(`file ${folder.path}/${name}`);
        folder.files.set(name, [null]);
      } else if (contents.every((content) => content === null)) tally.wrong.push(`deleted file ${name} is back`);
      else if (isThorough || contents.length > 1 || random() < 0.2) {
        const found = await storage('GET', `/storage/v1/object/public/${BUCKET}/${folder.path}/${name}`);
        const hash = found.status === 200 ? sha256(found.bytes) : `answer ${found.status}`;
        if (!contents.includes(hash)) tally.wrong.push(`file ${folder.path}/${name} has other bytes (${hash})`);
        folder.files.set(name, [hash]);
      }
    }
  }

  async function checkLink(folder: KnownFolder, data: { temp_key_api_token: string | null }): Promise<void> {
    const { link, possible } = folder;
    const current = data.temp_key_api_token;
    const ask = async (of: string) => {
      const { status, bytes } = await send('GET', `/bot/${folder.slug}/${of}`, {});
      return status === 200 ? (JSON.parse(bytes.toString()).key_share as string) : null;
    };
    if (link === 'unsure') {
      const found = current === null ? null : await ask(current);
      if (current !== null && (found === null || !possible.has(found)))
        tally.lost.push(`key share of folder ${folder.id}`);
      for (const other of possible) if (other === found) possible.delete(other);
      folder.link = current !== null && found !== null ? { token: current, share: found } : null;
    } else if (link) {
      if ((await ask(link.token)) !== link.share) tally.lost.push(`key share of folder ${folder.id}`);
    } else if (current !== null) tally.wrong.push(`revoked link of folder ${folder.id} is back`);
  }

  /** Requests everything acknowledged, and resolves the unanswered calls. */
  async function check(isThorough: boolean): Promise<void> {
    const headers = { origin: url, cookie: person.cookies() };
    const session = await send('GET', '/auth/v1/session', headers);
    token = JSON.parse(session.bytes.toString()).session?.access_token ?? '';
    if (token === '') tally.lost.push('session');
    for (const folder of [...folders]) {
      const { status, body } = await rpc('get_folder_complete_data', { input_folder_slug: folder.slug });
      if (status === 404) {
        if (folder.fate === 'kept') tally.lost.push(`folder ${folder.id}`);
        if (folder.fate === 'unsure') for (const other of sharesOf(folder)) folder.possible.add(other);
        folders.splice(folders.indexOf(folder), 1);
        continue;
      }
      expectStatus('a folder', status, 200);
      if (folder.fate === 'gone') tally.wrong.push(`deleted folder ${folder.id} is back`);
      folder.fate = 'kept';
      if (folder.link !== undefined) {
        await checkLink(folder, body);
        continue;
      }
      for (const upload of [...folder.uploads]) await checkUpload(folder, upload);
      await checkFiles(folder, isThorough);
    }
  }

  /** A restarted site must answer each request. */
  async function answered(ask: () => Promise<void>): Promise<void> {
    await ask().catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      tally.wrong.push(`no answer: ${error.message}`);
    });
  }

  return {
    work,
    stop: () => {
      isOver = true;
    },
    check: (isThorough = false) => answered(() => check(isThorough)),
    /** Key shares whose deletion was acknowledged. */
    erased: (): ReadonlySet<string> => erased,
    /** Finishes every open upload, from the offset that the site reports. */
    finishAll: () =>
      answered(async () => {
        isOver = false;
        for (const folder of folders.filter(({ fate }) => fate === 'kept')) {
          for (const upload of [...folder.uploads]) await goOn(folder, upload, upload.bytes.length);
        }
      }),
    deleteAll: () =>
      answered(async () => {
        for (const folder of folders.filter(({ fate }) => fate === 'kept')) await deleteFolder(folder);
      }),
  };
}
export type Worker = ReturnType<typeof createWorker>;
