import { createHash, randomFillSync } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { Folder } from '@satchel/contract/entities';
import { eq, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { checkBlobs } from '../../src/admin/check-blobs.ts';
import { sweep } from '../../src/domain/sweep.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { uploads } from '../../src/platform/schema/files.ts';
import { creationHeaders, newPrivate } from './folders.ts';
import type { Account, TestApp } from './test-app.ts';

/** Shared by the tests of the storage and tus routes. */

export const BYTES_TYPE = 'application/offset+octet-stream';
export const RESUMABLE = '/storage/v1/upload/resumable';
export const OBJECT = '/storage/v1/object';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Random bytes, so that no other position has the same. */
export const someBytes = (length: number): Buffer<ArrayBuffer> => randomFillSync(Buffer.alloc(length));

/** The code of a refusal in the catalogue. */
export const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { code: string } }).error.code;

let made = 0;
/** An unused stored name. */
export const freshName = (): string => `file_${1_700_000_000_000 + made++}_abcdefgh.bin`;

export async function makeFolder(app: TestApp, as: Account, mode: 'plain' | 'private' = 'plain'): Promise<Folder> {
  const key = mode === 'plain' ? {} : newPrivate();
  const { status, body } = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', key, as);
  expect(status).toBe(201);
  return body.folder;
}

export async function deleteFolder(app: TestApp, as: Account, folder: Folder): Promise<void> {
  const { status } = await app.rpc('delete_folder_complete', { folder_id: folder.id }, as);
  expect(status).toBe(204);
}

/** Makes a folder expire. */
export async function expire(app: TestApp, folder: Folder): Promise<void> {
  await app.database.db.execute(
    sql`update folders set expires_at = clock_timestamp() - interval '1 second' where id = ${folder.id}::uuid`,
  );
}

export interface Creation {
  readonly name: string;
  readonly length: number;
  readonly folder: Folder;
  readonly metadata?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** tus calls by hand, for what tus-js-client never does. */
export function createTus(app: TestApp, as: Account | null) {
  const headers = { 'tus-resumable': '1.0.0', ...(as && { authorization: `Bearer ${as.bearer}` }) };
  const call = (
    method: string,
    url: string,
    more: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ) => fetch(url, { method, headers: { ...headers, ...more }, body: body ?? null });

  function post({ name, length, folder, metadata, headers: more, body }: Creation): Promise<Response> {
    const path = `${folder.bucket_storage_path}/${name}`;
    const pairs = { contentType: 'application/octet-stream', cacheControl: '3600', ...metadata };
    return call('POST', app.baseUrl + RESUMABLE, { ...creationHeaders(path, length, pairs), ...more }, body);
  }

  async function create(creation: Creation): Promise<string> {
    const response = await post(creation);
    expect(response.status, await response.text()).toBe(201);
    return response.headers.get('location')!;
  }

  const patch = (
    url: string,
    offset: number,
    body: Uint8Array<ArrayBuffer> | string,
    more: Record<string, string> = {},
  ) => call('PATCH', url, { 'upload-offset': String(offset), 'content-type': BYTES_TYPE, ...more }, body);

  async function offsetOf(url: string): Promise<number> {
    const response = await call('HEAD', url);
    expect(response.status).toBe(200);
    return Number(response.headers.get('upload-offset'));
  }

  return {
    call,
    post,
    create,
    patch,
    offsetOf,
    head: (url: string) => call('HEAD', url),
    terminate: (url: string) => call('DELETE', url),
    headers,
  };
}
export type Tus = ReturnType<typeof createTus>;

/** A PATCH whose body the test sends piece by piece. */
export interface SlowPatch {
  readonly outcome: Promise<{ status: number; body: string } | 'cut'>;
  send(bytes: Uint8Array): Promise<void>;
  end(): void;
  /** Drops the connection. */
  abort(): void;
}

export function openPatch(
  tus: Tus,
  url: string,
  offset: number,
  length: number,
  headers: Record<string, string> = {},
): SlowPatch {
  const outgoing: ClientRequest = request(url, {
    method: 'PATCH',
    headers: {
      ...tus.headers,
      'upload-offset': String(offset),
      'content-type': BYTES_TYPE,
      'content-length': String(length),
      ...headers,
    },
  });
  const outcome = new Promise<{ status: number; body: string } | 'cut'>((resolve) => {
    outgoing.on('response', async (response: IncomingMessage) => {
      let body = '';
      for await (const chunk of response.setEncoding('utf8')) body += chunk;
      resolve({ status: response.statusCode ?? 0, body });
    });
    outgoing.on('error', () => resolve('cut'));
  });
  outgoing.flushHeaders();
  return {
    outcome,
    send: (bytes) => new Promise((resolve) => outgoing.write(bytes, () => resolve())),
    end: () => outgoing.end(),
    abort: () => outgoing.destroy(),
  };
}

interface UploadState {
  readonly blob_key: string;
  readonly offset_bytes: number;
  readonly lease_epoch: number;
}

/** An upload's row in the database. */
export async function uploadState(app: TestApp, url: string): Promise<UploadState> {
  const [row] = await app.database.db
    .select()
    .from(uploads)
    .where(eq(uploads.id, url.split('/').at(-1)!));
  return row!;
}

async function until(app: TestApp, url: string, is: (state: UploadState) => boolean): Promise<UploadState> {
  for (;;) {
    const state = await uploadState(app, url);
    if (is(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until the acknowledged offset satisfies `is`. */
export const untilOffset = async (app: TestApp, url: string, is: (offset: number) => boolean): Promise<number> =>
  (await until(app, url, (state) => is(state.offset_bytes))).offset_bytes;

/** Waits until a request has taken the upload over. */
export const untilHeld = (app: TestApp, url: string): Promise<unknown> =>
  until(app, url, (state) => state.lease_epoch > 0);

export async function storedBlobs(app: TestApp): Promise<string[]> {
  const names = await readdir(join(app.config.dataDir, 'blobs'), { recursive: true }).catch(() => []);
  const keys = names.filter((name) => name.includes('/')).map((name) => name.split('/')[1]!.slice(0, 36));
  return [...new Set(keys)];
}

export const blobPath = (app: TestApp, blobKey: string): string =>
  join(app.config.dataDir, 'blobs', blobKey.slice(0, 2), blobKey);

export const blobBytes = async (app: TestApp, blobKey: string): Promise<number> =>
  (await stat(blobPath(app, blobKey))).size;

export async function accountOf(app: TestApp, { profile_id }: Account): Promise<{ used: number; reserved: number }> {
  const [row] = rowsOf<{ used_bytes: string; reserved_bytes: string }>(
    await app.database.db.execute(sql`select * from profiles where id = ${profile_id}::uuid`),
  );
  return { used: Number(row?.used_bytes), reserved: Number(row?.reserved_bytes) };
}

/** The bytes of all files, stills and open uploads are the bytes that were sent. */
export async function expectChecksums(app: TestApp): Promise<void> {
  const deps = { db: app.database.db, blobs: app.deps.blobs, pauseMs: 0, reads: 'hashes' as const };
  const { findings } = await checkBlobs(deps);
  expect(findings.filter(({ kind }) => kind.endsWith('_changed'))).toEqual([]);
}

/**
 * Used = Σ files and stills, reserved = Σ open uploads, folders count right, and every blob has a row or is queued for
 * deletion.
 */
export async function expectExactSums(app: TestApp): Promise<void> {
  const { db } = app.database;
  const wrongProfiles = await db.execute(sql`
    select p.used_bytes, p.reserved_bytes, f.bytes as files, u.bytes as uploads from profiles p
    cross join lateral (
      select coalesce(sum(files.size_bytes + coalesce(still_small_bytes + still_large_bytes, 0)), 0) as bytes
      from files join folders on folders.id = files.folder_id
      where folders.owner_profile_id = p.id
    ) f
    cross join lateral (
      select coalesce(sum(length_bytes), 0) as bytes from uploads where profile_id = p.id and completed_at is null
    ) u
    where p.used_bytes <> f.bytes or p.reserved_bytes <> u.bytes`);
  expect(rowsOf(wrongProfiles)).toEqual([]);
  const wrongFolders = await db.execute(sql`
    select folders.id from folders
    left join lateral (
      select coalesce(sum(size_bytes), 0) as bytes, count(*) as count from files where folder_id = folders.id
    ) f on true
    where folders.size_bytes <> f.bytes or folders.file_count <> f.count`);
  expect(rowsOf(wrongFolders)).toEqual([]);
  const known = rowsOf<{ blob_key: string }>(
    await db.execute(sql`
      select blob_key from files union select still_key from files where still_key is not null
      union select blob_key from uploads where completed_at is null
      union select blob_key from blob_removals`),
  ).map((row) => row.blob_key);
  expect(known).toEqual(expect.arrayContaining(await storedBlobs(app)));
}

/** Sweeps, and answers with what failed. */
export async function sweepAll(
  { database, deps, config }: TestApp,
  parts: Partial<Parameters<typeof sweep>[0]> = {},
): Promise<unknown[]> {
  const failures: unknown[] = [];
  await sweep({ ...deps, db: database.db, tiers: config.tiers, ...parts }, (error) => failures.push(error));
  return failures;
}

/** @returns what makes a new person each time: the account, a folder of theirs, and their uploads */
export function createOwners(app: () => TestApp) {
  let counter = 0;
  return async (mode?: 'private'): Promise<[Account, Folder, Tus]> => {
    const account = await app().signIn(`person ${counter++}`);
    return [account, await makeFolder(app(), account, mode), createTus(app(), account)];
  };
}

/** Uploads a whole file. @returns the address of its upload */
export async function upload(tus: Tus, folder: Folder, name: string, bytes: Buffer<ArrayBuffer>, headers = {}) {
  const url = await tus.create({ folder, name, length: bytes.length, headers });
  expect((await tus.patch(url, 0, bytes)).status).toBe(204);
  return url;
}

/** Creates an upload of random bytes in a new folder. `content` downloads what became of it. */
export async function createUploadOf(app: TestApp, as: Account, length: number) {
  const folder = await makeFolder(app, as);
  const name = freshName();
  const bytes = someBytes(length);
  const url = await createTus(app, as).create({ folder, name, length });
  /** Begins to read the file. */
  const open = async () => {
    const path = `${folder.bucket_storage_path}/${name}`;
    const response = await fetch(`${app.baseUrl}${OBJECT}/public/unlocked-folders/${path}`);
    expect(response.status).toBe(200);
    return response;
  };
  const content = async () => new Uint8Array(await (await open()).arrayBuffer());
  return { folder, bytes, url, open, content };
}
