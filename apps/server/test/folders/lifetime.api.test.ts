import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerTime } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { KIB, MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { databaseTime } from '../../src/platform/database/db.ts';
import { MATRIX, makeOwnersCell, sendRow } from '../roles/matrix-rows.ts';
import {
  createTus,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  openPatch,
  someBytes,
  storedBlobs,
  sweepAll,
  type Tus,
  untilOffset,
  upload,
  uploadState,
} from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';
import { fileRow } from '../support/uploads/still-kit.ts';

const BUCKET = 'unlocked-folders';
/** More than the sockets between a server and a slow reader hold. */
const LARGE = someBytes(12 * MIB);

/** A slow reader; `began` resolves with its first bytes. */
function slowGet(
  url: string,
  headers: Record<string, string> = {},
): { began: Promise<void>; ended: Promise<{ end: 'whole' | 'cut'; bytes: number }> } {
  let began = () => {};
  let bytes = 0;
  const ended = new Promise<{ end: 'whole' | 'cut'; bytes: number }>((resolve) => {
    const cut = () => resolve({ end: 'cut', bytes });
    const read = (response: IncomingMessage) => {
      expect([response.statusCode, response.headers['content-length']]).toEqual([200, String(LARGE.length)]);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        began();
        response.pause();
        setTimeout(() => response.resume(), 100);
      });
      response.on('end', () => resolve({ end: 'whole', bytes }));
      response.on('error', cut);
    };
    request(url, { headers }).on('response', read).on('error', cut).end();
  });
  return { began: new Promise((resolve) => (began = resolve)), ended };
}

/** A person with a folder, and their calls. */
interface Owner {
  readonly mika: Account;
  readonly tus: Tus;
  readonly folder: Folder;
}
type Act = (app: TestApp, owner: Owner & { readonly name: string }) => Promise<unknown>;

const urlOf = (app: TestApp, { folder }: Owner, kind: string, name: string) =>
  `${app.baseUrl}${OBJECT}${kind}/${BUCKET}/${folder.bucket_storage_path}/${name}`;
/** The owner ends it now. */
const endNow: Act = (app, { mika, folder }) =>
  app.rpc('update_folder_settings', { folder_id: folder.id, new_expires_at: new Date(0).toISOString() }, mika);

/** Everything that ends a folder, with all transfers. */
const ENDINGS: Readonly<Record<string, Act>> = {
  'its folder’s time is up': (app, { folder }) => expire(app, folder),
  'its folder’s life is shortened': endNow,
  'its folder is deleted': (app, { mika, folder }) => deleteFolder(app, mika, folder),
  'the account is deleted': (app, { mika }) => app.call('DELETE', '/rest/v1/profiles/me', { as: mika }),
  'another node deletes the folder': (app, { folder }) =>
    app.database.db.execute(sql`update folders set deleted_at = now() where id = ${folder.id}::uuid`),
};
const restrict: Act = (app, { mika, folder }) =>
  app.rpc('update_folder_settings', { folder_id: folder.id, new_access: 'restricted' }, mika);
const FILE_ENDINGS: Readonly<Record<string, Act>> = {
  ...ENDINGS,
  'its folder is restricted to others': restrict,
  'it is deleted': (app, owner) =>
    fetch(urlOf(app, owner, '', owner.name), { method: 'DELETE', headers: owner.tus.headers }),
  // A reader would keep the space in use that its owner’s quota counts as free.
  'it is replaced': async (_app, { tus, folder, name }) => {
    await upload(tus, folder, name, someBytes(5), { 'x-upsert': 'true' });
  },
};

const app = await createTestApp();

describe('the life of a folder', () => {
  let counter = 0;
  afterEach(() => expectExactSums(app));

  async function newOwner(): Promise<Owner> {
    const mika = await app.signIn(`mika ${counter++}`);
    return { mika, tus: createTus(app, mika), folder: await makeFolder(app, mika) };
  }
  async function put({ tus, folder }: Owner, content: Buffer<ArrayBuffer>): Promise<string> {
    const name = freshName();
    await upload(tus, folder, name, content);
    return name;
  }
  async function signedUrl(owner: Owner, name: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ expiresIn: 3600 });
    const response = await fetch(urlOf(app, owner, '/sign', name), { method: 'POST', headers, body });
    const { signedURL } = (await response.json()) as { signedURL: string };
    return `${app.baseUrl}/storage/v1${signedURL}`;
  }
  const setBack = (statement: ReturnType<typeof sql>) => app.database.db.execute(statement);

  test('an expired folder is 410 for every reader and at every address, before its sweep and after', async () => {
    const owner = await newOwner();
    const cell = await makeOwnersCell(app, owner.mika);
    const { folder } = cell;
    // What is over for its owner by the folder's end, and by nothing else.
    const isEndedByFolder = ([, , ofOwner, whenExpired]: readonly number[]) => whenExpired === 410 && ofOwner !== 410;
    const routes = Object.keys(MATRIX).filter((route) => isEndedByFolder(MATRIX[route]![0]));
    const answers = async () => {
      const asked = routes.map(async (route) => {
        const isForAll = MATRIX[route]![0][0]! < 300;
        return [route, (await sendRow(app, route, cell, isForAll ? {} : owner.mika)).status] as const;
      });
      return Object.fromEntries(await Promise.all(asked));
    };
    const all = (status: number, ofUpload = status) =>
      Object.fromEntries(routes.map((route) => [route, route.includes('/:id') ? ofUpload : status]));
    await endNow(app, { ...owner, folder, name: '' });
    expect(await answers()).toEqual(all(410));
    expect(await sweepAll(app)).toEqual([]);
    expect(await answers()).toEqual(all(410));
    // Its rows are purged after an hour; it stays Expired for 30 days.
    await setBack(sql`update folders set deleted_at = now() - interval '2 hours' where id = ${folder.id}::uuid`);
    expect(await sweepAll(app)).toEqual([]);
    expect(await answers()).toEqual(all(410));
    await setBack(sql`update slugs set purge_at = now() where slug = ${folder.slug}`);
    expect(await sweepAll(app)).toEqual([]);
    expect(await answers()).toEqual(all(404, 410));
  });

  test('a folder lives for at least a second', async () => {
    const { mika } = await newOwner();
    const make = async (hours: number) =>
      (await app.rpc('create_folder_with_temp_key', { expires_in_hours: hours }, mika)).status;
    expect(await make(1e-9)).toBe(400);
    expect(await make(1 / 3600)).toBe(201);
  });

  test('a download whose file ends is a broken connection, never a short file that looks whole', async () => {
    const ends = Object.entries(FILE_ENDINGS).map(async ([when, act], index) => {
      const owner = await newOwner();
      const name = await put(owner, LARGE);
      const url = index % 2 ? await signedUrl(owner, name) : urlOf(app, owner, '/public', name);
      const read = slowGet(url);
      await read.began;
      await act(app, { ...owner, name });
      const { end, bytes } = await read.ended;
      expect([when, end]).toEqual([when, 'cut']);
      expect(bytes).toBeLessThan(LARGE.length);
    });
    await Promise.all(ends);
  });

  test('its owner’s download continues when the folder is restricted', async () => {
    const owner = await newOwner();
    const { tus } = owner;
    const name = await put(owner, LARGE);
    const response = await fetch(urlOf(app, owner, '', name), { headers: tus.headers });
    await restrict(app, { ...owner, name });
    // Until the check for deleted files has asked for its blob.
    const { blob_key } = await fileRow(app, name);
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    await expect.poll(() => queries.mock.calls.map(([, values]) => String(values)).join()).toContain(blob_key);
    queries.mockRestore();
    expect(Buffer.from(await response.arrayBuffer()).equals(LARGE)).toBe(true);
  });

  test('a download from a restricted folder ends with its owner’s session', async () => {
    const owner = await newOwner();
    const name = await put(owner, LARGE);
    await restrict(app, { ...owner, name });
    const read = slowGet(urlOf(app, owner, '', name), owner.tus.headers);
    await read.began;
    await app.call('POST', '/auth/v1/logout', { as: owner.mika });
    expect((await read.ended).end).toBe('cut');
  });

  describe('an upload under way', () => {
    const LENGTH = 4 * MIB;
    const HALF = LENGTH / 2;

    /** Sends half of it, which is acknowledged, and then a little at a time until it ends. */
    async function begin({ tus, folder }: Owner) {
      const name = freshName();
      const bytes = someBytes(LENGTH);
      const url = await tus.create({ folder, name, length: LENGTH });
      const { blob_key } = await uploadState(app, url);
      const patch = openPatch(tus, url, 0, LENGTH);
      await patch.send(bytes.subarray(0, HALF));
      await untilOffset(app, url, (offset) => offset === HALF);
      async function goOn() {
        let isOver = false;
        const outcome = patch.outcome.finally(() => {
          isOver = true;
        });
        for (let at = HALF; !isOver && at < LENGTH - KIB; at += KIB) {
          void patch.send(bytes.subarray(at, at + KIB));
          await sleep(20);
        }
        const how = await outcome;
        patch.abort();
        return how === 'cut' ? how : how.status;
      }
      return { name, bytes, url, blob_key, goOn };
    }
    const signOut = (account: Account) => app.call('POST', '/auth/v1/logout', { as: account });

    test('ends with its folder, and leaves nothing', async () => {
      const ends = Object.entries(ENDINGS).map(async ([when, act]) => {
        const owner = await newOwner();
        const { name, url, blob_key, goOn } = await begin(owner);
        await act(app, { ...owner, name });
        expect(['cut', 401, 404, 410], when).toContain(await goOn());
        expect([401, 404, 410], when).toContain((await owner.tus.head(url)).status);
        return { when, blob_key };
      });
      const ended = await Promise.all(ends);
      expect(await sweepAll(app)).toEqual([]);
      const left = new Set(await storedBlobs(app));
      // What another node deleted is swept by that node.
      const swept = ended.filter(({ when }) => !when.startsWith('another node'));
      expect(swept.filter(({ blob_key }) => left.has(blob_key))).toEqual([]);
    });

    test('ends when its sender signs out; acknowledged bytes stay, and a new session continues', async () => {
      const owner = await newOwner();
      const { name, bytes, url, goOn } = await begin(owner);
      await signOut(owner.mika);
      expect(['cut', 401]).toContain(await goOn());
      expect((await owner.tus.head(url)).status).toBe(401);
      const again = createTus(app, await app.signIn(`mika ${counter - 1}`));
      const offset = await again.offsetOf(url);
      expect(offset).toBeGreaterThanOrEqual(HALF);
      expect(offset).toBeLessThan(LENGTH);
      expect((await again.patch(url, offset, bytes.subarray(offset))).status).toBe(204);
      const content = await (await fetch(urlOf(app, owner, '/public', name))).arrayBuffer();
      expect(Buffer.from(content).equals(bytes)).toBe(true);
    });

    test('becomes no file by a last byte after sign-out', async () => {
      const owner = await newOwner();
      const { mika, tus, folder } = owner;
      const name = freshName();
      const url = await tus.create({ folder, name, length: 100 });
      const patch = openPatch(tus, url, 0, 100);
      await patch.send(someBytes(99));
      await untilOffset(app, url, (offset) => offset === 99);
      await signOut(mika);
      await patch.send(someBytes(1));
      patch.end();
      const outcome = await patch.outcome;
      if (outcome !== 'cut') expect(outcome).toMatchObject({ status: 401 });
      expect((await fetch(urlOf(app, owner, '/public', name))).status).toBe(404);
      expect((await uploadState(app, url)).offset_bytes).toBe(99);
    });
  });
});

test('anybody can ask for the database’s clock, so that a device with a wrong one purges no key too early', async () => {
  const app = await createTestApp();
  const clock = async () => (await databaseTime(app.database.db)).getTime();
  const before = await clock();
  const response = await app.call('GET', '/rest/v1/server_time');
  const { server_time } = ServerTime.parse(await response.json());
  const said = Date.parse(server_time);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect([before <= said, said <= (await clock())]).toEqual([true, true]);
});
