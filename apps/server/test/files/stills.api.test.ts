import { once } from 'node:events';
import { rm, truncate } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { KIB, MIB } from '@satchel/contract/limits';
import { encodeFrames } from '@satchel/contract/wire/still-frames';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { MINIMUM_RATE } from '../../src/domain/uploads/minimum-rate.ts';
import { createStillBodies } from '../../src/domain/uploads/still-bodies.ts';
import { setAccess } from '../support/discord/guests.ts';
import { createOperatedApp } from '../support/operators.ts';
import {
  accountOf,
  blobPath,
  codeOf,
  createOwners,
  deleteFolder,
  expectChecksums,
  expectExactSums,
  makeFolder,
  OBJECT,
  storedBlobs,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import {
  askStills,
  FRAMES_TYPE,
  fileRow,
  makeFiles,
  putBody,
  putStills,
  queuedBlobs,
  STILL,
  stillOf,
  stillsOf,
  storeStills,
} from '../support/uploads/still-kit.ts';

/** Stills of files (docs/container.md §6): stored, listed and read; refused or left out, and readers that get none. */

const newOwner = createOwners(() => app);

const app = await createOperatedApp();
afterEach(async () => {
  await expectExactSums(app);
  expect(await queuedBlobs(app)).toEqual([]);
  expect(app.log.splice(0).filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

describe('a still', () => {
  afterAll(() => expectChecksums(app));

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
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});

async function makeOwned(count = 1) {
  const [owner, folder] = await newOwner('private');
  const names = await makeFiles(app, owner, folder, count);
  return { owner, folder, names, name: names[0]! };
}

describe('storing', () => {
  test('leaves out names of other folders, of no file, and those that no file can have', async () => {
    const { owner, folder, name } = await makeOwned();
    const elsewhere = await makeOwned();
    const names = [elsewhere.name, 'unknown.enc', '../x.enc', 'a/b.enc', '..', 'a\0.enc', 'plain.png', name];
    expect(await storeStills(app, owner, folder, ...names.map((each) => stillOf(each)))).toEqual([name]);
    expect(await stillsOf(app, elsewhere.folder, elsewhere.names, 'small')).toEqual([null]);
  });

  test.each([
    ['is cut off', () => encodeFrames([stillOf('a.enc')]).subarray(0, -1)],
    ['has lengths beyond its end', () => new Uint8Array([0, 1, 97, 255, 255, 255, 255, 1])],
    ['is no frames', () => new TextEncoder().encode('<svg onload=alert(1)>')],
    ['has a name twice', () => encodeFrames([stillOf('a.enc'), stillOf('a.enc')])],
    ['has 33 stills', () => encodeFrames(Array.from({ length: 33 }, (_, at) => stillOf(`${at}.enc`, 5, 5)))],
    ['has a still without bytes', () => encodeFrames([stillOf('a.enc', 0)])],
    ['has a still that is too long', () => encodeFrames([stillOf('a.enc', 16 * KIB + 1)])],
  ])('refuses a body that %s, whole', async (_, make) => {
    const { owner, folder, name } = await makeOwned();
    const before = await storedBlobs(app);
    const body = Buffer.concat([encodeFrames([stillOf(name)]), make()]);
    const response = await putBody(app, owner, folder, new Uint8Array(body));
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe('request.invalid');
    expect(await storedBlobs(app)).toEqual(before);
  });

  test('refuses a body of more than 2 MiB, one of unknown length, another type and another bucket', async () => {
    const { owner, folder, name } = await makeOwned();
    const authorization = `Bearer ${owner.bearer}`;
    const path = `${app.baseUrl}${STILL}/unlocked-folders/${folder.bucket_storage_path}`;
    const body = encodeFrames([stillOf(name)]);
    expect((await putBody(app, owner, folder, new Uint8Array(2 * MIB + 1))).status).toBe(413);
    const headers = { authorization, 'content-type': FRAMES_TYPE };
    const streamed = { method: 'PUT', headers, body: new Blob([body]).stream(), duplex: 'half' } as RequestInit;
    expect((await fetch(path, streamed)).status).toBe(400);
    const typed = { ...headers, 'content-type': 'application/json' };
    expect((await fetch(path, { method: 'PUT', headers: typed, body })).status).toBe(415);
    const elsewhere = path.replace('unlocked-folders', 'other');
    expect(await codeOf(await fetch(elsewhere, { method: 'PUT', headers, body }))).toBe('storage.bucket_not_found');
    expect(await stillsOf(app, folder, [name], 'small')).toEqual([null]);
  });

  test('stores nothing when its sender leaves before the end, and takes the next body all the same', async () => {
    const { owner, folder, name } = await makeOwned();
    const half = new Uint8Array(KIB);
    for (let sender = 0; sender < 6; sender += 1) {
      const outgoing = request(`${app.baseUrl}${STILL}/unlocked-folders/${folder.bucket_storage_path}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${owner.bearer}`,
          'content-type': FRAMES_TYPE,
          'content-length': String(2 * MIB),
        },
      });
      const failed = once(outgoing, 'error');
      await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
      outgoing.destroy(new Error('left'));
      await failed;
    }
    expect(await stillsOf(app, folder, [name], 'small')).toEqual([null]);
    await expect.poll(async () => (await putStills(app, owner, folder, stillOf(name))).status).toBe(200);
    expect(await stillsOf(app, folder, [name], 'small')).not.toEqual([null]);
  });

  test('is limited by the number of stills', async () => {
    const limited = await createTestApp({ deps: { rateLimits: { stills: [{ max: 5, seconds: 3600 }] } } });
    const mika = await limited.signIn('mika');
    const folder = await makeFolder(limited, mika);
    const names = await makeFiles(limited, mika, folder, 5);
    expect(await storeStills(limited, mika, folder, ...names.map((name) => stillOf(name)))).toHaveLength(5);
    const refused = await putStills(limited, mika, folder, stillOf(names[0]!));
    expect([refused.status, await codeOf(refused)]).toEqual([429, 'request.too_many']);
  });

  test('takes bounded memory of all people and of one, and gives it back', () => {
    const bodies = createStillBodies(MINIMUM_RATE);
    const busy = expect.objectContaining({ code: 'request.busy', status: 503 });
    const tooMany = expect.objectContaining({ code: 'request.too_many', status: 429 });
    const mine = Array.from({ length: 4 }, () => bodies.take('mika', 2 * MIB));
    expect(() => bodies.take('mika', 1)).toThrow(tooMany);
    for (const person of ['a', 'b', 'c']) for (let at = 0; at < 4; at += 1) bodies.take(person, 2 * MIB);
    expect(() => bodies.take('d', 1)).toThrow(busy);
    mine[0]!();
    mine[0]!();
    bodies.take('d', 2 * MIB);
    expect(() => bodies.take('d', 1)).toThrow(busy);
    bodies.close();
    expect(() => bodies.take('e', 1)).toThrow(expect.objectContaining({ code: 'request.unavailable' }));
  });
});

describe('reading', () => {
  test('answers with none for names that no file of the folder has', async () => {
    const { owner, folder, name } = await makeOwned();
    const elsewhere = await makeOwned();
    await storeStills(app, elsewhere.owner, elsewhere.folder, stillOf(elsewhere.name));
    const still = stillOf(name);
    await storeStills(app, owner, folder, still);
    const names = [elsewhere.name, '', '.', '../x', 'a\0b', 'n'.repeat(1024), '\ud800', name];
    expect(await stillsOf(app, folder, names, 'small')).toEqual([...Array(7).fill(null), still.small]);
  });

  test.each([
    ['65 names', { names: Array(65).fill('a'), size: 'small' }],
    ['no name', { names: [], size: 'small' }],
    ['another size', { names: ['a'], size: 'huge' as 'small' }],
  ])('refuses %s', async (_, input) => {
    const { folder } = await makeOwned();
    const response = await askStills(app, null, { folder, ...(input as { names: string[]; size: 'small' }) });
    expect([response.status, await codeOf(response)]).toEqual([400, 'request.invalid']);
  });

  test('continues past a still whose bytes are missing, cut or unreadable', async () => {
    const { owner, folder, names } = await makeOwned(4);
    const stills = names.map((name) => stillOf(name));
    await storeStills(app, owner, folder, ...stills);
    const keys = await Promise.all(names.map(async (name) => (await fileRow(app, name)).still_key!));
    await rm(blobPath(app, keys[0]!));
    await truncate(blobPath(app, keys[1]!), 1000);
    const { open } = app.deps.blobs;
    Object.assign(app.deps.blobs, {
      open: async (...[what, bytes]: Parameters<typeof open>) => {
        if (what.blobKey === keys[2]) throw new Error('input/output error');
        return open(what, bytes);
      },
    });
    expect(await stillsOf(app, folder, names, 'large')).toEqual([null, null, null, stills[3]!.large]);
    Object.assign(app.deps.blobs, { open });
    expect(app.log.splice(0).filter((line) => line.includes('still not read'))).toHaveLength(1);
    await deleteFolder(app, owner, folder);
  });

  /** A reader of an answer whose last stills are not read from the disk until `readOn` is called. */
  async function beginReading() {
    const made = await makeOwned(16);
    await storeStills(app, made.owner, made.folder, ...made.names.map((name) => stillOf(name)));
    const last = await fileRow(app, made.names.at(-1)!);
    const asked = Promise.withResolvers<void>();
    const { open } = app.deps.blobs;
    Object.assign(app.deps.blobs, {
      open: async (...[what, bytes]: Parameters<typeof open>) => {
        if (what.blobKey === last.still_key) await asked.promise;
        return open(what, bytes);
      },
    });
    const outgoing = request(`${app.baseUrl}${STILL}/unlocked-folders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    // A connection that is cut fails the request as well as the answer.
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify({ prefix: made.folder.bucket_storage_path, names: made.names, size: 'large' }));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    const ended = new Promise<'whole' | 'cut'>((resolve) => {
      response.on('end', () => resolve('whole'));
      response.on('error', () => resolve('cut'));
    });
    response.resume();
    const readOn = () => {
      Object.assign(app.deps.blobs, { open });
      asked.resolve();
    };
    return { ...made, outgoing, ended, readOn };
  }

  test('breaks off when the folder is deleted, instead of looking whole', async () => {
    const { owner, folder, ended, readOn } = await beginReading();
    await deleteFolder(app, owner, folder);
    expect(await ended).toBe('cut');
    readOn();
  });

  test('breaks off for a reader who is not let in when the folder is restricted', async () => {
    const { owner, folder, ended, readOn } = await beginReading();
    await setAccess(app, owner, folder, 'restricted');
    expect(await ended).toBe('cut');
    readOn();
  });

  test('that its reader leaves ends without a trace', async () => {
    const { folder, names, outgoing, ended, readOn } = await beginReading();
    outgoing.destroy();
    expect(await ended).toBe('cut');
    readOn();
    expect(await stillsOf(app, folder, names.slice(0, 1), 'small')).toHaveLength(1);
  });
});

test('the own data that a person exports have nothing of stills', async () => {
  const { owner, folder, name } = await makeOwned();
  await storeStills(app, owner, folder, stillOf(name));
  const exported = await (await app.call('GET', '/rest/v1/profiles/me/export', { as: owner })).text();
  expect(exported).toContain(name);
  expect(exported).not.toMatch(/still/);
});
