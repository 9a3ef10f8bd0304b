import type { Folder } from '@satchel/contract/entities';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { creationHeaders } from '../support/folders.ts';
import {
  codeOf,
  createPeople,
  createTus,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';
import { fileRow, stillOf, storeStills } from '../support/uploads/still-kit.ts';

/** New labels for files (CONTAINER §2 "Renaming"). Who may give them is in the route × role matrix. */

const newPerson = createPeople(() => app);
const app = await createTestApp();

interface NewLabel {
  readonly name: string;
  readonly sealed: string;
  readonly earlier: string;
}

const relabel = (as: Account, folder: Folder, labels: readonly Partial<NewLabel>[]) =>
  fetch(`${app.baseUrl}${OBJECT}/unlocked-folders`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as.bearer}` },
    body: JSON.stringify({ prefix: folder.bucket_storage_path, labels }),
  });

/** Uploads a file with a label. @returns its stored name */
async function labelled(as: Account, folder: Folder, sealed: string): Promise<string> {
  const name = freshName().replace(/bin$/, 'enc');
  const path = `${folder.bucket_storage_path}/${name}`;
  const response = await fetch(`${app.baseUrl}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.bearer}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      ...creationHeaders(path, 50, { sealed }),
    },
    body: someBytes(50),
  });
  expect(response.status).toBe(201);
  return name;
}

describe('a new label', () => {
  test('takes the place of the one that the owner saw; bytes, still and stored name stay', async () => {
    const [owner] = await newPerson();
    const folder = await makeFolder(app, owner, 'private');
    const [one, other] = [await labelled(owner, folder, '2.one'), await labelled(owner, folder, '2.other')];
    await storeStills(app, owner, folder, stillOf(one));
    const before = await fileRow(app, one);
    const response = await relabel(owner, folder, [{ name: one, sealed: '2.new', earlier: '2.one' }]);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: before.id, name: one, metadata: { sealed: '2.new', still: true } },
    ]);
    const { updated_at } = await fileRow(app, one);
    expect(await fileRow(app, one)).toEqual({ ...before, sealed: '2.new', updated_at });
    expect((await fileRow(app, other)).sealed).toBe('2.other');
  });

  test('for a file that was renamed or replaced since, or is gone, changes nothing and leaves the others their own', async () => {
    const [owner] = await newPerson();
    const folder = await makeFolder(app, owner, 'private');
    const [one, other] = [await labelled(owner, folder, '2.one'), await labelled(owner, folder, '2.other')];
    const response = await relabel(owner, folder, [
      { name: one, sealed: '2.new', earlier: '2.stale' },
      { name: 'gone_1_abcdefgh.enc', sealed: '2.new', earlier: '2.gone' },
      { name: other, sealed: '2.new', earlier: '2.other' },
    ]);
    expect(((await response.json()) as { name: string }[]).map(({ name }) => name)).toEqual([other]);
    expect((await fileRow(app, one)).sealed).toBe('2.one');
  });

  test('of many files takes one statement, since uploads into the folder wait for it', async () => {
    const [owner] = await newPerson();
    const folder = await makeFolder(app, owner, 'private');
    const names = await Promise.all(['2.a', '2.b', '2.c'].map((sealed) => labelled(owner, folder, sealed)));
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const labels = names.map((name, at) => ({ name, sealed: `2.new${at}`, earlier: `2.${'abc'[at]}` }));
    const response = await relabel(owner, folder, labels);
    const texts = query.mock.calls.map(([statement]) => (statement as unknown as { text?: string }).text ?? '');
    query.mockRestore();
    expect(((await response.json()) as unknown[]).length).toBe(3);
    expect(await Promise.all(names.map(async (name) => (await fileRow(app, name)).sealed))).toEqual([
      '2.new0',
      '2.new1',
      '2.new2',
    ]);
    expect(texts.filter((text) => text.startsWith('update "files"'))).toHaveLength(1);
  });

  test('of another folder’s file changes nothing', async () => {
    const [owner] = await newPerson();
    const [folder, elsewhere] = [await makeFolder(app, owner, 'private'), await makeFolder(app, owner, 'private')];
    const name = await labelled(owner, elsewhere, '2.one');
    const response = await relabel(owner, folder, [{ name, sealed: '2.new', earlier: '2.one' }]);
    expect(await response.json()).toEqual([]);
    expect((await fileRow(app, name)).sealed).toBe('2.one');
  });

  test.each([
    ['too long', { sealed: `2.${'a'.repeat(2048)}` }],
    ['without a version', { sealed: 'abcd' }],
    ['with other characters', { sealed: '2.ab\u0000' }],
    ['for a label of the earlier form', { earlier: 'abcd' }],
    ['for a name with a NUL', { name: 'a\0.enc' }],
    ['for a name with half a character', { name: 'a\ud800.enc' }],
  ])('that is %s is refused', async (_what, changes) => {
    const [owner] = await newPerson();
    const folder = await makeFolder(app, owner, 'private');
    const label = { name: 'a.enc', sealed: '2.new', earlier: '2.one', ...changes };
    const response = await relabel(owner, folder, [label]);
    expect([response.status, await codeOf(response)]).toEqual([400, 'request.invalid']);
  });

  test('is none for a plain file, and none in a folder that has expired', async () => {
    const [owner] = await newPerson();
    const plain = await makeFolder(app, owner);
    const tus = createTus(app, owner);
    const name = freshName();
    await tus.post({
      folder: plain,
      name,
      length: 5,
      body: someBytes(5),
      headers: { 'content-type': 'application/offset+octet-stream' },
    });
    expect(await (await relabel(owner, plain, [{ name, sealed: '2.new', earlier: '2.one' }])).json()).toEqual([]);
    expect((await fileRow(app, name)).sealed).toBeNull();
    await expire(app, plain);
    expect((await relabel(owner, plain, [{ name, sealed: '2.new', earlier: '2.one' }])).status).toBe(410);
  });
});
