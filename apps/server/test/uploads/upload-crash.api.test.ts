import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GIB, MIB } from '@satchel/contract/limits';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolder } from '../domain/create-folder.ts';
import { upsertProfile } from '../domain/profiles.ts';
import { beginSession } from '../domain/sessions.ts';
import { openDatabase } from '../platform/db.ts';
import { createKeySealer } from '../platform/key-sealer.ts';
import { createKeyShares } from '../platform/key-shares.ts';
import { uploads } from '../platform/schema.ts';
import { createTokens } from '../platform/tokens.ts';
import { DISCORD_PUBLIC_KEY } from '../testing/discord-keys.ts';
import { createTus, OBJECT, openPatch, sha256, someBytes } from '../testing/storage-kit.ts';
import type { Account, TestApp } from '../testing/test-app.ts';
import { freePort } from '../testing/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';

/** A real server process on a real directory, killed without warning (issue: "kill -9 … resumes and the file is whole"). */

const SECRET = 'a secret of this test, long enough to be one';
const MAIN = join(import.meta.dirname, '..', 'main.ts');

let dataDir: string;
let own: TestDatabase;
let port: number;
let server: ChildProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'satchel-crash-'));
  own = await createTestDatabase();
  port = await freePort();
});
afterAll(async () => {
  server.kill('SIGKILL');
  await own.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: own.url,
      SESSION_SECRET: SECRET,
      DISCORD_CLIENT_ID: '100000000000000001',
      DISCORD_CLIENT_SECRET: 'the client secret of this test',
      DISCORD_PUBLIC_KEY,
      DISCORD_API_URL: 'http://localhost:1/api/v10',
      LOG_LEVEL: 'silent',
    },
  });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
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

/** Runs `act` on the server's database. */
async function withDatabase<Result>(act: (db: Awaited<ReturnType<typeof openDatabase>>['db']) => Promise<Result>) {
  const database = await openDatabase({ url: own.url });
  return act(database.db).finally(() => database.close());
}

async function seed() {
  return withDatabase(async (db) => {
    const profile = await upsertProfile(db, {
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
    const { session_id } = await beginSession(db, profile.id);
    const viewer = { profile_id: profile.id, session_id };
    const report = (error: unknown) => {
      throw error;
    };
    const keyShares = createKeyShares({ dir: join(dataDir, 'keys'), report });
    const keySealer = createKeySealer(Buffer.from(SECRET));
    const free = { storage_bytes: GIB, max_file_bytes: 100 * MIB, folder_lifetime_hours: 24 };
    const caps = { open_folders: 1, folder_files: 1, open_uploads: 1 };
    const deps = { db, keyShares, keySealer, tiers: { free }, caps };
    const { folder } = await createFolder(deps, viewer, { hide_names: true });
    const bearer = createTokens(Buffer.from(SECRET)).signBearer({ ...viewer, expiresAtMs: Date.now() + 600_000 });
    return { folder, bearer };
  });
}

function finish(url: string, bearer: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    new Upload(bytes, {
      endpoint: url.slice(0, url.lastIndexOf('/')),
      uploadUrl: url,
      chunkSize: 6 * MIB,
      retryDelays: [],
      headers: { authorization: `Bearer ${bearer}` },
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
  });
}

// Three starts of a server and its database, on a machine that runs other tests too.
const PATIENCE_MS = 240_000;

test(
  'killed in the middle of a PATCH: what was acknowledged is there, and the file ends whole',
  async () => {
    const { folder, bearer } = await seed();
    const baseUrl = `http://127.0.0.1:${port}`;
    const tus = createTus({ baseUrl } as TestApp, { bearer } as Account);
    await start();
    const bytes = someBytes(60 * MIB);
    const name = 'killed_1700000000000_abcdefgh.bin';
    const url = await tus.create({ folder, name, length: bytes.length });
    const running = openPatch(tus, url, 0, bytes.length);
    for (let at = 0; at < 32 * MIB; at += MIB) await running.send(bytes.subarray(at, at + MIB));
    // A checkpoint falls due after a second at the latest; then more is on its way as the server dies.
    await sleep(1500);
    void running.send(bytes.subarray(32 * MIB, 34 * MIB));
    await kill();
    expect(await running.outcome).toBe('cut');

    const [upload] = await withDatabase((db) => db.select().from(uploads));
    const { size } = await stat(join(dataDir, 'blobs', upload!.blob_key.slice(0, 2), upload!.blob_key));
    expect(upload!.offset_bytes).toBeGreaterThanOrEqual(8 * MIB);
    expect(upload!.offset_bytes).toBeLessThanOrEqual(size);

    await start();
    expect(await tus.offsetOf(url)).toBe(upload!.offset_bytes);
    await finish(url, bearer, bytes);
    const response = await fetch(`${baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`);
    expect(response.status).toBe(200);
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  },
  PATIENCE_MS,
);
