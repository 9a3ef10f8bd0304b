import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Folder } from '@satchel/contract/entities';
import { type SQL, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/admin/findings.ts';
import { type FsckDeps, fsck } from '../../src/admin/fsck.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import {
  BYTES_TYPE,
  blobPath,
  createTus,
  deleteFolder,
  freshName,
  makeFolder,
  RESUMABLE,
  someBytes,
  type Tus,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';
import { fileRow, makeFiles, stillOf, storeStills } from '../support/uploads/still-kit.ts';

/** Each test breaks one invariant of a real site by hand, and fsck finds exactly that. */

const BYTES = 'application/offset+octet-stream';
const STORED = 2048;
const LENGTH = 4096;
const ACKED = 1024;

const app = await createTestApp();

const execute = (query: SQL) => app.database.db.execute(query);
async function one<Row>(query: SQL): Promise<Row> {
  return rowsOf<Row>(await execute(query))[0]!;
}

const look = (options: Partial<FsckDeps> = {}) =>
  fsck({
    db: app.database.db,
    dataDir: app.config.dataDir,
    blobs: app.deps.blobs,
    keyShares: app.deps.keyShares,
    tiers: app.config.tiers,
    reads: 'nothing',
    pauseMs: 10,
    ...options,
  });
/** As if there were too many rows and blobs to read them in one go. */
const LARGE = { atOnce: 0 };

interface World {
  readonly account: Account;
  readonly tus: Tus;
  readonly folder: Folder;
  readonly file: { readonly id: string; readonly blob_key: string };
  readonly upload: { readonly id: string; readonly blob_key: string };
  readonly share: { readonly folder_id: string; readonly share_id: string };
}

let people = 0;
/** Creates a person with a private folder, a plain folder that holds a file, and an open upload. */
async function makeWorld(): Promise<World> {
  const account = await app.signIn(`tidy${people++}`);
  const tus = createTus(app, account);
  const { id: private_id } = await makeFolder(app, account, 'private');
  const folder = await makeFolder(app, account);
  const name = freshName();
  await tus.create({ name, length: STORED, folder, body: someBytes(STORED), headers: { 'content-type': BYTES } });
  const begun = await tus.create({ name: freshName(), length: LENGTH, folder });
  expect((await tus.patch(begun, 0, someBytes(ACKED))).status).toBe(204);
  const uploadId = begun.split('/').at(-1)!;
  return {
    account,
    tus,
    folder,
    file: await one(sql`select id, blob_key from files where folder_id = ${folder.id}::uuid`),
    upload: await one(sql`select id, blob_key from uploads where id = ${uploadId}::uuid`),
    share: await one(sql`select folder_id, share_id from temp_encryption_keys where folder_id = ${private_id}::uuid`),
  };
}
const shareFile = ({ folder_id, share_id }: World['share']) =>
  join(app.config.keysDir, folder_id.slice(0, 3), `${folder_id}.${share_id}`);

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

/** fsck --hash compares stored bytes with the checksums that were made when they came. */
const mika = await app.signIn('mika');

/** A folder with a file and an open upload. */
async function fill(): Promise<{ folder: Folder; url: string; file: Row; upload: Row }> {
  const tus = createTus(app, mika);
  const folder = await makeFolder(app, mika);
  const whole = { name: freshName(), length: STORED, folder, body: someBytes(STORED) };
  await tus.create({ ...whole, headers: { 'content-type': BYTES_TYPE } });
  const url = await tus.create({ name: freshName(), length: LENGTH, folder });
  expect((await tus.patch(url, 0, someBytes(ACKED))).status).toBe(204);
  const of = async (query: SQL) => rowsOf<Row>(await execute(query))[0]!;
  return {
    folder,
    url,
    file: await of(sql`select id, blob_key from files where folder_id = ${folder.id}::uuid`),
    upload: await of(sql`select id, blob_key from uploads where id = ${url.split('/').at(-1)!}::uuid`),
  };
}

interface Row {
  readonly id: string;
  readonly blob_key: string;
}

test('bytes that are not those that came: of a file, and of what an upload has acknowledged', async () => {
  const { folder, file, upload } = await fill();
  const flip = async (blob: string, at: number) => {
    const bytes = await readFile(blobPath(app, blob));
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(blobPath(app, blob), bytes);
  };
  expect(await look({ reads: 'hashes' })).toMatchObject({ findings: [], checked: { blobs_hashed: 2 } });
  await flip(file.blob_key, STORED - 1);
  await flip(upload.blob_key, 0);
  const { findings } = await look({ reads: 'hashes' });
  expect(findings).toHaveLength(2);
  expect(findings).toEqual(
    expect.arrayContaining([
      { kind: 'file_blob_changed', detail: { file: file.id, blob: file.blob_key } },
      { kind: 'upload_blob_changed', detail: { upload: upload.id, blob: upload.blob_key } },
    ]),
  );
  await deleteFolder(app, mika, folder);
});

test('a file that is deleted while its bytes are read is no finding', async () => {
  const { folder, file } = await fill();
  const { open } = app.deps.blobs;
  const blobs: typeof app.deps.blobs = {
    ...app.deps.blobs,
    async open(what, bytes) {
      const reader = await open(what, bytes);
      if (what.blobKey !== file.blob_key) return reader;
      await deleteFolder(app, mika, folder);
      return { ...reader, send: () => Promise.reject(new Error('ENOENT')) };
    },
  };
  expect((await look({ blobs, reads: 'hashes' })).findings).toEqual([]);
});

/** fsck finds what is wrong with a still, as with a file. */
const findings = async () => (await look({ reads: 'hashes' })).findings;

test('a still that is queued for purging, cut, missing or not counted is found; an intact one is not', async () => {
  const folder = await makeFolder(app, mika);
  const [name] = (await makeFiles(app, mika, folder, 1)) as [string];
  await storeStills(app, mika, folder, stillOf(name, 10, 20));
  const row = await fileRow(app, name);
  const blob = row.still_key!;
  const detail = { file: row.id, blob, bytes: 30 };
  expect(await findings()).toEqual([]);

  await execute(sql`insert into blob_removals (blob_key) values (${blob}::uuid)`);
  expect(await findings()).toEqual([{ kind: 'blob_queued', detail: { still: row.id, blob } }]);
  await execute(sql`delete from blob_removals`);

  const still = await readFile(blobPath(app, blob));
  await writeFile(blobPath(app, blob), Buffer.from(still).reverse());
  expect(await findings()).toEqual([{ kind: 'still_blob_changed', detail: { file: row.id, blob } }]);

  await writeFile(blobPath(app, blob), 'abc');
  expect(await findings()).toEqual([{ kind: 'still_blob_size', detail: { ...detail, stored_bytes: 3 } }]);
  await rm(blobPath(app, blob));
  expect(await findings()).toEqual([{ kind: 'still_blob_missing', detail }]);

  await execute(sql`update files set still_key = null, still_small_bytes = null, still_large_bytes = null`);
  expect(await findings()).toEqual([
    { kind: 'profile_used', detail: { profile: mika.profile_id, saved: 80, actual: 50 } },
  ]);
  await execute(sql`update profiles set used_bytes = 50 where id = ${mika.profile_id}::uuid`);
});

describe('a broken site', () => {
  let world: World;
  let mend: () => Promise<unknown>;
  beforeEach(async () => {
    world = await makeWorld();
    mend = async () => undefined;
  });
  // The next test begins with an intact site; this shows that nothing else was found.
  afterEach(async () => {
    await mend();
    expect((await look({ reads: 'bytes' })).findings).toEqual([]);
  });

  const expectFindings = async (...findings: Finding[]) => expect((await look()).findings).toEqual(findings);
  const book = (profile: SQL) =>
    execute(sql`update profiles set ${profile} where id = ${world.account.profile_id}::uuid`);
  const bookFolder = (columns: SQL) => execute(sql`update folders set ${columns} where id = ${world.folder.id}::uuid`);

  test('nothing is found on an intact site', async () => {
    const { findings, checked, elsewhere } = await look({ reads: 'bytes' });
    expect(findings).toEqual([]);
    expect(checked).toMatchObject({ files: expect.any(Number), open_uploads: expect.any(Number) });
    expect(checked.files).toBeGreaterThan(0);
    expect(checked.private_links).toBeGreaterThan(0);
    expect(elsewhere).toEqual([]);
  });

  test('a large site, whose rows and blobs are read in many parts, is checked like a small one', async () => {
    expect(await look(LARGE)).toEqual(await look());
    const { blob_key: blob } = world.file;
    await rm(blobPath(app, blob));
    mend = () => writeFile(blobPath(app, blob), someBytes(STORED));
    const report = await look(LARGE);
    expect(report.findings.map(({ kind }) => kind)).toEqual(['file_blob_missing']);
    expect(report).toEqual(await look());
  });

  test('a file without its bytes', async () => {
    const { id: file, blob_key: blob } = world.file;
    await rm(blobPath(app, blob));
    mend = () => writeFile(blobPath(app, blob), someBytes(STORED));
    await expectFindings({ kind: 'file_blob_missing', detail: { file, blob, bytes: STORED } });
  });

  test('a file with other bytes than its row says', async () => {
    const { id: file, blob_key: blob } = world.file;
    mend = () => truncate(blobPath(app, blob), STORED);
    for (const stored_bytes of [100, STORED + 1]) {
      await truncate(blobPath(app, blob), stored_bytes);
      await expectFindings({ kind: 'file_blob_size', detail: { file, blob, bytes: STORED, stored_bytes } });
    }
  });

  test('an upload without its acknowledged bytes, or with fewer', async () => {
    const { id: upload, blob_key: blob } = world.upload;
    await truncate(blobPath(app, blob), ACKED - 1);
    const detail = { upload, blob, acknowledged_bytes: ACKED };
    await expectFindings({ kind: 'upload_blob_short', detail: { ...detail, stored_bytes: ACKED - 1 } });
    await rm(blobPath(app, blob));
    mend = () => writeFile(blobPath(app, blob), someBytes(ACKED));
    await expectFindings({ kind: 'upload_blob_missing', detail });
  });

  test('bytes that cannot be read', async () => {
    const { id: file, blob_key: blob } = world.file;
    const { open } = app.deps.blobs;
    // As on a failing disk, which only its driver could cause for real.
    const blobs = {
      ...app.deps.blobs,
      open: async (...[what, bytes]: Parameters<typeof open>) => {
        const reader = await open(what, bytes);
        return what.blobKey === blob ? { ...reader, send: () => Promise.reject(new Error('EIO')) } : reader;
      },
    };
    expect((await look({ blobs })).findings).toEqual([]);
    const unreadable = { kind: 'blob_unreadable', detail: { file, blob } };
    expect((await look({ blobs, reads: 'bytes' })).findings).toEqual([unreadable]);
  });

  test('bytes that no row names', async () => {
    const blob = randomUUID();
    await mkdir(dirname(blobPath(app, blob)), { recursive: true });
    await writeFile(blobPath(app, blob), 'abc');
    mend = () => rm(blobPath(app, blob));
    await expectFindings({ kind: 'blob_unclaimed', detail: { blob, stored_bytes: 3 } });
    await execute(sql`insert into blob_removals (blob_key) values (${blob}::uuid)`);
    const { findings, queued } = await look();
    expect(findings).toEqual([]);
    expect(queued.blob_removals).toBe(1);
    await execute(sql`delete from blob_removals`);
  });

  test('bytes of a file, and of an open upload, that are queued for deletion', async () => {
    const { file, upload } = world;
    mend = () => execute(sql`delete from blob_removals`);
    for (const [of, row] of [
      ['file', file],
      ['upload', upload],
    ] as const) {
      await execute(sql`delete from blob_removals`);
      await execute(sql`insert into blob_removals (blob_key) values (${row.blob_key}::uuid)`);
      await expectFindings({ kind: 'blob_queued', detail: { [of]: row.id, blob: row.blob_key } });
    }
  });

  test('wrong sums of an account', async () => {
    const profile = world.account.profile_id;
    await book(sql`used_bytes = used_bytes + 7`);
    await expectFindings({ kind: 'profile_used', detail: { profile, saved: STORED + 7, actual: STORED } });
    await book(sql`used_bytes = used_bytes - 7, reserved_bytes = reserved_bytes - 1`);
    await expectFindings({ kind: 'profile_reserved', detail: { profile, saved: LENGTH - 1, actual: LENGTH } });
    mend = () => book(sql`reserved_bytes = reserved_bytes + 1`);
  });

  test('wrong sums of a folder', async () => {
    const folder = world.folder.id;
    await bookFolder(sql`size_bytes = 0`);
    await expectFindings({ kind: 'folder_size', detail: { folder, saved: 0, actual: STORED } });
    await bookFolder(sql`size_bytes = ${STORED}::bigint, file_count = 2`);
    await expectFindings({ kind: 'folder_file_count', detail: { folder, saved: 2, actual: 1 } });
    mend = () => bookFolder(sql`file_count = 1`);
  });

  test('a deleted folder with rows left', async () => {
    await bookFolder(sql`deleted_at = now()`);
    mend = () => bookFolder(sql`deleted_at = null`);
    const detail = { folder: world.folder.id, files: 1, open_uploads: 1, keys: 0 };
    await expectFindings({ kind: 'folder_not_empty', detail });
  });

  test('a key of a link that has ended', async () => {
    const folder = world.share.folder_id;
    const setMode = (mode: string) => execute(sql`update folders set link_mode = ${mode} where id = ${folder}::uuid`);
    await setMode('revoked');
    mend = () => setMode('private');
    await expectFindings({ kind: 'key_of_ended_link', detail: { folder } });
  });

  test('a private link without its share', async () => {
    const { folder_id: folder, share_id: share } = world.share;
    await rm(shareFile(world.share));
    mend = () => execute(sql`delete from temp_encryption_keys where folder_id = ${folder}::uuid`);
    await expectFindings({ kind: 'share_missing', detail: { folder, share } });
  });

  test('a share that no link names: of a known folder after two hours, of another after a folder’s life, too', async () => {
    const { folder_id: folder } = world.share;
    const own = { folder_id: folder, share_id: randomUUID() };
    const foreign = { folder_id: randomUUID(), share_id: randomUUID() };
    const of = ({ folder_id, share_id }: World['share']) => ({ folder: folder_id, share: share_id });
    const age = (hours: number) =>
      Promise.all([own, foreign].map((id) => utimes(shareFile(id), hoursAgo(hours), hoursAgo(hours))));
    for (const id of [own, foreign]) await app.deps.keyShares.write(id, 'a share');
    mend = () => Promise.all([own, foreign].map((id) => app.deps.keyShares.delete(id)));
    const young = await look();
    expect(young.findings).toEqual([]);
    expect(young.queued.key_shares).toBe(2);
    await age(3);
    await expectFindings({ kind: 'share_unclaimed', detail: of(own) });
    await age(27);
    const { findings } = await look();
    expect(findings).toHaveLength(2);
    expect(findings).toEqual(
      expect.arrayContaining([own, foreign].map((id) => ({ kind: 'share_unclaimed', detail: of(id) }))),
    );
  });

  test('a data directory of another site', async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    const path = join(app.config.dataDir, 'site-id');
    await writeFile(path, `${own}\n`);
    mend = () => Promise.all([rm(path, { force: true }), execute(sql`delete from site`)]);
    await expectFindings({ kind: 'site_mismatch', detail: { directory: own, database: 'none' } });
    await execute(sql`insert into site (role, id, is_paired) values ('site', ${other}::uuid, true)`);
    await expectFindings({ kind: 'site_mismatch', detail: { directory: own, database: other } });
    await writeFile(path, `${other}\n`);
    await expectFindings();
    await rm(path);
    await expectFindings({ kind: 'site_mismatch', detail: { directory: 'none', database: other } });
  });

  test('what is on another machine is not checked', async () => {
    await rm(shareFile(world.share));
    mend = () => execute(sql`delete from temp_encryption_keys where folder_id = ${world.share.folder_id}::uuid`);
    const withoutKeys = await look({ keyShares: null });
    expect(withoutKeys).toMatchObject({ findings: [], elsewhere: ['key_shares'] });
    const withoutBlobs = await look({ blobs: null });
    expect(withoutBlobs.findings.map(({ kind }) => kind)).toEqual(['share_missing']);
    expect(withoutBlobs.elsewhere).toEqual(['blobs']);
  });
});

/** Does something once, just before the check reads one part of the stored data. */
const once = (act: () => Promise<unknown>) => {
  let done: Promise<unknown> | undefined;
  return () => {
    done ??= act();
    return done;
  };
};

describe('a change between two steps of a check is no finding', () => {
  let world: World;
  beforeEach(async () => {
    world = await makeWorld();
  });

  /** @param act runs between reading the rows and reading the blobs whose names begin so */
  function lookWhile(prefix: string, act: () => Promise<unknown>) {
    const now = once(act);
    const { blobs } = app.deps;
    return look({
      ...LARGE,
      blobs: {
        ...blobs,
        async *list(part) {
          if (part === prefix) await now();
          yield* blobs.list(part);
        },
      },
    });
  }

  test('a file that is deleted', async () => {
    const { tus, file, upload } = world;
    const gone = await lookWhile(file.blob_key.slice(0, 2), () => deleteFolder(app, world.account, world.folder));
    expect(gone.findings).toEqual([]);
    expect((await tus.head(`${app.baseUrl}${RESUMABLE}/${upload.id}`)).status).toBe(410);
  });

  test('a file whose bytes are replaced between the two reads of its row', async () => {
    const { tus, folder, file } = world;
    const { name } = await one<{ name: string }>(sql`select name from files where id = ${file.id}::uuid`);
    const replacing = await tus.create({
      name,
      length: STORED,
      folder,
      metadata: {},
      headers: { 'x-upsert': 'true' },
    });
    await tus.patch(replacing, 0, someBytes(ACKED));
    const replace = once(async () => {
      await tus.patch(replacing, ACKED, someBytes(STORED - ACKED));
      await expect.poll(() => existsSync(blobPath(app, file.blob_key))).toBe(false);
    });
    const { blobs } = app.deps;
    const report = await look({
      blobs: {
        ...blobs,
        async *list(part) {
          // Both blobs are looked at again: neither is there at first.
          if (part.length > 2) await replace();
          for await (const stored of blobs.list(part)) if (part.length > 2) yield stored;
        },
      },
    });
    expect(report.findings).toEqual([]);
  });

  test('an upload that begins', async () => {
    const blob = randomUUID();
    const begun = await lookWhile(blob.slice(0, 2), async () => {
      await execute(sql`
        with begun as (
          insert into uploads
            (folder_id, profile_id, name, mimetype, cache_control, metadata, length_bytes, blob_key, expires_at)
          select folder_id, profile_id, 'begun.bin', mimetype, cache_control, metadata, 5, ${blob}::uuid, expires_at
          from uploads where id = ${world.upload.id}::uuid returning profile_id
        )
        update profiles set reserved_bytes = reserved_bytes + 5 where id in (select profile_id from begun)`);
      await app.deps.blobs.put(blob, []);
    });
    expect(begun.findings).toEqual([]);
    expect(begun.checked.blobs).toBeGreaterThan(0);
  });

  test('a link that is replaced, and one that is revoked', async () => {
    const { account, share } = world;
    const { keyShares } = app.deps;
    await utimes(shareFile(share), hoursAgo(3), hoursAgo(3));
    const key = { folder_id: share.folder_id, sealed_key: 's'.repeat(127), key_share: 't'.repeat(43) };
    const replace = once(async () => {
      expect((await app.rpc('generate_temp_encryption_key', key, account)).status).toBe(201);
    });
    async function* walk() {
      for await (const shares of keyShares.walk()) {
        if (shares.some(({ share_id }) => share_id === share.share_id)) await replace();
        yield shares;
      }
    }
    expect((await look({ keyShares: { ...keyShares, walk } })).findings).toEqual([]);

    const revoke = once(async () => {
      const { status } = await app.rpc('revoke_temp_encryption_key', { folder_id: share.folder_id }, account);
      expect(status).toBeLessThan(300);
    });
    const read: typeof keyShares.read = async (id) => {
      if (id.folder_id === share.folder_id) await revoke();
      return keyShares.read(id);
    };
    expect((await look({ keyShares: { ...keyShares, read } })).findings).toEqual([]);
    expect((await look()).findings).toEqual([]);
  });
});

test('a busy site raises no alarm', async () => {
  const account = await app.signIn('busy');
  const tus = createTus(app, account);
  let isOver = false;
  async function work(): Promise<void> {
    while (!isOver) {
      const folder = await makeFolder(app, account, 'private');
      const key = { folder_id: folder.id, sealed_key: 's'.repeat(127), key_share: 't'.repeat(43) };
      const plain = await makeFolder(app, account);
      const name = freshName();
      await tus.create({
        name,
        length: STORED,
        folder: plain,
        body: someBytes(STORED),
        headers: { 'content-type': BYTES },
      });
      const open = await tus.create({
        name,
        length: STORED,
        folder: plain,
        metadata: {},
        headers: { 'x-upsert': 'true' },
      });
      await tus.patch(open, 0, someBytes(ACKED));
      expect((await app.rpc('generate_temp_encryption_key', key, account)).status).toBe(201);
      await tus.patch(open, ACKED, someBytes(STORED - ACKED));
      const begun = await tus.create({ name: freshName(), length: LENGTH, folder: plain });
      await tus.patch(begun, 0, someBytes(ACKED));
      if (Math.random() < 0.5) await tus.terminate(begun);
      await Promise.all([deleteFolder(app, account, folder), deleteFolder(app, account, plain)]);
    }
  }
  const workers = [work(), work(), work()];
  for (const size of [LARGE, {}, {}, {}, LARGE]) expect((await look(size)).findings).toEqual([]);
  isOver = true;
  await Promise.all(workers);
});
