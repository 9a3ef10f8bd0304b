import { createHash } from 'node:crypto';
import { MIB, maxSealedBytes } from '@satchel/contract/limits';
import { Upload } from 'tus-js-client';
import { afterEach, describe, expect, test } from 'vitest';
import {
  accountOf,
  BYTES_TYPE,
  base64,
  codeOf,
  createTus,
  deleteFolder,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  RESUMABLE,
  sha256,
  someBytes,
  storedBlobs,
} from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp({ env: { MAX_FILE_BYTES: '3MiB', FREE_STORAGE_BYTES: '40MiB' } });
const mika = await app.signIn('mika');
const jonas = await app.signIn('jonas');
const tus = createTus(app, mika);

describe('tus uploads', () => {
  afterEach(() => expectExactSums(app));

  const download = async (folder: { bucket_storage_path: string }, name: string) => {
    const response = await fetch(
      `${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`,
    );
    expect(response.status).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  };

  test('OPTIONS answers everyone with what the server supports', async () => {
    const response = await fetch(app.baseUrl + RESUMABLE, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,termination,checksum',
      'tus-checksum-algorithm': 'sha1,sha256',
      'tus-max-size': String(maxSealedBytes(3 * MIB)),
    });
  });

  test('a file in three pieces: created, patched, asked for, complete', async () => {
    const folder = await makeFolder(app, mika);
    const bytes = someBytes(2 * MIB + 321);
    const name = freshName();
    const account = await accountOf(app, mika);
    const created = await tus.post({ folder, name, length: bytes.length, metadata: { contentType: 'image/png' } });
    expect(created.status).toBe(201);
    const url = created.headers.get('location')!;
    expect(url).toMatch(new RegExp(`^${app.config.publicUrl}${RESUMABLE}/[0-9a-f-]{36}$`));
    expect(created.headers.get('upload-offset')).toBe('0');
    expect(Date.parse(created.headers.get('upload-expires')!)).toBeGreaterThan(Date.now());
    expect((await accountOf(app, mika)).reserved).toBe(account.reserved + bytes.length);

    for (const [from, to] of [
      [0, 1000],
      [1000, MIB],
      [MIB, bytes.length],
    ] as const) {
      const response = await tus.patch(url, from, bytes.subarray(from, to));
      expect(response.status).toBe(204);
      expect(response.headers.get('tus-resumable')).toBe('1.0.0');
      expect(response.headers.get('upload-offset')).toBe(String(to));
      const head = await tus.head(url);
      expect(head.headers.get('upload-offset')).toBe(String(to));
      expect(head.headers.get('upload-length')).toBe(String(bytes.length));
      expect(head.headers.get('cache-control')).toBe('no-store');
      expect(head.headers.get('upload-metadata')).toContain(`contentType ${base64('image/png')}`);
    }
    expect(sha256(await download(folder, name))).toBe(sha256(bytes));
    const listed = await app.call('GET', `/rest/v1/folders/${folder.slug}`);
    expect(await listed.json()).toMatchObject({ size_bytes: bytes.length, file_count: 1 });
  });

  test('a completed upload answers HEAD and an empty PATCH with its length, for a lost 204', async () => {
    const folder = await makeFolder(app, mika);
    const url = await tus.create({ folder, name: freshName(), length: 5 });
    expect((await tus.patch(url, 0, 'hello')).status).toBe(204);
    expect(await tus.offsetOf(url)).toBe(5);
    const again = await tus.patch(url, 5, '');
    expect([again.status, again.headers.get('upload-offset')]).toEqual([204, '5']);
    expect((await tus.patch(url, 0, 'hello')).status).toBe(409);
    expect((await tus.patch(url, 5, '!')).status).toBe(413);
  });

  test('creation-with-upload takes some or all of the bytes', async () => {
    const folder = await makeFolder(app, mika);
    const bytes = someBytes(100_000);
    const name = freshName();
    const headers = { 'content-type': BYTES_TYPE };
    const whole = await tus.post({ folder, name, length: bytes.length, headers, body: bytes });
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '100000']);
    expect(sha256(await download(folder, name))).toBe(sha256(bytes));

    const part = await tus.post({ folder, name: freshName(), length: 10, headers, body: bytes.subarray(0, 4) });
    expect([part.status, part.headers.get('upload-offset')]).toEqual([201, '4']);
    const url = part.headers.get('location')!;
    expect((await tus.patch(url, 4, bytes.subarray(4, 10))).status).toBe(204);
  });

  test('creation-with-upload that fails leaves nothing behind', async () => {
    const folder = await makeFolder(app, mika);
    const before = await storedState(app);
    const headers = { 'content-type': BYTES_TYPE };
    const tooLong = await tus.post({ folder, name: freshName(), length: 3, headers, body: someBytes(4) });
    expect([tooLong.status, await codeOf(tooLong)]).toEqual([413, 'upload.length_exceeded']);
    const checksum = `sha256 ${Buffer.alloc(32).toString('base64')}`;
    const summed = { ...headers, 'upload-checksum': checksum };
    const other = await tus.post({ folder, name: freshName(), length: 9, headers: summed, body: someBytes(4) });
    expect([other.status, await codeOf(other)]).toEqual([460, 'upload.checksum_mismatch']);
    expect(await storedState(app)).toEqual(before);
  });

  describe('checksums', () => {
    test.each(['sha1', 'sha256'])('a body that matches its %s is stored', async (algorithm) => {
      const folder = await makeFolder(app, mika);
      const bytes = someBytes(700_000);
      const url = await tus.create({ folder, name: freshName(), length: bytes.length });
      const digest = createHash(algorithm).update(bytes).digest('base64');
      const response = await tus.patch(url, 0, bytes, { 'upload-checksum': `${algorithm} ${digest}` });
      expect(response.status).toBe(204);
    });

    test('a body that does not match is dropped: 460, and the offset stays', async () => {
      const folder = await makeFolder(app, mika);
      const bytes = someBytes(2 * MIB);
      const name = freshName();
      const url = await tus.create({ folder, name, length: bytes.length });
      expect((await tus.patch(url, 0, bytes.subarray(0, 100))).status).toBe(204);
      const checksum = `sha256 ${Buffer.alloc(32).toString('base64')}`;
      const wrong = await tus.patch(url, 100, someBytes(2 * MIB - 100), { 'upload-checksum': checksum });
      expect([wrong.status, await codeOf(wrong)]).toEqual([460, 'upload.checksum_mismatch']);
      expect(await tus.offsetOf(url)).toBe(100);
      expect((await tus.patch(url, 100, bytes.subarray(100))).status).toBe(204);
      expect(sha256(await download(folder, name))).toBe(sha256(bytes));
    });
  });

  test('termination deletes an upload, and the file of a completed one', async () => {
    const folder = await makeFolder(app, mika);
    const before = await storedBlobs(app);
    const account = await accountOf(app, mika);
    const open = await tus.create({ folder, name: freshName(), length: 1000 });
    await tus.patch(open, 0, someBytes(10));
    const done = await tus.create({ folder, name: freshName(), length: 10 });
    await tus.patch(done, 0, someBytes(10));
    for (const url of [open, done]) {
      expect((await tus.terminate(url)).status).toBe(204);
      expect((await tus.head(url)).status).toBe(404);
      expect((await tus.terminate(url)).status).toBe(404);
    }
    expect(await accountOf(app, mika)).toEqual(account);
    expect(await storedBlobs(app)).toEqual(before);
  });

  test.each([
    ['in chunks', { chunkSize: MIB }],
    ['all at once', {}],
    ['with its first bytes in the POST', { chunkSize: MIB, uploadDataDuringCreation: true }],
    ['with POST for PATCH', { chunkSize: MIB, overridePatchMethod: true }],
  ])('tus-js-client, unchanged, %s', async (_, options) => {
    const folder = await makeFolder(app, mika);
    const bytes = someBytes(2 * MIB + 5);
    const name = freshName();
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(bytes, {
        endpoint: app.baseUrl + RESUMABLE,
        headers: { authorization: `Bearer ${mika.bearer}` },
        metadata: { bucketName: 'unlocked-folders', objectName: `${folder.bucket_storage_path}/${name}` },
        retryDelays: [],
        onSuccess: () => resolve(),
        onError: reject,
        ...options,
      });
      upload.start();
    });
    expect(sha256(await download(folder, name))).toBe(sha256(bytes));
  });

  test('a sender behind an old proxy may name the method in a header', async () => {
    const folder = await makeFolder(app, mika);
    const url = await tus.create({ folder, name: freshName(), length: 4 });
    const headers = { 'x-http-method-override': 'PATCH', 'upload-offset': '0', 'content-type': BYTES_TYPE };
    const patched = await tus.call('POST', url, headers, 'abcd');
    expect([patched.status, patched.headers.get('upload-offset')]).toEqual([204, '4']);
    expect((await tus.call('POST', url)).status).toBe(404);
    for (const method of ['__proto__', 'constructor', 'GET']) {
      expect((await tus.call('POST', url, { 'x-http-method-override': method })).status).toBe(404);
    }
  });

  describe('who may do what, beside the route × role matrix', () => {
    test('without a bearer: 401, in the words of tus clients', async () => {
      const folder = await makeFolder(app, mika);
      const answer = await createTus(app, null).post({ folder, name: freshName(), length: 4 });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({
        statusCode: '401',
        message: 'User must be authenticated for file uploads',
        error: { code: 'upload.unauthenticated' },
      });
    });

    test('after the folder is deleted its uploads are gone, and strangers still find none', async () => {
      const folder = await makeFolder(app, mika);
      const url = await tus.create({ folder, name: freshName(), length: 4 });
      await deleteFolder(app, mika, folder);
      expect((await tus.patch(url, 0, 'abcd')).status).toBe(410);
      expect((await tus.head(url)).status).toBe(410);
      expect((await createTus(app, jonas).head(url)).status).toBe(404);
      expect((await tus.post({ folder, name: freshName(), length: 4 })).status).toBe(404);
    });
  });

  describe('what is refused', () => {
    test('another version of the protocol: 412, with ours', async () => {
      const response = await fetch(app.baseUrl + RESUMABLE, {
        method: 'POST',
        headers: { authorization: `Bearer ${mika.bearer}`, 'tus-resumable': '0.2.2' },
      });
      expect(response.status).toBe(412);
      expect(response.headers.get('tus-version')).toBe('1.0.0');
      expect(await codeOf(response)).toBe('upload.bad_version');
    });

    test('a wrong offset, a missing one, another content type, an unknown id', async () => {
      const folder = await makeFolder(app, mika);
      const url = await tus.create({ folder, name: freshName(), length: 4 });
      const wrong = await tus.patch(url, 2, 'cd');
      expect([wrong.status, await codeOf(wrong)]).toEqual([409, 'upload.wrong_offset']);
      const missing = await tus.call('PATCH', url, { 'content-type': BYTES_TYPE }, 'abcd');
      expect([missing.status, await codeOf(missing)]).toEqual([400, 'upload.bad_offset']);
      const json = await tus.patch(url, 0, '{}', { 'content-type': 'application/json' });
      expect([json.status, await codeOf(json)]).toEqual([415, 'upload.bad_content_type']);
      for (const id of ['00000000-0000-4000-8000-000000000000', 'x', '%00']) {
        expect((await tus.head(`${app.baseUrl}${RESUMABLE}/${id}`)).status).toBe(404);
      }
      expect(await tus.offsetOf(url)).toBe(0);
    });

    test('more bytes than announced, by length or without one', async () => {
      const folder = await makeFolder(app, mika);
      const url = await tus.create({ folder, name: freshName(), length: 4 });
      const long = await tus.patch(url, 0, 'abcdef');
      expect([long.status, await codeOf(long)]).toEqual([413, 'upload.length_exceeded']);
      const stream = new Blob([someBytes(MIB)]).stream();
      const chunked = await fetch(url, {
        method: 'PATCH',
        headers: { ...tus.headers, 'upload-offset': '0', 'content-type': BYTES_TYPE },
        body: stream,
        duplex: 'half',
      } as RequestInit);
      expect([chunked.status, await codeOf(chunked)]).toEqual([413, 'upload.length_exceeded']);
      expect(await tus.offsetOf(url)).toBe(0);
    });

    test('a file of a negative, a broken or an unknown length, one without metadata', async () => {
      const folder = await makeFolder(app, mika);
      for (const length of [-1, 1.5]) {
        const response = await tus.post({ folder, name: freshName(), length });
        expect([response.status, await codeOf(response)]).toEqual([400, 'upload.bad_length']);
      }
      const deferred = await tus.call('POST', app.baseUrl + RESUMABLE, { 'upload-defer-length': '1' });
      expect(await codeOf(deferred)).toBe('upload.bad_length');
      const bare = await tus.call('POST', app.baseUrl + RESUMABLE, { 'upload-length': '1' });
      expect(await codeOf(bare)).toBe('upload.bad_metadata');
    });

    test('plaintext files in an encrypted folder, and all files in a revoked one', async () => {
      const folder = await makeFolder(app, mika, 'private');
      const open = await tus.post({ folder, name: 'open.txt', length: 4 });
      expect([open.status, await codeOf(open)]).toEqual([400, 'upload.not_encrypted']);
      const revoked = await app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, mika);
      expect(revoked.status).toBe(204);
      const late = await tus.post({ folder, name: 'late_1700000000000_abcdefgh.enc', length: 4 });
      expect([late.status, await codeOf(late)]).toEqual([409, 'folder.revoked']);
    });

    test('another bucket, an unknown folder, a long label', async () => {
      const folder = await makeFolder(app, mika);
      const post = (metadata: Record<string, string>) => tus.post({ folder, name: 'x', length: 4, metadata });
      const bucket = await post({ bucketName: 'files' });
      expect([bucket.status, await codeOf(bucket)]).toEqual([400, 'storage.bucket_not_found']);
      const unknown = await post({ objectName: 'nowhere/x' });
      expect([unknown.status, await codeOf(unknown)]).toEqual([404, 'storage.not_found']);
      const label = await post({ sealed: `2.${'x'.repeat(2048)}` });
      expect([label.status, await codeOf(label)]).toEqual([400, 'upload.bad_metadata']);
    });

    test('an error in the middle of a large body reaches its sender as an answer', async () => {
      const folder = await makeFolder(app, mika);
      const url = await tus.create({ folder, name: freshName(), length: 3 * MIB });
      const response = await tus.patch(url, 7, someBytes(3 * MIB - 7));
      expect(response.status).toBe(409);
    });
  });
});
