import { truncate } from 'node:fs/promises';
import type { Folder } from '@satchel/contract/entities';
import { KIB, MIB } from '@satchel/contract/limits';
import { StorageClient } from '@supabase/storage-js';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CLIENT_GATE } from '../../src/domain/base/client-gate.ts';
import { inTransaction } from '../../src/platform/database/db.ts';
import { creationHeaders } from '../support/folders.ts';
import {
  accountOf,
  blobPath,
  codeOf,
  createOwners,
  createTus,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  storedBlobs,
  upload,
  uploadState,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';
import { fileRow, stillOf, storeStills } from '../support/uploads/still-kit.ts';

const BUCKET = 'unlocked-folders';
const NAME = 'Übung (1) 100%_1700000000000_abcdefgh.pdf';

const app = await createTestApp();
const mika = await app.signIn('mika');
const jonas = await app.signIn('jonas');
const tus = createTus(app, mika);
const folder = await makeFolder(app, mika);

async function put(name: string, content = someBytes(1000), into = folder, metadata: Record<string, string> = {}) {
  const url = await tus.create({ folder: into, name, length: content.length, metadata });
  expect((await tus.patch(url, 0, content)).status).toBe(204);
  return url;
}

const bytes = someBytes(3 * MIB + 17);
await put(NAME, bytes, folder, { contentType: 'text/html' });

describe('storage routes', () => {
  const urlOf = (kind: string, { bucket_storage_path }: Folder, name: string) =>
    `${app.baseUrl}${OBJECT}${kind}/${BUCKET}/${bucket_storage_path}/${encodeURIComponent(name)}`;
  const bearer = (account: Account) => ({ authorization: `Bearer ${account.bearer}` });
  const json = (account?: Account) => ({ 'content-type': 'application/json', ...(account && bearer(account)) });
  const list = (body: unknown, bucket = BUCKET, headers = {}) =>
    fetch(`${app.baseUrl}${OBJECT}/list/${bucket}`, {
      method: 'POST',
      headers: { ...json(), ...headers },
      body: JSON.stringify(body),
    });
  const storageOf = (account: Account | null) =>
    new StorageClient(`${app.baseUrl}/storage/v1`, account ? bearer(account) : {}).from(BUCKET);

  afterEach(() => expectExactSums(app));

  describe('reading', () => {
    test('works for everyone who knows the path: the bytes, with headers that keep them from running here', async () => {
      for (const url of [urlOf('/public', folder, NAME), urlOf('', folder, NAME)]) {
        const response = await fetch(url);
        expect(response.status).toBe(200);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'text/html',
          'content-length': String(bytes.length),
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
          'content-disposition': `attachment; filename="_bung (1) 100_.pdf"; filename*=UTF-8''%C3%9Cbung%20%281%29%20100%25.pdf`,
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-cache',
          'cross-origin-resource-policy': 'same-origin',
          'accept-ranges': 'bytes',
          etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
        });
        expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), bytes)).toBe(0);
      }
    });

    test('HEAD says the same without the bytes, and ignores ranges', async () => {
      const response = await fetch(urlOf('/public', folder, NAME), { method: 'HEAD', headers: { range: 'bytes=0-1' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-length')).toBe(String(bytes.length));
    });

    test('any range is that part of the file', async () => {
      const url = urlOf('/public', folder, NAME);
      const position = fc.nat(bytes.length + 10);
      await fc.assert(
        fc.asyncProperty(fc.option(position), fc.option(position), async (first, last) => {
          fc.pre(first !== null || last !== null);
          fc.pre(first === null || last === null || first <= last);
          const response = await fetch(url, { headers: { range: `bytes=${first ?? ''}-${last ?? ''}` } });
          const body = Buffer.from(await response.arrayBuffer());
          const start = first ?? Math.max(0, bytes.length - last!);
          const end = first === null || last === null ? bytes.length : Math.min(last + 1, bytes.length);
          if (start >= end) {
            expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
            return;
          }
          expect(response.status).toBe(206);
          expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
          expect(Buffer.compare(body, bytes.subarray(start, end))).toBe(0);
        }),
        {
          numRuns: 40,
          examples: [
            [0, 0],
            [0, null],
            [null, 1],
            [bytes.length - 1, null],
            [512 * KIB, MIB - 1],
            [null, 0],
          ],
        },
      );
    });

    test('If-Range and If-None-Match go by the version', async () => {
      const url = urlOf('/public', folder, NAME);
      const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag')!;
      const ask = async (headers: Record<string, string>) => {
        const response = await fetch(url, { headers });
        return [response.status, (await response.arrayBuffer()).byteLength];
      };
      expect(await ask({ range: 'bytes=0-9', 'if-range': etag })).toEqual([206, 10]);
      expect(await ask({ range: 'bytes=0-9', 'if-range': '"another"' })).toEqual([200, bytes.length]);
      expect(await ask({ 'if-none-match': etag })).toEqual([304, 0]);
      expect(await ask({ 'if-none-match': `W/${etag}, "x"` })).toEqual([304, 0]);
      expect(await ask({ 'if-none-match': '"another"' })).toEqual([200, bytes.length]);
    });

    test('a missing file is 404, and one of a deleted folder', async () => {
      const missing = await fetch(urlOf('/public', folder, 'missing'));
      expect(missing.status).toBe(404);
      expect(await missing.json()).toEqual({
        statusCode: '404',
        message: 'Object not found',
        error: {
          code: 'storage.not_found',
          params: {},
          message: 'Object not found',
          status: 404,
          request_id: missing.headers.get('x-request-id'),
        },
      });
      const deleted = await makeFolder(app, mika);
      await put('a.txt', someBytes(10), deleted);
      await deleteFolder(app, mika, deleted);
      expect((await fetch(urlOf('/public', deleted, 'a.txt'))).status).toBe(404);
      expect((await list({ prefix: deleted.bucket_storage_path })).status).toBe(404);
    });

    test('a file whose bytes are cut ends as a broken connection, never as a short file', async () => {
      const url = await put('cut.bin', someBytes(4 * MIB));
      const { blob_key } = await uploadState(app, url);
      const response = await fetch(urlOf('/public', folder, 'cut.bin'));
      expect(response.status).toBe(200);
      await truncate(blobPath(app, blob_key), 1000);
      // Socket buffers hold less than the rest.
      await expect(response.arrayBuffer()).rejects.toThrow();
      const refused = await fetch(urlOf('/public', folder, 'cut.bin'));
      expect([refused.status, await codeOf(refused)]).toEqual([500, 'storage.damaged']);
      expect(app.log.some((line) => line.includes('BlobMissingError'))).toBe(true);
      expect(app.log.some((line) => line.includes('download broke off'))).toBe(true);
      expect(app.log.join('')).not.toContain(blobPath(app, blob_key));
    });

    test('a receiver that leaves frees the file', async () => {
      await put('left.bin', someBytes(8 * MIB));
      const controller = new AbortController();
      const response = await fetch(urlOf('/public', folder, 'left.bin'), { signal: controller.signal });
      await response.body!.getReader().read();
      controller.abort();
      expect((await fetch(urlOf('/public', folder, 'left.bin'), { method: 'HEAD' })).status).toBe(200);
    });
  });

  describe('listing', () => {
    test('a folder by its exact prefix, sorted and in pages', async () => {
      const listed = await makeFolder(app, mika);
      for (const name of ['b.txt', 'a.txt', 'B.txt', 'c.txt']) await put(name, someBytes(10), listed);
      const prefix = listed.bucket_storage_path;
      const names = async (body: object) =>
        ((await (await list({ prefix, ...body })).json()) as { name: string }[]).map(({ name }) => name);
      expect(await names({})).toEqual(['B.txt', 'a.txt', 'b.txt', 'c.txt']);
      expect(await names({ prefix: `${prefix}/` })).toHaveLength(4);
      expect(await names({ limit: 2, offset: 1 })).toEqual(['a.txt', 'b.txt']);
      expect(await names({ sortBy: { column: 'name', order: 'desc' } })).toEqual(['c.txt', 'b.txt', 'a.txt', 'B.txt']);
      expect(await names({ sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
        'b.txt',
        'a.txt',
        'B.txt',
        'c.txt',
      ]);
    });

    test('an entry has size, type, version and sealed label', async () => {
      const listed = await makeFolder(app, mika, 'private');
      const name = 'abcdefghabcdefgh_1700000000000_abcdefgh.enc';
      await put(name, someBytes(300), listed, { sealed: '2.c2VhbGVk' });
      const [entry] = (await (await list({ prefix: listed.bucket_storage_path })).json()) as object[];
      const head = await fetch(urlOf('/public', listed, name), { method: 'HEAD' });
      expect(entry).toMatchObject({
        name,
        metadata: {
          size: 300,
          mimetype: 'application/octet-stream',
          eTag: head.headers.get('etag'),
          sealed: '2.c2VhbGVk',
        },
      });
      expect(head.headers.get('content-disposition')).toContain(`filename="${name}"`);
    });

    test.each([
      ['gzip, br', 'gzip'],
      ['gzip;q=0, br', null],
      ['identity', null],
    ])('for a client that accepts "%s" is encoded as %s', async (accepted, encoding) => {
      const listed = await makeFolder(app, mika);
      for (const name of 'abcdef') await put(`note ${name}.txt`, someBytes(10), listed);
      const response = await list({ prefix: listed.bucket_storage_path }, BUCKET, { 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toContain('accept-encoding');
      expect(await response.json()).toHaveLength(6);
    });

    test('takes nothing but an exact prefix', async () => {
      const prefix = folder.bucket_storage_path;
      expect((await list({ prefix: '' })).status).toBe(404);
      expect((await list({ prefix: prefix.slice(0, -1) })).status).toBe(404);
      expect((await list({ prefix: '%' })).status).toBe(404);
      expect((await list({ prefix: '../' })).status).toBe(400);
      expect((await list({ prefix: `${prefix}/x` })).status).toBe(400);
      expect(await codeOf(await list({ prefix }, 'files'))).toBe('storage.bucket_not_found');
      expect((await list({ prefix, limit: 1001 })).status).toBe(400);
      expect((await list({ prefix, limit: 'all' })).status).toBe(400);
    });
  });

  describe('signing', () => {
    const sign = (target: Folder, name: string, body: unknown) =>
      fetch(urlOf('/sign', target, name), { method: 'POST', headers: json(), body: JSON.stringify(body) });

    test('a signed URL gives this file, and no other', async () => {
      await put('other.bin');
      const { signedURL } = (await (await sign(folder, NAME, { expiresIn: 60 })).json()) as { signedURL: string };
      const token = new URL(signedURL, app.baseUrl).searchParams.get('token')!;
      const fetched = await fetch(`${urlOf('/sign', folder, NAME)}?token=${token}`);
      expect([fetched.status, (await fetched.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
      const other = await fetch(`${urlOf('/sign', folder, 'other.bin')}?token=${token}`);
      expect([other.status, await codeOf(other)]).toEqual([400, 'storage.bad_token']);
      expect((await fetch(`${urlOf('/sign', folder, NAME)}?token=${token}x`)).status).toBe(400);
      expect((await fetch(urlOf('/sign', folder, NAME))).status).toBe(400);
    });

    test('it ends with its folder', async () => {
      const short = await makeFolder(app, mika);
      await put('a.txt', someBytes(10), short);
      await app.database.db.execute(
        sql`update folders set expires_at = clock_timestamp() + interval '60 seconds' where id = ${short.id}::uuid`,
      );
      const { signedURL } = (await (await sign(short, 'a.txt', { expiresIn: 3600 })).json()) as { signedURL: string };
      const [payload = ''] = signedURL.split('token=')[1]!.split('.');
      const { expiresAtMs } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { expiresAtMs: number };
      expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + 60_000);
      await expire(app, short);
      expect((await fetch(`${app.baseUrl}/storage/v1${signedURL}`)).status).toBe(410);
      expect((await sign(short, 'a.txt', {})).status).toBe(410);
    });

    test('a missing file can’t be signed, nor any file for too long a time', async () => {
      expect((await sign(folder, 'missing', {})).status).toBe(404);
      for (const expiresIn of [0, -1, 604_801, 'long']) {
        expect((await sign(folder, NAME, { expiresIn })).status).toBe(400);
      }
    });
  });

  describe('removing', () => {
    const remove = (name: string, headers: Record<string, string>, from = folder) =>
      fetch(urlOf('', from, name), { method: 'DELETE', headers });
    const removeMany = (prefixes: string[], headers: Record<string, string>) =>
      fetch(`${app.baseUrl}${OBJECT}/${BUCKET}`, { method: 'DELETE', headers, body: JSON.stringify({ prefixes }) });

    test('frees quota and bytes at once', async () => {
      const before = await accountOf(app, mika);
      const url = await put('gone.txt', someBytes(5000));
      const { blob_key } = await uploadState(app, url);
      expect(await accountOf(app, mika)).toEqual({ ...before, used: before.used + 5000 });
      expect((await remove('gone.txt', bearer(mika))).status).toBe(200);
      expect(await accountOf(app, mika)).toEqual(before);
      expect(await storedBlobs(app)).not.toContain(blob_key);
      expect((await remove('gone.txt', bearer(mika))).status).toBe(404);
    });

    test('all or nothing: with one foreign path among one’s own, nothing is deleted', async () => {
      await put('mine.txt');
      const theirs = await makeFolder(app, jonas);
      const paths = [`${folder.bucket_storage_path}/mine.txt`, `${theirs.bucket_storage_path}/x.txt`];
      expect((await removeMany(paths, json(mika))).status).toBe(403);
      expect((await removeMany([...paths.slice(0, 1), 'nowhere/x'], json(mika))).status).toBe(404);
      expect((await removeMany([...paths.slice(0, 1), 'a/../b'], json(mika))).status).toBe(400);
      expect((await fetch(urlOf('/public', folder, 'mine.txt'))).status).toBe(200);
    });

    test('from several folders, without a deadlock with an upload', async () => {
      const other = await makeFolder(app, mika);
      await put('a.txt', someBytes(10));
      await put('b.txt', someBytes(10), other);
      const paths = [`${folder.bucket_storage_path}/a.txt`, `${other.bucket_storage_path}/b.txt`].sort();
      const [last] = [folder, other].sort((a, b) => (a.bucket_storage_path < b.bucket_storage_path ? 1 : -1));
      let removal: Promise<Response> | undefined;
      // Locks as a completion does: the folder first, then its owner's profile.
      await inTransaction(app.database.db, async (tx) => {
        await tx.execute(sql`select 1 from folders where id = ${last!.id}::uuid for update`);
        removal = removeMany(paths, json(mika));
        const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        await expect.poll(async () => (await app.query(waiting)).length).toBe(1);
        await tx.execute(sql`select 1 from profiles where id = ${mika.profile_id}::uuid for update nowait`);
      });
      expect((await removal!).status).toBe(200);
    });
  });

  test('storage-js, unchanged: list, download, sign, public URL, remove, and its errors carry our words', async () => {
    const own = await makeFolder(app, mika);
    const content = someBytes(70_000);
    const name = 'Ünïcode file (1)_1700000000000_abcdefgh.txt';
    await put(name, content, own, { contentType: 'text/plain' });
    const path = `${own.bucket_storage_path}/${name}`;
    const visitor = storageOf(null);

    const listed = await visitor.list(own.bucket_storage_path);
    expect(listed.error).toBeNull();
    expect(listed.data).toMatchObject([{ name, metadata: { size: content.length, mimetype: 'text/plain' } }]);

    const downloaded = await visitor.download(path);
    expect(Buffer.compare(Buffer.from(await downloaded.data!.arrayBuffer()), content)).toBe(0);
    const published = await fetch(visitor.getPublicUrl(path).data.publicUrl);
    expect((await published.arrayBuffer()).byteLength).toBe(content.length);
    const signed = await visitor.createSignedUrl(path, 60);
    expect(signed.error).toBeNull();
    const fetched = await fetch(signed.data!.signedUrl);
    expect([fetched.status, (await fetched.arrayBuffer()).byteLength]).toEqual([200, content.length]);

    const missing = await visitor.createSignedUrl(`${path}x`, 60);
    expect(missing.error).toMatchObject({ message: 'Object not found', status: 404, statusCode: '404' });
    const refused = await visitor.remove([path]);
    expect(refused.error).toMatchObject({ message: 'Authentication required', status: 401 });
    const foreign = await storageOf(jonas).remove([path]);
    expect(foreign.error).toMatchObject({ message: 'Only the folder owner can do this', status: 403 });

    const removed = await storageOf(mika).remove([path, `${path}x`]);
    expect(removed.error).toBeNull();
    expect(removed.data).toMatchObject([{ name }]);
    expect((await visitor.list(own.bucket_storage_path)).data).toEqual([]);
  });
});

test('reads that wait for a silent store let the other requests of their reader pass', async () => {
  const mika = await app.signIn('mika');
  const [folder, name, bytes] = [await makeFolder(app, mika), freshName(), someBytes(1000)];
  await upload(createTus(app, mika), folder, name, bytes);
  const { open: openBlob } = app.deps.blobs;
  const [silent, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let opened = 0;
  const blobs = {
    async open(...blob: Parameters<typeof openBlob>) {
      opened += 1;
      if (opened === CLIENT_GATE.running) waiting.resolve();
      await silent.promise;
      return openBlob(...blob);
    },
  };
  Object.assign(app.deps.blobs, blobs);
  const url = `${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;
  const reads = Array.from({ length: CLIENT_GATE.running }, async () => (await fetch(url)).arrayBuffer());
  await waiting.promise;
  const list = await fetch(`${app.baseUrl}${OBJECT}/list/unlocked-folders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prefix: folder.bucket_storage_path }),
  }).finally(() => silent.resolve());
  expect(list.status).toBe(200);
  for (const read of reads) expect(Buffer.compare(new Uint8Array(await read), bytes)).toBe(0);
  Object.assign(app.deps.blobs, { open: openBlob });
});

/** New labels for files (docs/container.md §2). Who may give them is in the route × role matrix. */
const newOwner = createOwners(() => app);
interface NewLabel {
  readonly name: string;
  readonly sealed: string;
  readonly earlier: string;
}

const relabel = (as: Account, folder: Folder, labels: readonly Partial<NewLabel>[]) =>
  fetch(`${app.baseUrl}${OBJECT}/unlocked-folders`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as.bearer}` },
    body: JSON.stringify({ prefix: folder.bucket_storage_path, labels }),
  });

/** Uploads a file with a label. @returns its stored name */
async function labelled(as: Account, folder: Folder, sealed: string): Promise<string> {
  const name = freshName().replace(/bin$/, 'enc');
  const path = `${folder.bucket_storage_path}/${name}`;
  const response = await fetch(`${app.baseUrl}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.bearer}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      ...creationHeaders(path, 50, { sealed }),
    },
    body: someBytes(50),
  });
  expect(response.status).toBe(201);
  return name;
}

describe('a new label', () => {
  test('takes the place of the one that the owner saw; bytes, still and stored name stay', async () => {
    const [owner, folder] = await newOwner('private');
    const [one, other] = [await labelled(owner, folder, '2.one'), await labelled(owner, folder, '2.other')];
    await storeStills(app, owner, folder, stillOf(one));
    const before = await fileRow(app, one);
    const response = await relabel(owner, folder, [{ name: one, sealed: '2.new', earlier: '2.one' }]);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: before.id, name: one, metadata: { sealed: '2.new', still: true } },
    ]);
    const { updated_at } = await fileRow(app, one);
    expect(await fileRow(app, one)).toEqual({ ...before, sealed: '2.new', updated_at });
    expect((await fileRow(app, other)).sealed).toBe('2.other');
  });

  test('for a file that was renamed or replaced since, or is gone, changes nothing and leaves the others their own', async () => {
    const [owner, folder] = await newOwner('private');
    const [one, other] = [await labelled(owner, folder, '2.one'), await labelled(owner, folder, '2.other')];
    const response = await relabel(owner, folder, [
      { name: one, sealed: '2.new', earlier: '2.stale' },
      { name: 'gone_1_abcdefgh.enc', sealed: '2.new', earlier: '2.gone' },
      { name: other, sealed: '2.new', earlier: '2.other' },
    ]);
    expect(((await response.json()) as { name: string }[]).map(({ name }) => name)).toEqual([other]);
    expect((await fileRow(app, one)).sealed).toBe('2.one');
  });

  test('of many files takes one statement, since uploads into the folder wait for it', async () => {
    const [owner, folder] = await newOwner('private');
    const names = await Promise.all(['2.a', '2.b', '2.c'].map((sealed) => labelled(owner, folder, sealed)));
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const labels = names.map((name, at) => ({ name, sealed: `2.new${at}`, earlier: `2.${'abc'[at]}` }));
    const response = await relabel(owner, folder, labels);
    const texts = query.mock.calls.map(([statement]) => (statement as unknown as { text?: string }).text ?? '');
    query.mockRestore();
    expect(((await response.json()) as unknown[]).length).toBe(3);
    expect(await Promise.all(names.map(async (name) => (await fileRow(app, name)).sealed))).toEqual([
      '2.new0',
      '2.new1',
      '2.new2',
    ]);
    expect(texts.filter((text) => text.startsWith('update "files"'))).toHaveLength(1);
  });

  test('of another folder’s file changes nothing', async () => {
    const [owner, folder] = await newOwner('private');
    const elsewhere = await makeFolder(app, owner, 'private');
    const name = await labelled(owner, elsewhere, '2.one');
    const response = await relabel(owner, folder, [{ name, sealed: '2.new', earlier: '2.one' }]);
    expect(await response.json()).toEqual([]);
    expect((await fileRow(app, name)).sealed).toBe('2.one');
  });

  test.each([
    ['too long', { sealed: `2.${'a'.repeat(2048)}` }],
    ['without a version', { sealed: 'abcd' }],
    ['with other characters', { sealed: '2.ab\u0000' }],
    ['for a label of the earlier form', { earlier: 'abcd' }],
    ['for a name with a NUL', { name: 'a\0.enc' }],
    ['for a name with half a character', { name: 'a\ud800.enc' }],
  ])('that is %s is refused', async (_what, changes) => {
    const [owner, folder] = await newOwner('private');
    const label = { name: 'a.enc', sealed: '2.new', earlier: '2.one', ...changes };
    const response = await relabel(owner, folder, [label]);
    expect([response.status, await codeOf(response)]).toEqual([400, 'request.invalid']);
  });

  test('is none for a plain file, and none in a folder that has expired', async () => {
    const [owner, plain] = await newOwner();
    const tus = createTus(app, owner);
    const name = freshName();
    await tus.post({
      folder: plain,
      name,
      length: 5,
      body: someBytes(5),
      headers: { 'content-type': 'application/offset+octet-stream' },
    });
    expect(await (await relabel(owner, plain, [{ name, sealed: '2.new', earlier: '2.one' }])).json()).toEqual([]);
    expect((await fileRow(app, name)).sealed).toBeNull();
    await expire(app, plain);
    expect((await relabel(owner, plain, [{ name, sealed: '2.new', earlier: '2.one' }])).status).toBe(410);
  });
});
