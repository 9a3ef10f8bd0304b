import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateFolderOutput, FolderCompleteData } from '@satchel/contract/api';
import { PASSPHRASE_TRIES_PER_CLIENT } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { openTestDatabase, takeDatabase, takeFolder } from '../support/at-end.ts';
import { databaseFiles, endOfLog, filesBelow } from '../support/database/kept-bytes.ts';
import { hoursFromNow, newPassphrase, newPrivate } from '../support/folders.ts';
import { freePort } from '../support/free-port.ts';
import { createServerProcesses, type ServerProcess } from '../support/server-process.ts';
import { beginSessionAs } from '../support/test-app.ts';

/** A real server process on a real directory, with secrets that it makes itself, killed without warning. */

const SEALING_SECRET = 'secrets/key-sealing-secret';
const KEY = randomBytes(64);

const dataDir = await takeFolder();
const url = await takeDatabase();
const database = await openTestDatabase({ url });
const begin = await endOfLog(database.db);
const baseUrl = `http://127.0.0.1:${await freePort()}`;
const cookie = `sid=${(await beginSessionAs(database.db, 'mika')).token}`;
let server: ServerProcess;
const servers = createServerProcesses(() => ({
  PORT: new URL(baseUrl).port,
  DATA_DIR: dataDir,
  DATABASE_URL: url,
  LOG_LEVEL: 'silent',
}));

async function post<Body>(path: string, body: unknown): Promise<{ status: number; body: Body }> {
  const headers = { origin: baseUrl, cookie, 'content-type': 'application/json' };
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Body };
}
const rpc = <Body = unknown>(name: string, body: unknown) => post<Body>(`/rest/v1/rpc/${name}`, body);

async function create(link: object) {
  const { status, body } = await rpc<CreateFolderOutput>('create_folder_with_temp_key', link);
  expect(status).toBe(201);
  return {
    id: body.folder.id,
    slug: body.folder.slug,
    path: `/bot/${body.folder.slug}/${body.temp_key_info?.api_token}`,
  };
}
async function get(path: string) {
  const response = await fetch(baseUrl + path);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
async function currentPath(slug: string): Promise<string> {
  const { body } = await rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: slug });
  return `/bot/${slug}/${body.temp_key_api_token}`;
}

/** The canaries that any file of the data directory, the database or its log contains. */
async function keptOf<Canary extends string | Buffer>(canaries: readonly Canary[]): Promise<Canary[]> {
  const kept = new Set<Canary>();
  const look = (bytes: Buffer) => {
    for (const canary of canaries) if (bytes.includes(canary)) kept.add(canary);
  };
  for await (const { bytes } of filesBelow(dataDir)) look(bytes);
  for await (const { bytes } of databaseFiles(database.db, begin)) look(bytes);
  return [...kept];
}

/** Gives a folder one new link after the other until the server is killed; returns all that were sent. */
async function replaceUntilKilled(id: string) {
  const sent: ReturnType<typeof newPrivate>[] = [];
  let done = 0;
  const replacing = (async () => {
    for (;;) {
      const link = newPrivate();
      sent.push(link);
      await rpc('generate_temp_encryption_key', { folder_id: id, ...link });
      done += 1;
    }
  })().catch(() => undefined);
  await expect.poll(() => done).toBeGreaterThanOrEqual(5);
  await server.kill();
  await replacing;
  return sent;
}

test('keys outlive a killed server whole or not at all, tries stay used, and deleted keys are nowhere', async () => {
  server = await servers.started();
  const passphrase = newPassphrase();
  const discord = await create({ encryption_key: KEY.toString('hex') });
  const guarded = { ...newPrivate(), ...passphrase.input };
  const guardedFolder = await create(guarded);
  for (let tries = 0; tries < PASSPHRASE_TRIES_PER_CLIENT; tries += 1) {
    expect((await post(guardedFolder.path, { proof: newPassphrase().proof })).status).toBe(403);
  }
  const first = newPrivate();
  const replaced = await create(first);
  const sent = [first, ...(await replaceUntilKilled(replaced.id))];
  expect(((await stat(join(dataDir, SEALING_SECRET))).mode & 0o777).toString(8)).toBe('600');

  server = await servers.started();
  expect(await get(discord.path)).toEqual({
    status: 200,
    body: { success: true, encryption_key: KEY.toString('hex') },
  });
  expect((await post(guardedFolder.path, { proof: passphrase.proof })).status).toBe(429);
  // Whichever link won, sealed key and share belong together.
  const current = await get(await currentPath(replaced.slug));
  expect(current.status).toBe(200);
  const { sealed_key, key_share } = current.body;
  expect(sent).toContainEqual({ sealed_key, key_share });

  expect(await keptOf([guarded.key_share])).toEqual([guarded.key_share]);
  expect((await rpc('revoke_temp_encryption_key', { folder_id: guardedFolder.id })).status).toBe(204);
  expect((await rpc('delete_folder_complete', { folder_id: replaced.id })).status).toBe(204);
  const erased = [guarded.key_share, passphrase.proof, ...sent.map((link) => link.key_share)];
  expect(await keptOf<string | Buffer>([...erased, KEY, KEY.toString('hex')])).toEqual([]);

  await server.kill();
  await rm(join(dataDir, SEALING_SECRET));
  server = await servers.started();
  expect((await get(discord.path)).status).toBe(404);
  const shortened = { folder_id: discord.id, new_expires_at: hoursFromNow(1) };
  expect((await rpc('update_folder_settings', shortened)).status).toBe(200);
  const renewal = { folder_id: discord.id, encrypted_key: KEY.toString('hex') };
  expect((await rpc('generate_temp_encryption_key', renewal)).status).toBe(201);
  expect((await get(await currentPath(discord.slug))).body).toMatchObject({ encryption_key: KEY.toString('hex') });
});
