import { expect, test } from 'vitest';
import { encodeHeader } from './format.ts';
import { addFolderKey, importKeyring, newKeyring } from './keyring.ts';
import { hashHeader, sealLabel } from './label.ts';
import { checkHeader, proveFile } from './proof.ts';
import { createHeader } from './seal.ts';

const ring = newKeyring({ hidesNames: true });
const nextRing = addFolderKey(ring);
const [before, after] = [await importKeyring(ring), await importKeyring(nextRing)];
const [oldKeys, newKeys] = [before.keys[0]!, after.keys[0]!];
const headerOf = (sizeBytes = 5, name = 'a.txt') =>
  encodeHeader(createHeader({ sizeBytes, name, type: 'text/plain', hidesName: true }));
const foreign = { code: 'open.foreign' };

const decoded = headerOf();
const bound = { name: 'a.txt', type: 'text/plain', sizeBytes: 5, header: await hashHeader(decoded.prefix) };
const [oldLabel, newLabel] = [await sealLabel(oldKeys, bound, 'a.enc'), await sealLabel(newKeys, bound, 'a.enc')];

test('a person with the newer key opens the files of both', async () => {
  expect((await proveFile(after, { storedName: 'a.enc', sealed: newLabel })).keys).toBe(newKeys);
  const earlier = await proveFile(after, { storedName: 'a.enc', sealed: oldLabel });
  expect(earlier.keys).toBe(after.keys[1]);
  expect(earlier).toMatchObject({ label: { name: 'a.txt', type: 'text/plain' }, sizeBytes: 5, header: bound.header });
});

test('a person with only the older key opens no later file', async () => {
  await expect(proveFile(before, { storedName: 'a.enc', sealed: newLabel })).rejects.toMatchObject(foreign);
  expect((await proveFile(before, { storedName: 'a.enc', sealed: oldLabel })).keys).toBe(oldKeys);
});

test('an entry without a label, with none of ours, or with another file’s is not of this folder', async () => {
  for (const sealed of [null, '', 'a label', newLabel.slice(2), await sealLabel(newKeys, bound, 'b.enc')]) {
    await expect(proveFile(after, { storedName: 'a.enc', sealed })).rejects.toMatchObject(foreign);
  }
});

test('a container is the label’s by its header and its size', async () => {
  const proof = await proveFile(after, { storedName: 'a.enc', sealed: newLabel });
  expect(await checkHeader(proof, decoded)).toEqual({ name: 'a.txt', type: 'text/plain' });
  await expect(checkHeader(proof, headerOf())).rejects.toMatchObject(foreign);
  await expect(checkHeader({ ...proof, sizeBytes: 6 }, decoded)).rejects.toMatchObject(foreign);
});
