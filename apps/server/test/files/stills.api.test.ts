import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  accountOf,
  createOwners,
  expectChecksums,
  expectExactSums,
  OBJECT,
  storedBlobs,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import {
  askStills,
  fileRow,
  makeFiles,
  queuedBlobs,
  stillOf,
  stillsOf,
  storeStills,
} from '../support/uploads/still-kit.ts';

/** Stills of files (CONTAINER §6): stored, listed and read. */

const newOwner = createOwners(() => app);

const app = await createTestApp();
afterEach(async () => {
  await expectExactSums(app);
  expect(await queuedBlobs(app)).toEqual([]);
  expect(app.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
afterAll(() => expectChecksums(app));

describe('a still', () => {
  test('is read in both sizes as it was stored, in the order of the names, with none where there is none', async () => {
    const [owner, folder] = await newOwner('private');
    const [first, second, third] = (await makeFiles(app, owner, folder, 3)) as [string, string, string];
    const stills = [stillOf(first), stillOf(third)];
    expect(await storeStills(app, owner, folder, ...stills)).toEqual([first, third]);
    for (const size of ['small', 'large'] as const) {
      const read = await stillsOf(app, folder, [third, 'unknown.enc', second, first, third], size);
      expect(read).toEqual([stills[1]![size], null, null, stills[0]![size], stills[1]![size]]);
    }
  });

  test('shows in the list as a mark alone, and counts for the owner and not for the folder', async () => {
    const [owner, folder] = await newOwner();
    const [pictured, bare] = (await makeFiles(app, owner, folder, 2)) as [string, string];
    const before = await accountOf(app, owner);
    await storeStills(app, owner, folder, stillOf(pictured, 700, 5000));
    expect(await accountOf(app, owner)).toEqual({ ...before, used: before.used + 5700 });
    const list = await fetch(`${app.baseUrl}${OBJECT}/list/unlocked-folders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prefix: folder.bucket_storage_path }),
    });
    const entries = (await list.json()) as { name: string; metadata: Record<string, unknown> }[];
    expect(new Map(entries.map(({ name, metadata }) => [name, metadata.still]))).toEqual(
      new Map([
        [pictured, true],
        [bare, undefined],
      ]),
    );
    const { body } = await app.rpc<{ folder_size_bytes: number }[]>('get_folder_complete_data', {
      input_folder_slug: folder.slug,
    });
    expect(JSON.stringify(body)).toContain('"folder_size_bytes":100');
  });

  test('replaces the one before, whose bytes go at once', async () => {
    const [owner, folder] = await newOwner();
    const [name] = (await makeFiles(app, owner, folder, 1)) as [string];
    await storeStills(app, owner, folder, stillOf(name));
    const { still_key: before } = await fileRow(app, name);
    const second = stillOf(name, 300, 400);
    await storeStills(app, owner, folder, second);
    expect(await stillsOf(app, folder, [name], 'large')).toEqual([second.large]);
    expect(await storedBlobs(app)).not.toContain(before);
  });

  test('updates its file, so that open pages find it among what is newer than their list', async () => {
    const [owner, folder] = await newOwner();
    const [name, newer] = (await makeFiles(app, owner, folder, 2)) as [string, string];
    await storeStills(app, owner, folder, stillOf(name));
    const times = await Promise.all([name, newer].map(async (one) => (await fileRow(app, one)).updated_at.getTime()));
    expect(times[0]).toBeGreaterThan(times[1]!);
  });

  test('is answered with the headers of a stranger’s bytes', async () => {
    const [owner, folder] = await newOwner();
    const names = await makeFiles(app, owner, folder, 1);
    const { headers } = await askStills(app, null, { folder, names, size: 'small' });
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});
