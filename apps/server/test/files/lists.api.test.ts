import { expect, test } from 'vitest';
import { createTus, makeFolder, OBJECT, someBytes } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();
const mika = await app.signIn('mika');
const tus = createTus(app, mika);
const folder = await makeFolder(app, mika);
const content = someBytes(10);
for (let at = 0; at < 6; at += 1) {
  const name = `note_170000000000${at}_abcdefgh.txt`;
  await tus.patch(await tus.create({ folder, name, length: content.length }), 0, content);
}
const body = JSON.stringify({ prefix: folder.bucket_storage_path, limit: 250, offset: 0 });

test.each([
  ['gzip, br', 'gzip'],
  ['gzip;q=0, br', null],
  ['identity', null],
])('a list for a client that accepts "%s" is encoded as %s', async (accepted, encoding) => {
  const headers = { 'content-type': 'application/json', 'accept-encoding': accepted };
  const listed = await fetch(`${app.baseUrl}${OBJECT}/list/unlocked-folders`, { method: 'POST', headers, body });
  expect(listed.headers.get('content-encoding')).toBe(encoding);
  expect(listed.headers.get('vary')).toContain('accept-encoding');
  expect(await listed.json()).toHaveLength(6);
});
