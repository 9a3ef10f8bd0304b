import { expect, test } from 'vitest';
import { encodeHeader } from './format.ts';
import { addFolderKey, importKeyring, newKeyring } from './keyring.ts';
import { hashHeader, sealLabel } from './label.ts';
import { checkHeader, proveFile, renewLabel } from './proof.ts';
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

test('labels count under the newest key only: who has an earlier one can add no file', async () => {
  const proof = await proveFile(after, { storedName: 'a.enc', sealed: newLabel });
  expect(proof).toEqual({
    keys: newKeys,
    labelKeys: newKeys,
    label: { name: 'a.txt', type: 'text/plain' },
    sizeBytes: 5,
    header: bound.header,
  });
  await expect(proveFile(after, { storedName: 'a.enc', sealed: oldLabel })).rejects.toMatchObject(foreign);
});

test('a file that was there before a key was added is opened by the key that its new label names', async () => {
  const renewed = await renewLabel(before, after, { storedName: 'a.enc', sealed: oldLabel });
  const proof = await proveFile(after, { storedName: 'a.enc', sealed: renewed });
  expect(proof).toMatchObject({ label: { name: 'a.txt', type: 'text/plain' }, sizeBytes: 5, header: bound.header });
  expect([proof.keys, proof.labelKeys]).toEqual([after.keys[1], newKeys]);
  // By the next key, too, and the next: the file stays under its own.
  let [ring, keyring, label] = [nextRing, after, renewed];
  for (let epoch = 2; epoch < 6; epoch += 1) {
    ring = addFolderKey(ring);
    const next = await importKeyring(ring);
    label = await renewLabel(keyring, next, { storedName: 'a.enc', sealed: label });
    keyring = next;
    expect((await proveFile(keyring, { storedName: 'a.enc', sealed: label })).keys).toBe(keyring.keys.at(-1));
  }
});

test('renewing labels takes nothing in that does not count already', async () => {
  const next = await importKeyring(addFolderKey(nextRing));
  for (const sealed of [oldLabel, null, await sealLabel(newKeys, bound, 'b.enc')]) {
    await expect(renewLabel(after, next, { storedName: 'a.enc', sealed })).rejects.toMatchObject(foreign);
  }
});

test('a person with only the older key opens no later file', async () => {
  await expect(proveFile(before, { storedName: 'a.enc', sealed: newLabel })).rejects.toMatchObject(foreign);
  expect((await proveFile(before, { storedName: 'a.enc', sealed: oldLabel })).keys).toBe(oldKeys);
});

test.each([2, 15, 16, -1, 0.5, '0', null])(
  'a label that names the key %s, which the ring lacks, is not of this folder',
  async (key) => {
    const sealed = await sealLabel(newKeys, { ...bound, keyPlace: key as number }, 'a.enc');
    await expect(proveFile(after, { storedName: 'a.enc', sealed })).rejects.toMatchObject(foreign);
  },
);

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
  const unsized = { ...decoded, header: { ...decoded.header, originalSize: null } };
  await expect(checkHeader(proof, unsized)).rejects.toMatchObject(foreign);
});

test('an empty file is one only where its label says so: any other container without chunks is refused', async () => {
  const none = headerOf(0, '__init__.py');
  const label = { name: '__init__.py', type: '', sizeBytes: 0, header: await hashHeader(none.prefix) };
  const sealed = await sealLabel(newKeys, label, 'i.enc');
  const proof = await proveFile(after, { storedName: 'i.enc', sealed });
  expect(await checkHeader(proof, none)).toEqual({ name: '__init__.py', type: '' });
  await expect(checkHeader(proof, headerOf(0))).rejects.toMatchObject(foreign);
  await expect(checkHeader(proof, decoded)).rejects.toMatchObject(foreign);
  const other = await proveFile(after, { storedName: 'a.enc', sealed: newLabel });
  await expect(checkHeader(other, none)).rejects.toMatchObject({ code: 'open.empty' });
});
