import { StorageClient } from '@supabase/storage-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hearRenames } from '../support/change-stream.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { FRONTS } from '../support/fronts.ts';
import {
  type CreatedFolder,
  createPlainFolder,
  type Person,
  pieceHeaders,
  runTus,
  runTusUntil,
  signIn,
  tusHeaders,
} from '../support/people.ts';
import type { Site } from '../support/site.ts';

const BUCKET = 'unlocked-folders';
const MIB = 1024 ** 2;

describe.each(FRONTS)('storage with unchanged clients, $name', (front) => {
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;
  const path = (name: string) => `${folder.bucket_storage_path}/${name}`;
  const storage = () =>
    new StorageClient(`${site.url}/storage/v1`, { Authorization: `Bearer ${mika.token}` }).from(BUCKET);

  beforeAll(async () => {
    site = await front.start();
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
  });
  afterAll(() => site.stop());

  test('tus-js-client uploads a file of several chunks, and the public URL serves it', async () => {
    const bytes = randomBytesOf(13 * MIB + 7);
    const { upload, error } = await runTus({ url: site.url, person: mika, path: path('whole_1_a.bin') }, bytes);
    expect(error).toBeNull();
    expect(upload.url?.startsWith(`${site.url}/storage/v1/upload/resumable/`)).toBe(true);
    const response = await fetch(storage().getPublicUrl(path('whole_1_a.bin')).data.publicUrl);
    expect(response.status).toBe(200);
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  });

  test('an open page hears of each change while its stream is open', async () => {
    expect(new Set(await hearRenames(mika, folder)).size).toBe(3);
  });

  test('an interrupted upload resumes at the server’s offset, and storage-js reads and deletes it', async () => {
    const bytes = randomBytesOf(8 * MIB);
    const target = { url: site.url, person: mika, path: path('resumed_1_b.bin') };
    const uploadUrl = await runTusUntil(target, bytes, 3 * MIB);
    const sent: number[] = [];
    const { error } = await runTus(target, bytes, {
      uploadUrl,
      onBeforeRequest: (request) => {
        const offset = request.getHeader('Upload-Offset');
        if (request.getMethod() === 'PATCH' && offset !== undefined) sent.push(Number(offset));
      },
    });
    expect(error).toBeNull();
    expect(sent[0]).toBeGreaterThanOrEqual(3 * MIB);
    const { data } = await storage().download(path('resumed_1_b.bin'));
    expect(sha256(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(bytes));
    expect((await storage().remove([path('resumed_1_b.bin')])).data).toHaveLength(1);
  });

  test('a wrong offset: 409, and the upload keeps its offset, until it is terminated and its reservation freed', async () => {
    const target = { url: site.url, person: mika, path: path('ended_1_c.bin') };
    const reserved = async () =>
      ((await (await mika.call('GET', '/rest/v1/profiles/me')).json()) as { reserved_bytes: number }).reserved_bytes;
    const before = await reserved();
    const uploadUrl = await runTusUntil(target, randomBytesOf(4 * MIB), MIB);
    expect(await reserved()).toBe(before + 4 * MIB);
    const headers = tusHeaders(mika);
    const offset = async () => (await fetch(uploadUrl, { method: 'HEAD', headers })).headers.get('upload-offset');
    const kept = await offset();
    const late = await fetch(uploadUrl, { method: 'PATCH', headers: pieceHeaders(mika, 7), body: 'late' });
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('Upload-Offset does not match')]);
    expect(await offset()).toBe(kept);
    expect((await fetch(uploadUrl, { method: 'DELETE', headers })).status).toBe(204);
    expect((await fetch(uploadUrl, { method: 'HEAD', headers })).status).toBe(404);
    expect(await reserved()).toBe(before);
  });

  test('ranges are answered as RFC 9110 says', async () => {
    const bytes = randomBytesOf(100_000);
    await runTus({ url: site.url, person: mika, path: path('ranged_1_e.bin') }, bytes);
    const url = `${site.url}/storage/v1/object/public/${BUCKET}/${path('ranged_1_e.bin')}`;
    for (const [range, status, told, part] of [
      ['bytes=10-19', 206, '10-19', bytes.subarray(10, 20)],
      ['bytes=-5', 206, '99995-99999', bytes.subarray(-5)],
      ['bytes=99990-', 206, '99990-99999', bytes.subarray(-10)],
      ['bytes=100000-', 416, '*', null],
    ] as const) {
      const response = await fetch(url, { headers: { range } });
      expect([response.status, response.headers.get('content-range')]).toEqual([status, `bytes ${told}/100000`]);
      const content = Buffer.from(await response.arrayBuffer());
      if (part) expect(content).toEqual(part);
    }
  });
});
