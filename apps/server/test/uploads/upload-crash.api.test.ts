import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GIB, MIB } from '@satchel/contract/limits';
import { Upload } from 'tus-js-client';
import { expect, test } from 'vitest';
import { createFolder } from '../../src/domain/folders/create-folder.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { createKeySealer } from '../../src/platform/keys/key-sealer.ts';
import { createKeyShares } from '../../src/platform/keys/key-shares.ts';
import { createTokens } from '../../src/platform/keys/tokens.ts';
import { uploads } from '../../src/platform/schema/files.ts';
import { takeDatabase, takeFolder } from '../support/at-end.ts';
import { freePort } from '../support/free-port.ts';
import { createServerProcesses, type ServerProcess } from '../support/server-process.ts';
import { createTus, OBJECT, openPatch, sha256, someBytes } from '../support/storage-kit.ts';
import { type Account, beginSessionAs, type TestApp } from '../support/test-app.ts';

/**
 * A real server process on a real directory, killed without warning (issue: "kill -9 … resumes and the file is whole").
 */

const SECRET = 'a secret of this test, long enough to be one';

const dataDir = await takeFolder();
const url = await takeDatabase();
const port = await freePort();
let server: ServerProcess;
const servers = createServerProcesses(() => ({
  PORT: String(port),
  DATA_DIR: dataDir,
  DATABASE_URL: url,
  SESSION_SECRET: SECRET,
  LOG_LEVEL: 'silent',
}));

/** Runs `act` on the server's database. */
async function withDatabase<Result>(act: (db: Awaited<ReturnType<typeof openDatabase>>['db']) => Promise<Result>) {
  const database = await openDatabase({ url });
  return act(database.db).finally(() => database.close());
}

async function seed() {
  return withDatabase(async (db) => {
    const { viewer } = await beginSessionAs(db, 'mika');
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

test('killed in the middle of a PATCH: acknowledged bytes stay, and the file ends whole', async () => {
  const { folder, bearer } = await seed();
  const baseUrl = `http://127.0.0.1:${port}`;
  const tus = createTus({ baseUrl } as TestApp, { bearer } as Account);
  server = await servers.started();
  const bytes = someBytes(60 * MIB);
  const name = 'killed_1700000000000_abcdefgh.bin';
  const url = await tus.create({ folder, name, length: bytes.length });
  const running = openPatch(tus, url, 0, bytes.length);
  for (let at = 0; at < 32 * MIB; at += MIB) await running.send(bytes.subarray(at, at + MIB));
  const acknowledged = async () => (await withDatabase((db) => db.select().from(uploads)))[0]?.offset_bytes;
  await expect.poll(acknowledged).toBeGreaterThanOrEqual(8 * MIB);
  // More bytes are on their way when the server dies.
  void running.send(bytes.subarray(32 * MIB, 34 * MIB));
  await server.kill();
  expect(await running.outcome).toBe('cut');

  const [upload] = await withDatabase((db) => db.select().from(uploads));
  const { size } = await stat(join(dataDir, 'blobs', upload!.blob_key.slice(0, 2), upload!.blob_key));
  expect(upload!.offset_bytes).toBeGreaterThanOrEqual(8 * MIB);
  expect(upload!.offset_bytes).toBeLessThanOrEqual(size);

  server = await servers.started();
  expect(await tus.offsetOf(url)).toBe(upload!.offset_bytes);
  await finish(url, bearer, bytes);
  const response = await fetch(`${baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`);
  expect(response.status).toBe(200);
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
});
