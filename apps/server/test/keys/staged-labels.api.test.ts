import { randomUUID } from 'node:crypto';
import type { StageLabelsInput, StageLabelsOutput } from '@satchel/contract/api';
import type { Folder, TempKeyInfo } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { creationHeaders, newKey, newPrivate } from '../support/folders.ts';
import {
  BYTES_TYPE,
  codeOf,
  createOwners,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  RESUMABLE,
  someBytes,
  sweepAll,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

/** A change of the link brings the labels of all files under the new key, in one act (docs/container.md §6). */

const newOwner = createOwners(() => app);
const app = await createTestApp();

const sealedName = () => freshName().replace(/bin$/, 'enc');

async function putFile(as: Account, folder: Folder, sealed: string, name = sealedName()): Promise<string> {
  const response = await fetch(app.baseUrl + RESUMABLE, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.bearer}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      ...creationHeaders(`${folder.bucket_storage_path}/${name}`, 50, { sealed }),
    },
    body: someBytes(50),
  });
  expect(response.status).toBe(201);
  return name;
}

async function labelsOf(folder: Folder): Promise<Record<string, string | undefined>> {
  const body = { prefix: folder.bucket_storage_path };
  const response = await app.call('POST', '/storage/v1/object/list/unlocked-folders', { body });
  const entries = (await response.json()) as { name: string; metadata: { sealed?: string } }[];
  return Object.fromEntries(entries.map(({ name, metadata }) => [name, metadata.sealed]));
}

async function tokenOf({ slug }: Folder): Promise<string | null> {
  const { body } = await app.rpc<{ temp_key_api_token: string | null }>('get_folder_complete_data', {
    input_folder_slug: slug,
  });
  return body.temp_key_api_token;
}

const stage = async (as: Account, input: StageLabelsInput) => {
  const { status, body } = await app.rpc<StageLabelsOutput>('stage_folder_labels', input, as);
  expect(status).toBe(200);
  return body.missing;
};

/** The label under the next key, as this test makes them. */
const next = (label: string) => `${label}-next`;

/** As a page does it: asks which labels are missing, and brings them, until there are none. @returns how many calls it took */
async function stageAll(
  as: Account,
  folder: Folder,
  stage_id: string,
  renew: (label: string) => string | null = next,
): Promise<number> {
  const input = { folder_id: folder.id, stage_id };
  let calls = 1;
  for (let missing = await stage(as, { ...input, labels: [] }); missing.length > 0; calls += 1) {
    const labels = missing.map(({ name, sealed }) => ({ name, earlier: sealed, sealed: renew(sealed) }));
    missing = await stage(as, { ...input, labels });
  }
  return calls;
}

interface Change {
  readonly stage_id: string;
  readonly replaces: string | null;
}

const changeLink = (as: Account, folder: Folder, relabel: Change | null, link: object = newPrivate()) =>
  app.rpc<TempKeyInfo & { error: { code: string } }>(
    'generate_temp_encryption_key',
    { folder_id: folder.id, ...link, ...(relabel && { relabel }) },
    as,
  );

const sharesOf = async ({ id }: Folder) =>
  (await app.deps.keyShares.list()).filter(({ folder_id }) => folder_id === id).length;

async function make(count = 2) {
  const [owner, folder] = await newOwner('private');
  const names: string[] = [];
  for (let at = 0; at < count; at += 1) names.push(await putFile(owner, folder, `2.label${at}`));
  const change = async (): Promise<Change> => ({ stage_id: randomUUID(), replaces: await tokenOf(folder) });
  return { owner, folder, names, change: await change() };
}

test('new labels are nobody’s until the link is changed, and then everybody’s', async () => {
  const { owner, folder, names, change } = await make();
  const before = await labelsOf(folder);
  await stageAll(owner, folder, change.stage_id);
  expect(await labelsOf(folder)).toEqual(before);
  const { status, body } = await changeLink(owner, folder, change);
  expect(status).toBe(201);
  expect(await labelsOf(folder)).toEqual({ [names[0]!]: '2.label0-next', [names[1]!]: '2.label1-next' });
  expect(await tokenOf(folder)).toBe(body.api_token);
  expect(await app.query(sql`select from staged_labels where folder_id = ${folder.id}::uuid`)).toEqual([]);
  await expectExactSums(app);
});

test.each([
  ['a name with a NUL', { name: 'a\0.enc' }],
  ['a name with half a character', { name: 'a\ud800.enc' }],
  ['an earlier label with a NUL', { earlier: '2.a\0' }],
  ['an earlier label with half a character', { earlier: '2.a\ud800' }],
  ['an earlier label without a version', { earlier: 'abcd' }],
])('%s is refused', async (_what, changes) => {
  const { owner, folder, change } = await make(0);
  const labels = [{ name: sealedName(), earlier: '2.label', sealed: '2.label-next', ...changes }];
  const input = { folder_id: folder.id, stage_id: change.stage_id, labels };
  const { status, body } = await app.rpc<{ error: { code: string } }>('stage_folder_labels', input, owner);
  expect([status, body.error.code]).toEqual([400, 'request.invalid']);
});

test('thousands of labels come in pages', async () => {
  const { owner, folder, change } = await make(0);
  await app.query(sql`
    insert into files (folder_id, name, size_bytes, mimetype, cache_control, sealed, blob_key, checksum)
    select ${folder.id}::uuid, n || '.enc', 0, '', '', '2.label' || n, gen_random_uuid(), 0 from generate_series(1, 1234) n`);
  expect(await stageAll(owner, folder, change.stage_id)).toBe(14);
  expect((await changeLink(owner, folder, change)).status).toBe(201);
  const [left] = await app.query<{ count: number }>(
    sql`select count(*)::integer as count from files where folder_id = ${folder.id}::uuid and sealed not like '%-next'`,
  );
  expect(left?.count).toBe(0);
  await app.query(sql`delete from files where folder_id = ${folder.id}::uuid`);
});

test('an upload that ends after the change is a file with its new label', async () => {
  const { owner, folder, change } = await make(0);
  const tus = createTus(app, owner);
  const name = sealedName();
  const url = await tus.create({ folder, name, length: 20, metadata: { sealed: '2.open' } });
  await stageAll(owner, folder, change.stage_id);
  expect((await changeLink(owner, folder, change)).status).toBe(201);
  expect((await tus.patch(url, 0, someBytes(20))).status).toBe(204);
  expect(await labelsOf(folder)).toEqual({ [name]: '2.open-next' });
});

describe('a file that was sealed before the link was changed', () => {
  const token = (value: string | null) => ({ 'x-link-token': value ?? '' });

  test.each([
    ['whole with its creation', 50],
    ['in parts', 2_000_000],
  ])('is refused when it comes after, %s, and taken under the present link', async (_, length) => {
    const { owner, folder, change } = await make(0);
    const tus = createTus(app, owner);
    const begin = (headers: Record<string, string>, name = sealedName()) => {
      const bytes = length === 50 ? { body: someBytes(50) } : {};
      const type = length === 50 ? { 'content-type': BYTES_TYPE } : {};
      return tus.post({
        folder,
        name,
        length,
        metadata: { sealed: '2.x' },
        headers: { ...headers, ...type },
        ...bytes,
      });
    };
    const there = sealedName();
    expect((await begin(token(change.replaces), there)).status).toBe(201);
    await stageAll(owner, folder, change.stage_id);
    expect((await changeLink(owner, folder, change)).status).toBe(201);
    const late = await begin(token(change.replaces));
    expect([late.status, await codeOf(late)]).toEqual([409, 'key.link_changed']);
    // Of a file that is there, only the answer was lost.
    if (length === 50) expect(await codeOf(await begin(token(change.replaces), there))).toBe('storage.exists');
    expect((await begin(token(await tokenOf(folder)))).status).toBe(201);
    expect((await begin({})).status).toBe(201);
    await expectExactSums(app);
  });

  test('costs no other file that comes at the same time', async () => {
    const { owner, folder, change } = await make(0);
    expect((await changeLink(owner, folder, change)).status).toBe(201);
    const tus = createTus(app, owner);
    const now = await tokenOf(folder);
    const answers = await Promise.all(
      [change.replaces, now, change.replaces, now].map((value) =>
        tus.post({
          folder,
          name: sealedName(),
          length: 50,
          body: someBytes(50),
          metadata: { sealed: '2.x' },
          headers: { ...token(value), 'content-type': BYTES_TYPE },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([409, 201, 409, 201]);
  });
});

test('what the present key does not prove keeps its label', async () => {
  const { owner, folder, names, change } = await make();
  await stageAll(owner, folder, change.stage_id, (label) => (label === '2.label1' ? null : next(label)));
  expect((await changeLink(owner, folder, change)).status).toBe(201);
  expect(await labelsOf(folder)).toEqual({ [names[0]!]: '2.label0-next', [names[1]!]: '2.label1' });
});

describe('the link and all labels stay as they are', () => {
  type Made = Awaited<ReturnType<typeof make>>;
  const CASES: Readonly<Record<string, { code: string; given: (made: Made) => Promise<Change | null> }>> = {
    'when no label was brought': { code: 'key.labels_changed', given: async ({ change }) => change },
    'when the call names no labels': { code: 'key.labels_changed', given: async () => null },
    'when a file came since': {
      code: 'key.labels_changed',
      given: async ({ owner, folder, change }) => {
        await stageAll(owner, folder, change.stage_id);
        await putFile(owner, folder, '2.late');
        return change;
      },
    },
    'when an upload began since': {
      code: 'key.labels_changed',
      given: async ({ owner, folder, change }) => {
        await stageAll(owner, folder, change.stage_id);
        const metadata = { sealed: '2.late' };
        await createTus(app, owner).create({ folder, name: sealedName(), length: 9, metadata });
        return change;
      },
    },
    'when a file was renamed since': {
      code: 'key.labels_changed',
      given: async ({ owner, folder, names, change }) => {
        await stageAll(owner, folder, change.stage_id);
        const labels = [{ name: names[0], earlier: '2.label0', sealed: '2.renamed' }];
        const renamed = await fetch(`${app.baseUrl}${OBJECT}/unlocked-folders`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.bearer}` },
          body: JSON.stringify({ prefix: folder.bucket_storage_path, labels }),
        });
        expect(renamed.status).toBe(200);
        return change;
      },
    },
    'when another page has changed the link since': {
      code: 'key.link_changed',
      given: async ({ owner, folder, change }) => {
        const other = { ...change, stage_id: randomUUID() };
        await stageAll(owner, folder, change.stage_id);
        await stageAll(owner, folder, other.stage_id);
        expect((await changeLink(owner, folder, other)).status).toBe(201);
        return change;
      },
    },
    'when the labels belong to another folder': {
      code: 'key.labels_changed',
      given: async ({ owner, change }) => {
        const other = await makeFolder(app, owner, 'private');
        await putFile(owner, other, '2.label0');
        await stageAll(owner, other, change.stage_id);
        return change;
      },
    },
  };

  test.each(Object.entries(CASES))('%s', async (_, { code, given }) => {
    const made = await make();
    const { owner, folder } = made;
    const change = await given(made);
    const [labels, token] = [await labelsOf(folder), await tokenOf(folder)];
    const { status, body } = await changeLink(owner, folder, change);
    expect([status, body.error.code]).toEqual([409, code]);
    expect([await labelsOf(folder), await tokenOf(folder)]).toEqual([labels, token]);
    expect(await sharesOf(folder)).toBe(1);
  });
});

test('a file that was deleted since is no reason to refuse', async () => {
  const { owner, folder, names, change } = await make();
  await stageAll(owner, folder, change.stage_id);
  const path = `${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}/${names[0]}`;
  await fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${owner.bearer}` } });
  expect((await changeLink(owner, folder, change)).status).toBe(201);
  expect(await labelsOf(folder)).toEqual({ [names[1]!]: '2.label1-next' });
});

test('a change whose answer was lost may be asked for again, and does no more', async () => {
  const { owner, folder, change } = await make();
  await stageAll(owner, folder, change.stage_id);
  const link = newPrivate();
  const first = await changeLink(owner, folder, change, link);
  const labels = await labelsOf(folder);
  const again = await changeLink(owner, folder, change, link);
  expect(again).toEqual(first);
  expect(await labelsOf(folder)).toEqual(labels);
  expect(await sharesOf(folder)).toBe(1);
});

test('of two changes at the same time one is made, with its link and all of its labels', async () => {
  const { owner, folder, names, change } = await make();
  const changes = ['a', 'b'].map((mark) => ({ mark, relabel: { ...change, stage_id: randomUUID() } }));
  for (const { mark, relabel } of changes)
    await stageAll(owner, folder, relabel.stage_id, (label) => `${label}-${mark}`);
  const outcomes = await Promise.all(changes.map(({ relabel }) => changeLink(owner, folder, relabel)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 409]);
  const at = outcomes.findIndex(({ status }) => status === 201);
  const { mark } = changes[at]!;
  expect(await labelsOf(folder)).toEqual({ [names[0]!]: `2.label0-${mark}`, [names[1]!]: `2.label1-${mark}` });
  expect(await tokenOf(folder)).toBe(outcomes[at]!.body.api_token);
  expect(await sharesOf(folder)).toBe(1);
});

test('a Discord link needs no new labels: it brings no new key', async () => {
  const { owner, folder } = await make();
  const labels = await labelsOf(folder);
  expect((await changeLink(owner, folder, null, { encrypted_key: newKey() })).status).toBe(201);
  expect(await labelsOf(folder)).toEqual(labels);
});

test('what is brought is no larger than the folder, and goes when it is given up', async () => {
  const { owner, folder, change } = await make();
  const made = { name: 'no such file.enc', earlier: '2.x', sealed: '2.y' };
  await stage(owner, { folder_id: folder.id, stage_id: change.stage_id, labels: [made] });
  const kept = () =>
    app.query<{ count: number }>(
      sql`select count(*)::integer as count from staged_labels where folder_id = ${folder.id}::uuid`,
    );
  expect(await kept()).toEqual([{ count: 0 }]);
  for (let stages = 0; stages < 5; stages += 1) await stageAll(owner, folder, randomUUID());
  expect(await kept()).toEqual([{ count: 6 }]);
  await app.query(sql`update staged_labels set staged_at = now() - interval '2 days'`);
  expect(await sweepAll(app)).toEqual([]);
  expect(await kept()).toEqual([{ count: 0 }]);
});
