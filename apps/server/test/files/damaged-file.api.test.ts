import { open, readFile, writeFile } from 'node:fs/promises';
import { MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { CLIENT_GATE } from '../../src/domain/base/client-gate.ts';
import {
  blobPath,
  codeOf,
  createTus,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  upload,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();

test('a plain file with a changed byte is not sent whole, and then not at all, until the right bytes are back', async () => {
  const mika = await app.signIn('mika');
  const [folder, name, bytes] = [await makeFolder(app, mika), freshName(), someBytes(MIB + 9)];
  const url = await upload(createTus(app, mika), folder, name, bytes);
  const { blob_key } = await uploadState(app, url);
  const path = blobPath(app, blob_key);
  const before = await readFile(path);
  const file = await open(path, 'r+');
  await file.write(Uint8Array.of(bytes[5000]! ^ 1), 0, 1, 5000);
  // The times of two writes may be equal.
  await file.utimes(0, 0);
  await file.close();
  const read = (headers: Record<string, string> = {}) =>
    fetch(`${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`, { headers });
  await expect((await read()).arrayBuffer()).rejects.toThrow();
  expect(app.log.some((line) => line.includes('BlobDamagedError'))).toBe(true);
  // A browser that goes on with a broken download asks for its end alone.
  const rest = await read({ range: `bytes=${MIB}-` });
  expect([rest.status, await codeOf(rest)]).toEqual([500, 'storage.damaged']);
  await writeFile(path, before);
  const right = await read();
  expect(Buffer.compare(new Uint8Array(await right.arrayBuffer()), bytes)).toBe(0);
  expect((await read({ range: `bytes=${MIB}-` })).status).toBe(206);
});

test('reads that wait for a silent store let the other requests of their reader pass', async () => {
  const mika = await app.signIn('mika');
  const [folder, name, bytes] = [await makeFolder(app, mika), freshName(), someBytes(1000)];
  await upload(createTus(app, mika), folder, name, bytes);
  const { open: openBlob } = app.deps.blobs;
  const [silent, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let opened = 0;
  const blobs = {
    async open(...blob: Parameters<typeof openBlob>) {
      opened += 1;
      if (opened === CLIENT_GATE.running) waiting.resolve();
      await silent.promise;
      return openBlob(...blob);
    },
  };
  Object.assign(app.deps.blobs, blobs);
  const url = `${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;
  const reads = Array.from({ length: CLIENT_GATE.running }, async () => (await fetch(url)).arrayBuffer());
  await waiting.promise;
  const list = await fetch(`${app.baseUrl}${OBJECT}/list/unlocked-folders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prefix: folder.bucket_storage_path }),
  }).finally(() => silent.resolve());
  expect(list.status).toBe(200);
  for (const read of reads) expect(Buffer.compare(new Uint8Array(await read), bytes)).toBe(0);
  Object.assign(app.deps.blobs, { open: openBlob });
});
