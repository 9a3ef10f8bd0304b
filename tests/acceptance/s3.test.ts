import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { type CreatedFolder, createPlainFolder, type Person, runTus, runTusUntil, signIn } from '../support/people.ts';
import { createS3Sites, type S3Site } from '../support/s3-site.ts';

/** The built server with its files in a real S3 gateway. */

const MIB = 1024 ** 2;
const sites = await createS3Sites();
afterAll(() => sites?.stop());

describe.skipIf(!sites)('a server whose files lie in S3 (left out where there is no gateway)', () => {
  let site: S3Site;
  let mika: Person;
  let folder: CreatedFolder;
  const targetOf = (name: string) => ({ url: site.url, person: mika, path: `${folder.bucket_storage_path}/${name}` });
  const fileOf = (name: string, headers: Record<string, string> = {}) =>
    fetch(`${site.url}/storage/v1/object/public/unlocked-folders/${folder.bucket_storage_path}/${name}`, { headers });
  const hashOf = async (response: Response) => sha256(new Uint8Array(await response.arrayBuffer()));

  beforeAll(async () => {
    site = await sites!.start();
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
  });
  afterAll(() => site?.stop());

  test('an upload continues after a kill -9, its bytes come in ranges, and fsck finds nothing', async () => {
    const bytes = randomBytesOf(9 * MIB + 7);
    const uploadUrl = await runTusUntil(targetOf('large_1_a.bin'), bytes, 3 * MIB);
    await site.kill9();
    await site.restart();
    expect((await runTus(targetOf('large_1_a.bin'), bytes, { uploadUrl })).error).toBeNull();
    expect(await hashOf(await fileOf('large_1_a.bin'))).toBe(sha256(bytes));
    const part = await fileOf('large_1_a.bin', { range: 'bytes=3000000-8999999' });
    expect([part.status, await hashOf(part)]).toEqual([206, sha256(bytes.subarray(3_000_000, 9_000_000))]);
    expect(await site.fsck()).toMatchObject({ code: 0 });
  });

  test('while the store fails both ways answer 503 and nothing is lost; it needs no restart', async () => {
    const bytes = randomBytesOf(MIB + 7);
    site.line.arm('error', 'any', Number.POSITIVE_INFINITY);
    const { error } = await runTus(targetOf('late_1_b.bin'), bytes);
    expect(error?.originalResponse?.getStatus()).toBe(503);
    expect((await fileOf('large_1_a.bin')).status).toBe(503);
    site.line.disarm();
    expect((await runTus(targetOf('late_1_b.bin'), bytes)).error).toBeNull();
    expect(await hashOf(await fileOf('late_1_b.bin'))).toBe(sha256(bytes));
  });

  test('a deleted folder leaves nothing that fsck finds', async () => {
    expect((await mika.rpc('delete_folder_complete', { folder_id: folder.id })).status).toBe(204);
    expect((await fileOf('large_1_a.bin')).status).toBe(404);
    expect(await site.fsck()).toMatchObject({ code: 0 });
  });
});
