import { join } from 'node:path';
import type { Folder } from '@satchel/contract/entities';
import { KIB, MIB } from '@satchel/contract/limits';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { purgeQueuedBlobs, queueBlobs } from '../../src/domain/files/blob-purge.ts';
import type { BlobParts } from '../../src/platform/blobs/blobs.ts';
import { createDiskBlobs } from '../../src/platform/blobs/blobs-disk.ts';
import { createChangeChannel } from '../../src/platform/database/change-channel.ts';
import { inTransaction, rowsOf } from '../../src/platform/database/db.ts';
import { createSharedVisitorSalts } from '../../src/platform/keys/shared-visitor-salts.ts';
import { createTextSealer } from '../../src/platform/keys/text-sealer.ts';
import { upload_intents } from '../../src/platform/schema/bot.ts';
import { blob_removals } from '../../src/platform/schema/files.ts';
import { openTestDatabase, takeDatabase, takeFolder } from '../support/at-end.ts';
import { command, recordRest, type Said } from '../support/discord/discord-kit.ts';
import {
  createTus,
  createUploadOf,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  openPatch,
  sha256,
  someBytes,
  untilHeld,
  untilOffset,
} from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { idOf, openSocket } from '../support/uploads/socket-kit.ts';

/** Any request may land on any node of a site. */

const SOON = { gatherMs: 20, againMs: 50, lookMs: 100 };

/** Some of it only shows with more than two. */
const COUNTS = [2, 4];

let onEdit: (edit: Said) => Promise<void> | void = () => undefined;
const said = recordRest((edit) => onEdit(edit));

/** What all nodes seal the salts with. */
const sealerOfSite = () => createTextSealer(Buffer.from('a secret that all nodes of this test have'), 'salts');

const databaseUrl = await takeDatabase();
const shared = await takeFolder();
const blobs = createDiskBlobs({ dir: join(shared, 'blobs') });

/** One more node of the site, with its own connections to the one database, and the one store. */
async function startNode(): Promise<TestApp> {
  const database = await openTestDatabase({ url: databaseUrl });
  return createTestApp({
    env: { PUBLIC_URL: 'https://files.example.org', KEYS_DIR: join(shared, 'keys') },
    deps: {
      database,
      blobs,
      changeChannel: createChangeChannel(databaseUrl, () => undefined),
      visitorSalts: createSharedVisitorSalts({ db: database.db, sealer: sealerOfSite() }),
      discordRest: said.rest,
      tellTimes: SOON,
    },
  });
}

const here = await startNode();
const there = await startNode();
const nodes = [here, there, await startNode(), await startNode()];
let mika = await here.signIn('mika');

/** The same upload, by the address of a node. */
const at = (node: TestApp, url: string) => node.baseUrl + new URL(url).pathname;

describe('what one node began, another one continues with', () => {
  test('a session, its folder, the folder’s files, and its end', async () => {
    const folder = await makeFolder(here, mika);
    const statuses = () =>
      Promise.all(nodes.map(async (node) => (await node.call('GET', '/auth/v1/user', { as: mika })).status));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const { body } = await there.rpc<{ folder_slug: string }>('get_folder_complete_data', {
      input_folder_slug: folder.slug,
    });
    expect(body.folder_slug).toBe(folder.slug);
    expect((await there.call('POST', '/auth/v1/logout', { as: mika })).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    mika = await here.signIn('mika');
  });

  test('an upload whose requests and sockets land on either node', async () => {
    const { url, bytes, content } = await createUploadOf(here, mika, 3 * MIB);
    const [tusHere, tusThere] = [createTus(here, mika), createTus(there, mika)];
    expect((await tusHere.patch(at(here, url), 0, bytes.subarray(0, MIB))).status).toBe(204);
    expect(await tusThere.offsetOf(at(there, url))).toBe(MIB);
    const socket = await openSocket(there);
    socket.begin(url, MIB, mika);
    await socket.heard('ready');
    socket.socket.send(bytes.subarray(MIB, 2 * MIB));
    await untilOffset(here, url, (offset) => offset === 2 * MIB);
    socket.socket.close();
    await socket.closed;
    expect(await tusHere.offsetOf(at(here, url))).toBe(2 * MIB);
    expect((await tusThere.patch(at(there, url), 2 * MIB, bytes.subarray(2 * MIB))).status).toBe(204);
    expect(sha256(await content())).toBe(sha256(bytes));
    await expectExactSums(here);
  });
});

describe('two nodes on one upload', () => {
  test('the node that is overtaken is fenced, and what it still receives does not show', async () => {
    const { url, bytes, content } = await createUploadOf(here, mika, 2 * MIB);
    const stale = openPatch(createTus(here, mika), at(here, url), 0, bytes.length);
    await stale.send(bytes.subarray(0, 600 * KIB));
    await untilHeld(here, url);
    const tus = createTus(there, mika);
    const offset = await tus.offsetOf(at(there, url));
    await stale.send(someBytes(bytes.length - 600 * KIB));
    stale.end();
    expect(await stale.outcome).toMatchObject({ status: 409, body: expect.stringContaining('upload.lost_lease') });
    expect((await tus.patch(at(there, url), offset, bytes.subarray(offset))).status).toBe(204);
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test.each(COUNTS)('of requests to %i nodes at once exactly one wins, and the file is the winner’s', async (count) => {
    const { url, content } = await createUploadOf(here, mika, MIB);
    const bodies = Array.from({ length: 6 }, (_, index) => Buffer.alloc(MIB, index + 1));
    const answers = await Promise.all(
      bodies.map((body, index) => {
        const node = nodes[index % count]!;
        return createTus(node, mika).patch(at(node, url), 0, body);
      }),
    );
    const winners = bodies.filter((_, index) => answers[index]!.status === 204);
    expect(winners).toHaveLength(1);
    expect(answers.every(({ status }) => [204, 409, 423].includes(status))).toBe(true);
    expect(Buffer.compare(await content(), winners[0]!)).toBe(0);
  });

  test('a termination on one node ends the sender of another one', async () => {
    const { url, bytes } = await createUploadOf(here, mika, 2 * MIB);
    const socket = await openSocket(here);
    socket.begin(idOf(url), 0, mika);
    await socket.heard('ready');
    expect((await createTus(there, mika).terminate(at(there, url))).status).toBe(204);
    socket.socket.send(bytes.subarray(0, MIB));
    expect(await socket.heard('error')).toMatchObject({ error: { code: 'upload.not_found', status: 404 } });
    await expectExactSums(here);
  });
});

test('a download on one node is cut when the file is deleted on another one', async () => {
  // More than the system holds of a connection: 32 MiB to be read, and 4 to be sent, where it is set so.
  const { url, bytes, folder } = await createUploadOf(here, mika, 48 * MIB);
  expect((await createTus(here, mika).patch(at(here, url), 0, bytes)).status).toBe(204);
  const [file] = await listed(folder.bucket_storage_path);
  const path = `${folder.bucket_storage_path}/${file!.name}`;
  const download = await fetch(`${here.baseUrl}${OBJECT}/public/unlocked-folders/${path}`);
  expect(download.status).toBe(200);
  const reader = download.body!.getReader();
  await reader.read();
  const deleted = await fetch(`${there.baseUrl}${OBJECT}/unlocked-folders/${path}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${mika.bearer}` },
  });
  expect(deleted.status).toBe(200);
  // Read only once it is cut.
  await expect.poll(() => openConnections(here)).toBe(0);
  const readRest = async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read());
  };
  await expect(readRest()).rejects.toThrow();
});

async function listed(prefix: string): Promise<{ name: string }[]> {
  const response = await here.call('POST', `${OBJECT}/list/unlocked-folders`, { body: { prefix } });
  return (await response.json()) as { name: string }[];
}

/** A node's connections with a request under way. */
async function openConnections(node: TestApp): Promise<number> {
  node.server.closeIdleConnections();
  return new Promise((resolve, reject) =>
    node.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

describe('counting', () => {
  test('a stranger who comes to both nodes is one visitor', async () => {
    const folder = await makeFolder(here, mika);
    const visits = async () =>
      rowsOf(
        await here.database.db.execute(
          sql`select last_seen_at > first_seen_at as came_twice from folder_visitors where folder_id = ${folder.id}::uuid`,
        ),
      );
    const come = async (node: TestApp) => {
      const visit = { folder_slug: folder.slug, kind: 'view' };
      const response = await node.call('POST', '/rest/v1/rpc/record_folder_event', { body: visit });
      expect(response.status).toBeLessThan(300);
    };
    await come(here);
    // Saved in the same millisecond, both visits would have one time.
    await expect.poll(visits).toEqual([{ came_twice: false }]);
    await come(there);
    await expect.poll(visits).toEqual([{ came_twice: true }]);
  });

  test('the salt of yesterday is deleted, and one that no node can open is replaced', async () => {
    const { db } = here.database;
    const stranger = { address: '203.0.113.9', userAgent: 'Some Browser/1.0' };
    await db.execute(sql`insert into visitor_salts values ((now() at time zone 'utc')::date - 1, 'of yesterday')`);
    await there.deps.visitorSalts.purgePast();
    expect(rowsOf(await db.execute(sql`select sealed_salt from visitor_salts`))).not.toContainEqual({
      sealed_salt: 'of yesterday',
    });
    await db.execute(sql`update visitor_salts set sealed_salt = 'of another SESSION_SECRET'`);
    const [one, other] = ['one', 'one'].map(() => createSharedVisitorSalts({ db, sealer: sealerOfSite() }));
    const pseudonym = await one!.pseudonymOf('folder', stranger);
    expect(await other!.pseudonymOf('folder', stranger)).toBe(pseudonym);
    expect(await other!.pseudonymOf('another folder', stranger)).not.toBe(pseudonym);
  });
});

test.each(COUNTS)('%i sweeps at once purge each blob once', async (count) => {
  const keys = Array.from({ length: 250 }, () => crypto.randomUUID());
  await inTransaction(here.database.db, (tx) => queueBlobs(tx, keys));
  const purged: string[] = [];
  const blobs = {
    ...here.deps.blobs,
    delete: async (some: readonly BlobParts[]) => {
      purged.push(...some.map(({ blobKey }) => blobKey));
      return new Map<string, unknown>();
    },
  };
  const failures: unknown[] = [];
  await Promise.all(
    nodes
      .slice(0, count)
      .map(({ database: { db } }) => purgeQueuedBlobs({ db, blobs }, (error) => failures.push(error))),
  );
  expect(failures).toEqual([]);
  expect(purged.toSorted()).toEqual(keys.toSorted());
  expect(await here.database.db.$count(blob_removals)).toBe(0);
});

describe('the reply to /upload', () => {
  const editsOf = (token: string) => said.all.filter((edit) => edit.token === token);
  async function put(node: TestApp, folder: Folder) {
    const tus = createTus(node, mika);
    const url = await tus.create({ folder, name: freshName(), length: 2048 });
    expect((await tus.patch(at(node, url), 0, someBytes(2048))).status).toBe(204);
  }

  test.each(COUNTS)('is edited by one of %i nodes at a time, and in the end shows the files of all', async (count) => {
    const folder = await makeFolder(here, mika);
    const { token } = await command(here, 'mika', 'upload', { folder: folder.id });
    let editing = 0;
    let most = 0;
    onEdit = async () => {
      editing += 1;
      most = Math.max(most, editing);
      await new Promise((resolve) => setTimeout(resolve, 30));
      editing -= 1;
    };
    await Promise.all(Array.from({ length: 4 }, (_, index) => put(nodes[index % count]!, folder)));
    await expect.poll(() => editsOf(token).at(-1)?.message.content).toContain('4 files');
    expect(most).toBe(1);
    onEdit = () => undefined;
  });

  test('that a killed node left in the middle of its edit is edited by another node', async () => {
    const folder = await makeFolder(here, mika);
    const { token } = await command(here, 'mika', 'upload', { folder: folder.id });
    const { db } = here.database;
    const claim = (until: ReturnType<typeof sql>) =>
      db.update(upload_intents).set({ telling_until: until }).where(eq(upload_intents.folder_id, folder.id));
    await claim(sql`now() + interval '1 minute'`);
    await put(here, folder);
    await claim(sql`now()`);
    await expect.poll(() => editsOf(token)).toHaveLength(1);
  });
});
