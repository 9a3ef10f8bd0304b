import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf, sha256 } from '../support/files/samples.ts';
import { type CreatedFolder, createPlainFolder, type Person, signIn } from '../support/people/client.ts';
import { runTus, runTusUntil } from '../support/people/tus.ts';
import { FRONTS } from '../support/site/fronts.ts';
import type { Site } from '../support/site/site.ts';

const MIB = 1024 ** 2;

describe.each(FRONTS)('a server that is killed, $name', (front) => {
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;

  beforeAll(async () => {
    site = await front.start();
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
  });
  afterAll(() => site.stop());

  test('keeps every acknowledged byte, the session and the bearer, and the upload completes', async () => {
    const bytes = randomBytesOf(24 * MIB);
    const target = { url: site.url, person: mika, path: `${folder.bucket_storage_path}/killed_1_a.bin` };
    const uploadUrl = await runTusUntil(target, bytes, 9 * MIB);
    await site.kill9();
    await site.restart();
    const headers = { authorization: `Bearer ${mika.token}`, 'tus-resumable': '1.0.0' };
    const offset = Number((await fetch(uploadUrl, { method: 'HEAD', headers })).headers.get('upload-offset'));
    expect(offset).toBeGreaterThanOrEqual(9 * MIB);
    const { error } = await runTus(target, bytes, { uploadUrl });
    expect(error).toBeNull();
    const response = await fetch(`${site.url}/storage/v1/object/public/unlocked-folders/${target.path}`);
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
    expect((await mika.call('GET', '/auth/v1/user')).status).toBe(200);
  });

  test('a second server on the same data is refused with the reason', async () => {
    const { startSite } = await import('../support/site/site.ts');
    await expect(startSite({ env: { DATA_DIR: site.dataDir, DATABASE_URL: site.databaseUrl } })).rejects.toThrow(
      /already|in use|another/i,
    );
  });
});
