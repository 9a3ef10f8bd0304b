import { addFolderKey, importKeyring, newKeyring } from '@satchel/container/keyring';
import { type BoundLabel, sealLabel, sealName } from '@satchel/container/label';
import { proveFile } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { expect, test } from 'vitest';
import {
  type FolderTrust,
  listedAs,
  NO_VERDICTS,
  proveEntries,
  stillProven,
  verdictFor,
  withVerdict,
} from './proven-files.ts';

const ring = newKeyring({ hidesNames: true });
const [before, after] = [await importKeyring(ring), await importKeyring(addFolderKey(ring))];
const [oldKeys, newKeys] = [before.keys[0]!, after.keys[0]!];
const label: BoundLabel = { name: 'a.txt', type: 'text/plain', sizeBytes: 5, header: 'h'.repeat(43) };

const entryOf = (name: string, sealed?: string, size = 300): FileEntry => ({
  id: `id of ${name}`,
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size, mimetype: 'text/plain', eTag: '"1"', ...(sealed === undefined ? {} : { sealed }) },
});
const labelled = async (name: string, keys = newKeys) => entryOf(name, await sealLabel(keys, label, name));
const withKeys: FolderTrust = { encrypted: true, hasKeys: true };
const judge = async (entry: FileEntry, keyring = after) =>
  verdictFor(entry, withKeys, await proveEntries(proveFile, keyring, { entries: [entry], known: NO_VERDICTS }));

test('a file is proven by its label, for its own stored name', async () => {
  const entry = await labelled('a.enc');
  expect(await judge(entry)).toMatchObject({ keys: newKeys, sizeBytes: 5, header: label.header });
  const { sealed = '' } = entry.metadata;
  expect(await judge(entryOf('b.enc', sealed))).toBe('foreign');
});

test('an injected, unlabelled, swapped or re-labelled file, or one of another folder, is foreign', async () => {
  const [a, b] = [await labelled('a.enc'), await labelled('b.enc')];
  const other = (await importKeyring(newKeyring({ hidesNames: true }))).keys[0]!;
  const foreign = [
    entryOf('invoice.pdf'),
    entryOf('a.txt', a.metadata.sealed),
    entryOf('a.enc'),
    entryOf('a.enc', b.metadata.sealed),
    entryOf('a.enc', await sealName(newKeys, label)),
    entryOf('a.enc', await sealName(oldKeys, label)),
    entryOf('a.enc', `${a.metadata.sealed}AA`),
    await labelled('c.enc', other),
  ];
  for (const entry of foreign) expect(await judge(entry)).toBe('foreign');
});

test('a label that is listed a second time, for another stored name, proves the first entry alone', async () => {
  const a = await labelled('a.enc');
  const copy = entryOf('b.enc', a.metadata.sealed);
  const verdicts = await proveEntries(proveFile, after, { entries: [a, copy], known: NO_VERDICTS });
  const judged = [a, copy].map((entry) => verdictFor(entry, withKeys, verdicts));
  expect(judged).toMatchObject([{ keys: newKeys }, 'foreign']);
});

test('a page with the older key alone knows the earlier files, and none that came later', async () => {
  expect(await judge(await labelled('a.enc', oldKeys), before)).toMatchObject({ keys: oldKeys });
  expect(await judge(await labelled('b.enc', newKeys), before)).toBe('foreign');
});

test('without a key no file is proven, and an unsealed file is foreign all the same', async () => {
  const keyless = { encrypted: true, hasKeys: false };
  expect(verdictFor(await labelled('a.enc'), keyless, NO_VERDICTS)).toBeNull();
  expect(verdictFor(entryOf('invoice.pdf'), keyless, NO_VERDICTS)).toBe('foreign');
});

test('in a plain folder nothing needs proof', () => {
  const plain = { encrypted: false, hasKeys: false };
  for (const name of ['a.txt', 'a.enc']) expect(verdictFor(entryOf(name), plain, NO_VERDICTS)).toBeNull();
});

test('an entry that was not tried yet is never taken for proven', async () => {
  expect(verdictFor(await labelled('a.enc'), withKeys, NO_VERDICTS)).toBe('foreign');
});

test('a file whose label is not open yet holds up none of the others', async () => {
  const entries = await Promise.all(['a.enc', 'b.enc', 'c.enc'].map((name) => labelled(name)));
  const first = await proveEntries(proveFile, after, { entries: entries.slice(0, 2), known: NO_VERDICTS });
  expect(withVerdict(entries, first)).toEqual(entries.slice(0, 2));
  const all = await proveEntries(proveFile, after, { entries, known: first });
  expect(withVerdict(entries, all)).toBe(entries);
});

test('a label is tried once, and again when it or its stored name changes', async () => {
  const tried: string[] = [];
  const prove: typeof proveFile = (keyring, listed) => {
    tried.push(listed.storedName);
    return proveFile(keyring, listed);
  };
  const [a, b] = [await labelled('a.enc'), await labelled('b.enc')];
  const known = await proveEntries(prove, after, { entries: [a, b], known: NO_VERDICTS });
  const again = await labelled('b.enc');
  await proveEntries(prove, after, { entries: [a, again], known });
  expect(tried).toEqual(['a.enc', 'b.enc', 'b.enc']);
});

test('with a newer key nothing stays proven: only its own labels count', async () => {
  const entries = [await labelled('old.enc', oldKeys), await labelled('new.enc', newKeys)];
  const verdicts = await proveEntries(proveFile, before, { entries, known: NO_VERDICTS });
  expect(entries.map((entry) => verdictFor(entry, withKeys, verdicts))).toMatchObject([{ keys: oldKeys }, 'foreign']);
  const grown = { keys: [newKeys, oldKeys] };
  expect(stillProven(verdicts, grown).size).toBe(0);
  const now = await proveEntries(proveFile, grown, { entries, known: NO_VERDICTS });
  expect(entries.map((entry) => verdictFor(entry, withKeys, now))).toMatchObject(['foreign', { keys: newKeys }]);
});

test('with the same newest key what was proven stays so, and what was foreign is tried again', async () => {
  const entries = [await labelled('old.enc', oldKeys), await labelled('new.enc', newKeys)];
  const grown = { keys: [newKeys, oldKeys] };
  const verdicts = await proveEntries(proveFile, { keys: [newKeys] }, { entries, known: NO_VERDICTS });
  expect(withVerdict(entries, stillProven(verdicts, grown))).toEqual(entries.slice(1));
});

test('one listing of a file is told from another by label and size', async () => {
  const entry = await labelled('a.enc');
  const first = listedAs(entry);
  expect(listedAs({ ...entry, updated_at: '2026-03-02T12:00:00Z' })).toBe(first);
  expect(listedAs(await labelled('a.enc'))).not.toBe(first);
  expect(listedAs(entryOf('a.enc', entry.metadata.sealed, 301))).not.toBe(first);
});
