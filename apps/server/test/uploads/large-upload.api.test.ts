import { truncate } from 'node:fs/promises';
import { GIB, MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import {
  accountOf,
  blobPath,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { openSocket, sendIn } from '../support/uploads/socket-kit.ts';

/** Files above what 32 bits count. All but the last bytes are a hole on the disk: they were never written. */

const app = await createTestApp({ env: { MAX_FILE_BYTES: '10GiB', FREE_STORAGE_BYTES: '25GiB' } });
const mika = await app.signIn('mika');
const tus = createTus(app, mika);

describe('a file of 10 GiB', () => {
  const LENGTH = 10 * GIB;
  const TAIL = 2 * MIB + 5;

  afterEach(() => expectExactSums(app));

  /** An upload that lacks its last bytes alone. */
  async function almostThere() {
    const folder = await makeFolder(app, mika);
    const name = freshName();
    const url = await tus.create({ folder, name, length: LENGTH });
    const { blob_key } = await uploadState(app, url);
    expect((await tus.patch(url, 0, 'x')).status).toBe(204);
    await truncate(blobPath(app, blob_key), LENGTH - TAIL);
    await app.database.db.execute(
      sql`update uploads set offset_bytes = ${LENGTH - TAIL} where blob_key = ${blob_key}::uuid`,
    );
    const address = `${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;
    return { folder, url, address, tail: someBytes(TAIL) };
  }

  const rangeOf = async (address: string, range: string) => {
    const response = await fetch(address, { headers: { range } });
    const { status, headers } = response;
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status, range: headers.get('content-range'), length: headers.get('content-length'), bytes };
  };

  test('is resumed by tus at its offset, ends, and is read by ranges from any place', async () => {
    const { folder, url, address, tail } = await almostThere();
    expect(await tus.offsetOf(url)).toBe(LENGTH - TAIL);
    expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: LENGTH });
    const wrong = await tus.patch(url, (LENGTH - TAIL) % 2 ** 32, tail);
    expect(wrong.status).toBe(409);
    const first = await tus.patch(url, LENGTH - TAIL, tail.subarray(0, MIB));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, String(LENGTH - TAIL + MIB)]);
    const last = await tus.patch(url, LENGTH - TAIL + MIB, tail.subarray(MIB));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(LENGTH)]);
    expect(await accountOf(app, mika)).toEqual({ used: LENGTH, reserved: 0 });

    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(LENGTH)]);
    const across = await rangeOf(address, `bytes=${2 ** 32 - 5}-${2 ** 32 + 4}`);
    expect(across).toMatchObject({ status: 206, range: `bytes ${2 ** 32 - 5}-${2 ** 32 + 4}/${LENGTH}`, length: '10' });
    expect(across.bytes.equals(Buffer.alloc(10))).toBe(true);
    for (const range of [`bytes=${LENGTH - TAIL}-`, `bytes=-${TAIL}`]) {
      const end = await rangeOf(address, range);
      expect(end).toMatchObject({ status: 206, range: `bytes ${LENGTH - TAIL}-${LENGTH - 1}/${LENGTH}` });
      expect(end.bytes.equals(tail)).toBe(true);
    }
    expect((await rangeOf(address, `bytes=${LENGTH}-`)).status).toBe(416);
    const { rows } = (await app.database.db.execute(
      sql`select size_bytes::text from folders where id = ${folder.id}::uuid`,
    )) as unknown as { rows: { size_bytes: string }[] };
    expect(rows).toEqual([{ size_bytes: String(LENGTH) }]);
  });

  test('is resumed by the upload socket at its offset', async () => {
    const { url, address, tail } = await almostThere();
    const client = await openSocket(app);
    client.begin(url, LENGTH - TAIL, mika);
    expect(await client.heard('ready')).toEqual({ ready: LENGTH - TAIL });
    sendIn(client, tail);
    expect(await client.heard('done')).toEqual({ done: LENGTH });
    expect((await rangeOf(address, `bytes=-${TAIL}`)).bytes.equals(tail)).toBe(true);
  });

  test('that no longer fits, and one above the limit, are refused', async () => {
    const folder = await makeFolder(app, mika);
    const full = await tus.post({ folder, name: freshName(), length: LENGTH });
    expect(full.status).toBe(413);
    expect(await full.json()).toMatchObject({
      message: 'Not enough storage: 5.00 GB of your storage is left. Delete files or a folder to make room',
    });
    const large = await tus.post({ folder, name: freshName(), length: LENGTH + 1 });
    expect(large.status).toBe(413);
    expect(await large.json()).toMatchObject({ error: { code: 'upload.too_large', params: { maxBytes: LENGTH } } });
    const countless = await tus.post({ folder, name: freshName(), length: 2 ** 53 });
    expect(countless.status).toBe(400);
  });
});
