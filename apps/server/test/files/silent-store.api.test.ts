import { expect, test } from 'vitest';
import { CLIENT_GATE } from '../../src/domain/base/client-gate.ts';
import { createTus, freshName, makeFolder, OBJECT, someBytes, upload } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();

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
