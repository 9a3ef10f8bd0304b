import { KIB } from '@satchel/contract/limits';
import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { blobOf } from '../../src/domain/files/blob-parts.ts';
import { stillBytesOf } from '../../src/domain/files/stills.ts';
import { files, uploads } from '../../src/platform/schema/files.ts';
import { folders } from '../../src/platform/schema/folders.ts';
import { createFaults, FAULTS, type Fault } from '../support/faults.ts';
import {
  accountOf,
  createTus,
  expectChecksums,
  expectExactSums,
  expire,
  makeFolder,
  OBJECT,
  someBytes,
  storedBlobs,
  sweepAll,
} from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { putStills, stillOf } from '../support/uploads/still-kit.ts';

/**
 * Random sequences of everything that changes sums, with failures at awkward moments, against a model: used is
 * always the sum of the files with their stills, reserved the sum of the open uploads.
 */

const STORAGE = 100 * KIB;
const BUCKET = 'unlocked-folders';
const NAMES = ['a.bin', 'b.bin'];
const BYTES = someBytes(STORAGE);

/** An upload in the model. */
interface Upload {
  readonly url: string;
  readonly folder: Folder;
  readonly name: string;
  readonly length: number;
  readonly upsert: boolean;
  offset: number;
  isExpired: boolean;
}
interface Folder {
  readonly row: Awaited<ReturnType<typeof makeFolder>>;
  isExpired: boolean;
  /** By name: the size, its still's size, and the upload that it came from. */
  readonly files: Map<string, { size: number; still: number; url: string }>;
}
interface World {
  readonly account: Awaited<ReturnType<TestApp['signIn']>>;
  readonly tus: ReturnType<typeof createTus>;
  readonly folders: Folder[];
  uploads: Upload[];
}

const used = ({ folders: all }: World) =>
  all.flatMap((folder) => [...folder.files.values()]).reduce((sum, { size, still }) => sum + size + still, 0);
const isOpen = ({ offset, length }: Upload) => offset < length;
const reserved = (world: World) => world.uploads.filter(isOpen).reduce((sum, { length }) => sum + length, 0);

// Mostly one folder and one name, so that acts collide.
const index = fc.constantFrom(0, 0, 0, 1);
const name = fc.constantFrom('a.bin', 'a.bin', 'b.bin');
const part = fc.constantFrom(0, 0.3, 1, 1);
const STEP = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      act: fc.constant('create' as const),
      index,
      name,
      length: fc.integer({ min: 1, max: 24 * KIB }),
      upsert: fc.constantFrom(true, true, false),
      part,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant('patch' as const), pick: fc.nat(), part: fc.constantFrom(0.5, 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('rush' as const), index, length: fc.integer({ min: 1, max: 30 * KIB }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant('still' as const), index, bytes: fc.integer({ min: 1, max: 12 * KIB }) }),
  },
  fc.record({ act: fc.constant('terminate' as const), pick: fc.nat() }),
  fc.record({ act: fc.constant('remove' as const), index, name }),
  fc.record({ act: fc.constant('removeMany' as const), names: fc.subarray(NAMES, { minLength: 1 }) }),
  fc.record({ act: fc.constantFrom('delete' as const, 'expire' as const), index }),
  fc.record({ act: fc.constant('expireUpload' as const), pick: fc.nat() }),
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('sweep' as const, 'sweep' as const, 'erase' as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;
type Of<Act extends Step['act']> = Extract<Step, { act: Act }>;
/** Mostly without a failure. */
const TROUBLE = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.record({ fault: fc.constantFrom(...FAULTS), skip: fc.nat({ max: 1 }) }) },
);

const app = await createTestApp({ env: { FREE_STORAGE_BYTES: String(STORAGE) } });
const faults = createFaults(app.deps.blobs, app.database.db);

describe('the sums of an account', () => {
  let counter = 0;
  afterAll(() => expectChecksums(app));

  const { query } = app;
  const objects = ({ row }: Folder) => `${app.baseUrl}${OBJECT}/${BUCKET}/${row.bucket_storage_path}`;
  const pathOf = ({ row }: Folder, file: string) => `${row.bucket_storage_path}/${file}`;
  const uploadId = (url: string) => url.split('/').at(-1)!;

  async function newFolder({ account }: Pick<World, 'account'>): Promise<Folder> {
    return { row: await makeFolder(app, account), isExpired: false, files: new Map() };
  }
  async function newWorld(): Promise<World> {
    const account = await app.signIn(`person ${counter++}`);
    const folders = [await newFolder({ account }), await newFolder({ account })];
    return { account, tus: createTus(app, account), folders, uploads: [] };
  }
  async function replace(world: World, folder: Folder): Promise<void> {
    world.uploads = world.uploads.filter((upload) => upload.folder !== folder);
    world.folders[world.folders.indexOf(folder)] = await newFolder(world);
  }
  const drop = (world: World, upload: Upload) => {
    world.uploads = world.uploads.filter((each) => each !== upload);
  };

  /** Adds received bytes to the model; null if they are refused for good. */
  function arrive(world: World, upload: Upload, bytes: number): number {
    upload.offset += bytes;
    if (isOpen(upload)) return 204;
    const { folder, length: size, url } = upload;
    if (folder.files.has(upload.name) && !upload.upsert) {
      drop(world, upload);
      return 409;
    }
    folder.files.set(upload.name, { size, still: 0, url });
    return 204;
  }

  async function create(world: World, step: Of<'create'>): Promise<void> {
    const folder = world.folders[step.index]!;
    const bytes = Math.floor(step.length * step.part);
    const response = await world.tus.post({
      folder: folder.row,
      name: step.name,
      length: step.length,
      headers: {
        'x-upsert': String(step.upsert),
        ...(bytes > 0 && { 'content-type': 'application/offset+octet-stream' }),
      },
      ...(bytes > 0 && { body: BYTES.subarray(0, bytes) }),
    });
    const expected = () => {
      if (folder.isExpired) return 410;
      if (folder.files.has(step.name) && !step.upsert) return 409;
      return used(world) + reserved(world) + step.length > STORAGE ? 413 : 201;
    };
    expect(response.status).toBe(expected());
    if (response.status !== 201) return;
    const { name: file, length, upsert } = step;
    const url = response.headers.get('location')!;
    const upload = { url, folder, name: file, length, upsert, offset: 0, isExpired: false };
    world.uploads.push(upload);
    arrive(world, upload, bytes);
  }

  async function patch(world: World, { pick, part: share }: Of<'patch'>): Promise<void> {
    const upload = world.uploads.filter(isOpen)[pick % (world.uploads.filter(isOpen).length || 1)];
    if (!upload) return;
    const bytes = Math.ceil((upload.length - upload.offset) * share);
    const { status } = await world.tus.patch(upload.url, upload.offset, BYTES.subarray(0, bytes));
    expect(status).toBe(upload.folder.isExpired || upload.isExpired ? 410 : arrive(world, upload, bytes));
  }

  async function rush(world: World, step: Of<'rush'>): Promise<void> {
    const folder = world.folders[step.index]!;
    const { length } = step;
    const names = Array.from({ length: 6 }, (_, each) => `rush ${counter++} ${each}`);
    const room = folder.isExpired ? 0 : Math.floor((STORAGE - used(world) - reserved(world)) / length);
    const answers = await Promise.all(
      names.map(async (file) => ({ file, answer: await world.tus.post({ folder: folder.row, name: file, length }) })),
    );
    const made = answers.filter(({ answer }) => answer.status === 201);
    expect(made).toHaveLength(Math.min(room, names.length));
    for (const { file, answer } of made) {
      const url = answer.headers.get('location')!;
      world.uploads.push({ url, folder, name: file, length, upsert: false, offset: 0, isExpired: false });
    }
  }

  /** Stills of both names; the first ones fit. */
  async function still(world: World, step: Of<'still'>): Promise<void> {
    const folder = world.folders[step.index]!;
    const stills = NAMES.map((file) => stillOf(file, step.bytes, step.bytes));
    const response = await putStills(app, world.account, folder.row, ...stills);
    expect(response.status).toBe(folder.isExpired ? 410 : 200);
    if (folder.isExpired) return;
    let free = STORAGE - used(world) - reserved(world);
    const stored = NAMES.filter((file) => {
      if (!folder.files.has(file) || 2 * step.bytes > free) return false;
      free -= 2 * step.bytes;
      return true;
    });
    expect(await response.json()).toEqual({ stored });
    for (const file of stored) folder.files.get(file)!.still = 2 * step.bytes;
  }

  async function terminate(world: World, { pick }: Of<'terminate'>): Promise<void> {
    const upload = world.uploads[pick % (world.uploads.length || 1)];
    if (!upload) return;
    const { status } = await world.tus.terminate(upload.url);
    expect(status).toBe(upload.folder.isExpired || upload.isExpired ? 410 : 204);
    if (status !== 204) return;
    drop(world, upload);
    if (upload.folder.files.get(upload.name)?.url === upload.url) upload.folder.files.delete(upload.name);
  }

  const remove = async ({ tus, folders: all }: World, step: Of<'remove'>) => {
    const folder = all[step.index]!;
    const { status } = await fetch(`${objects(folder)}/${step.name}`, { method: 'DELETE', headers: tus.headers });
    expect(status).toBe(folder.files.delete(step.name) ? 200 : 404);
  };

  async function removeMany({ tus, folders: all }: World, { names }: Of<'removeMany'>): Promise<void> {
    const prefixes = all.flatMap((folder) => names.map((file) => pathOf(folder, file)));
    const headers = { ...tus.headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ prefixes });
    const response = await fetch(`${app.baseUrl}${OBJECT}/${BUCKET}`, { method: 'DELETE', headers, body });
    expect(response.status).toBe(200);
    for (const folder of all) for (const file of names) folder.files.delete(file);
  }

  async function deleteFolder(world: World, step: Of<'delete' | 'expire'>): Promise<void> {
    const folder = world.folders[step.index]!;
    const { status } = await app.rpc('delete_folder_complete', { folder_id: folder.row.id }, world.account);
    expect(status).toBe(204);
    await replace(world, folder);
  }

  async function expireFolder({ folders: all }: World, step: Of<'delete' | 'expire'>): Promise<void> {
    await expire(app, all[step.index]!.row);
    all[step.index]!.isExpired = true;
  }

  async function expireUpload(world: World, { pick }: Of<'expireUpload'>): Promise<void> {
    const upload = world.uploads[pick % (world.uploads.length || 1)];
    if (!upload) return;
    await query(
      sql`update uploads set expires_at = now() - interval '1 second' where id = ${uploadId(upload.url)}::uuid`,
    );
    upload.isExpired = true;
  }

  async function sweepModel(world: World): Promise<void> {
    await sweepAll(app);
    world.uploads = world.uploads.filter((upload) => !upload.isExpired);
    for (const folder of [...world.folders]) if (folder.isExpired) await replace(world, folder);
  }

  async function erase(world: World): Promise<void> {
    const { status } = await app.call('DELETE', '/rest/v1/profiles/me', { as: world.account });
    expect(status).toBe(204);
    Object.assign(world, await newWorld());
  }

  const run = (world: World, step: Step): Promise<void> => {
    if (step.act === 'create') return create(world, step);
    if (step.act === 'patch') return patch(world, step);
    if (step.act === 'rush') return rush(world, step);
    if (step.act === 'still') return still(world, step);
    if (step.act === 'terminate') return terminate(world, step);
    if (step.act === 'remove') return remove(world, step);
    if (step.act === 'removeMany') return removeMany(world, step);
    if (step.act === 'delete') return deleteFolder(world, step);
    if (step.act === 'expire') return expireFolder(world, step);
    if (step.act === 'expireUpload') return expireUpload(world, step);
    return step.act === 'sweep' ? sweepModel(world) : erase(world);
  };

  /** After a failure the outcome is unknown: the model starts again from the stored sums. */
  async function lookAgain(world: World): Promise<void> {
    const { db } = app.database;
    const session = await app.call('GET', '/rest/v1/profiles/me', { as: world.account });
    if (session.status === 401) return void Object.assign(world, await newWorld());
    const all = await db.select().from(uploads).where(eq(uploads.profile_id, world.account.profile_id));
    const urlOf = (id: string) => `${app.baseUrl}/storage/v1/upload/resumable/${id}`;
    for (const folder of [...world.folders]) {
      const [row] = await db.select().from(folders).where(eq(folders.id, folder.row.id));
      if (!row || row.deleted_at) await replace(world, folder);
      folder.files.clear();
      for (const file of await db.select().from(files).where(eq(files.folder_id, folder.row.id))) {
        const of = all.find((upload) => upload.blob_key === file.blob_key);
        const url = of ? urlOf(of.id) : '';
        folder.files.set(file.name, { size: file.size_bytes, still: stillBytesOf(file), url });
      }
    }
    // A failed sweep may have left what the model has dropped.
    const now = Date.now();
    world.uploads = all.flatMap(({ id, folder_id, name: file, length_bytes: length, offset_bytes: offset, ...row }) => {
      const folder = world.folders.find((each) => each.row.id === folder_id);
      const isExpired = row.expires_at.getTime() <= now;
      return folder ? [{ url: urlOf(id), folder, name: file, length, upsert: row.upsert, offset, isExpired }] : [];
    });
  }

  async function expectBooks(world: World): Promise<void> {
    expect(await accountOf(app, world.account)).toEqual({ used: used(world), reserved: reserved(world) });
    await expectExactSums(app);
    const rows = await query<{ blob_key: string; bytes: string }>(sql`
      select blob_key, size_bytes as bytes from files
      union all select still_key, still_small_bytes + still_large_bytes from files where still_key is not null
      union all select blob_key, offset_bytes from uploads where completed_at is null and offset_bytes > 0`);
    for (const { blob_key, bytes } of rows) {
      const blob = await blobOf(app.database.db, blob_key);
      await (await app.deps.blobs.open(blob, Number(bytes))).close();
    }
  }

  async function replay(steps: readonly (readonly [Step, { fault: Fault; skip: number } | null])[]): Promise<void> {
    const world = await newWorld();
    for (const [step, trouble] of steps) {
      if (!trouble) await run(world, step);
      else {
        faults.arm(trouble.fault, trouble.skip);
        await run(world, step).catch(() => undefined);
        faults.disarm();
        await lookAgain(world);
        await expectBooks(world);
      }
    }
    await expectBooks(world);
    // The account's deletion deletes everything, also after earlier failures.
    expect((await app.call('DELETE', '/rest/v1/profiles/me', { as: world.account })).status).toBe(204);
    expect(await sweepAll(app)).toEqual([]);
    for (const table of ['files', 'uploads', 'blob_removals', 'blob_parts']) {
      expect(await query(sql`select * from ${sql.identifier(table)}`), table).toEqual([]);
    }
    expect(await storedBlobs(app)).toEqual([]);
  }

  test('are exact after any sequence of acts, with failures in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(STEP, TROUBLE), { minLength: 12, maxLength: 24, size: 'max' }), replay),
      {
        numRuns: 12,
        endOnFailure: true,
      },
    );
  });
});
