import type { Folder } from '@satchel/contract/entities';
import { MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { createTokens } from '../../src/platform/keys/tokens.ts';
import { openTestDatabase, takeDatabase, takeFolder } from '../support/at-end.ts';
import { createServerProcesses } from '../support/server-process.ts';
import {
  accountOf,
  codeOf,
  createTus,
  freshName,
  OBJECT,
  openPatch,
  sha256,
  someBytes,
  untilOffset,
  upload,
} from '../support/storage-kit.ts';
import { type Account, beginSessionAs, type TestApp } from '../support/test-app.ts';

/** A deployment asks a server to stop while people send and read (docs/deploy/backup-and-upgrade.md). */

const SECRET = 'a secret of this test, long enough to be one';
/** More than the buffers between server and reader take. */
const DOWNLOAD_BYTES = 24 * MIB;

const { started } = createServerProcesses(() => ({ SESSION_SECRET: SECRET, LOG_LEVEL: 'silent' }));

async function makeSite(drainSeconds: number) {
  const dataDir = await takeFolder();
  const url = await takeDatabase();
  const database = await openTestDatabase({ url });
  const server = await started({ DATA_DIR: dataDir, DATABASE_URL: url, DRAIN_SECONDS: String(drainSeconds) });
  const { token, viewer } = await beginSessionAs(database.db, 'mika');
  const bearer = createTokens(Buffer.from(SECRET)).signBearer({ ...viewer, expiresAtMs: Date.now() + 600_000 });
  const mika: Account = { ...viewer, bearer, cookie: `sid=${token}` };
  const made = await fetch(`${server.url}/rest/v1/rpc/create_folder_with_temp_key`, {
    method: 'POST',
    headers: { origin: server.url, cookie: mika.cookie, 'content-type': 'application/json' },
    body: '{}',
  });
  const { folder } = (await made.json()) as { folder: Folder };
  return { app: { baseUrl: server.url, database } as TestApp, server, mika, folder };
}

/** Reads a file's first bytes; `rest` reads on, and answers with the hash of all. */
async function openDownload(address: string) {
  const reader = (await fetch(address)).body!.getReader();
  const pieces = [(await reader.read()).value!];
  return {
    async rest() {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
      return sha256(Buffer.concat(pieces));
    },
  };
}

test.each([0, 1])(
  'with DRAIN_SECONDS=%i a PATCH and a download under way end whole, others are sent elsewhere, and it ends with 0',
  async (drainSeconds) => {
    const { app, server, mika, folder } = await makeSite(drainSeconds);
    const tus = createTus(app, mika);
    const [read, sent] = [someBytes(DOWNLOAD_BYTES), someBytes(2 * MIB)];
    const name = freshName();
    await upload(tus, folder, name, read);
    const download = await openDownload(
      `${server.url}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`,
    );
    const url = await tus.create({ folder, name: freshName(), length: sent.length });
    const other = await tus.create({ folder, name: freshName(), length: 1 });
    const patch = openPatch(tus, url, 0, sent.length);
    await patch.send(sent.subarray(0, MIB));
    await untilOffset(app, url, (offset) => offset > 0);

    server.child.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
    // Once its time for balancers is over, it takes no further uploads; the one under way continues.
    const refusal = async () => codeOf(await tus.patch(other, 0, new Uint8Array()));
    await expect.poll(refusal).toBe('request.unavailable');
    expect((await tus.post({ folder, name: freshName(), length: 1 })).status).toBe(503);
    await patch.send(sent.subarray(MIB));
    patch.end();
    expect((await patch.outcome) as object).toMatchObject({ status: 204 });
    expect(await download.rest()).toBe(sha256(read));
    expect(await server.exited).toBe(0);
    expect(server.output.errors).toBe('');
    expect(await accountOf(app, mika)).toEqual({ used: read.length + sent.length, reserved: 1 });
  },
);
