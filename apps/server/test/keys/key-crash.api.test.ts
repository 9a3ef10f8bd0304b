import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateFolderOutput, FolderCompleteData } from '@satchel/contract/api';
import { PASSPHRASE_TRIES_PER_CLIENT } from '@satchel/contract/limits';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { upsertProfile } from '../domain/profiles.ts';
import { beginSession } from '../domain/sessions.ts';
import { type Database, openDatabase } from '../platform/db.ts';
import { DISCORD_PUBLIC_KEY } from '../testing/discord-keys.ts';
import { hoursFromNow, newPassphrase } from '../testing/folders.ts';
import { databaseFiles, endOfLog, filesWith } from '../testing/kept-bytes.ts';
import { freePort } from '../testing/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';

/** A real server process on a real directory, with secrets that it makes itself, killed without warning. */

const MAIN = join(import.meta.dirname, '..', 'main.ts');
const SEALING_SECRET = 'secrets/key-sealing-secret';
const KEY = randomBytes(64);
const newPrivate = () => ({
  sealed_key: randomBytes(92).toString('base64url'),
  key_share: randomBytes(32).toString('base64url'),
});

let dataDir: string;
let own: TestDatabase;
let database: Database;
let begin: string;
let baseUrl: string;
let cookie: string;
let server: ChildProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'satchel-keys-'));
  own = await createTestDatabase();
  database = await openDatabase({ url: own.url });
  begin = await endOfLog(database.db);
  baseUrl = `http://127.0.0.1:${await freePort()}`;
  cookie = await signIn();
});
afterAll(async () => {
  server.kill('SIGKILL');
  await database.close();
  await own.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function signIn(): Promise<string> {
  const profile = await upsertProfile(database.db, {
    discord_id: '1',
    email: null,
    discord_username: 'mika',
    discord_global_name: null,
    discord_discriminator: '0',
    discord_public_flags: 0,
    avatar_url: 'https://cdn.example.org/embed/avatars/0.png',
    banner_url: null,
    accent_color: null,
  });
  const { token } = await beginSession(database.db, profile.id);
  return `sid=${token}`;
}

async function start(): Promise<void> {
  server = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: new URL(baseUrl).port,
      DATA_DIR: dataDir,
      DATABASE_URL: own.url,
      DISCORD_CLIENT_ID: '100000000000000001',
      DISCORD_CLIENT_SECRET: 'the client secret of this test',
      DISCORD_PUBLIC_KEY,
      LOG_LEVEL: 'silent',
    },
  });
  const isUp = () =>
    fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    expect(server.exitCode).toBeNull();
    await sleep(50);
  }
}

async function kill(): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

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

/** Whether any file of the data directory, of the database or of its log has these bytes. */
async function isKept(canary: string | Buffer): Promise<boolean> {
  if ((await filesWith(dataDir, canary)).length > 0) return true;
  for await (const { bytes } of databaseFiles(database.db, begin)) if (bytes.includes(canary)) return true;
  return false;
}

/** Gives a folder one new link after the other until the server is killed under it; answers with all that were sent. */
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
  while (done < 5) await sleep(5);
  await kill();
  await replacing;
  return sent;
}

// Three starts of a server, on a machine that runs other tests too.
const PATIENCE_MS = 240_000;

test(
  'keys outlive a killed server whole or not at all, tries are not given anew, and what is erased is nowhere',
  async () => {
    await start();
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

    await start();
    expect(await get(discord.path)).toEqual({
      status: 200,
      body: { success: true, encryption_key: KEY.toString('hex') },
    });
    expect((await post(guardedFolder.path, { proof: passphrase.proof })).status).toBe(429);
    // Whichever link won: sealed key and share are of the same one.
    const current = await get(await currentPath(replaced.slug));
    expect(current.status).toBe(200);
    const { sealed_key, key_share } = current.body;
    expect(sent).toContainEqual({ sealed_key, key_share });

    expect(await isKept(guarded.key_share)).toBe(true);
    expect((await rpc('revoke_temp_encryption_key', { folder_id: guardedFolder.id })).status).toBe(204);
    expect((await rpc('delete_folder_complete', { folder_id: replaced.id })).status).toBe(204);
    for (const secret of [guarded.key_share, passphrase.proof, ...sent.map((link) => link.key_share)]) {
      expect(await isKept(secret)).toBe(false);
    }
    for (const form of [KEY, KEY.toString('hex')]) expect(await isKept(form)).toBe(false);

    await kill();
    await rm(join(dataDir, SEALING_SECRET));
    await start();
    expect((await get(discord.path)).status).toBe(404);
    const shortened = { folder_id: discord.id, new_expires_at: hoursFromNow(1) };
    expect((await rpc('update_folder_settings', shortened)).status).toBe(200);
    const anew = { folder_id: discord.id, encrypted_key: KEY.toString('hex') };
    expect((await rpc('generate_temp_encryption_key', anew)).status).toBe(201);
    expect((await get(await currentPath(discord.slug))).body).toMatchObject({ encryption_key: KEY.toString('hex') });
  },
  PATIENCE_MS,
);
