import { CHANGES_PATH, type FolderChange } from '@satchel/contract/wire/folder-changes';
import { afterEach, expect, test } from 'vitest';
import { createChangeChannel } from '../../src/platform/database/change-channel.ts';
import { openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { letIn, setAccess } from '../support/discord/guests.ts';
import { createTus, deleteFolder, expire, freshName, makeFolder, someBytes, upload } from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

/** Open pages are told to look again, and nothing else (docs/decisions/027). */

const open: AbortController[] = [];

const app = await createTestApp();
const owner = await app.signIn('mika');
afterEach(() => {
  for (const control of open.splice(0)) control.abort();
});

interface Follow {
  readonly cookie?: string;
  readonly at?: TestApp;
}

const ask = (
  slugs: readonly string[],
  { cookie, at = app }: Follow,
  more: Record<string, string>,
  control?: AbortController,
) =>
  fetch(at.baseUrl + CHANGES_PATH, {
    method: 'POST',
    headers: {
      origin: at.config.publicUrl,
      'content-type': 'application/json',
      ...(cookie && { cookie }),
      ...more,
    },
    body: JSON.stringify({ slugs }),
    signal: control?.signal ?? null,
  });

/** Opens a stream; `next` gives what it says, one by one, and null at its end. */
async function follow(slugs: readonly string[], given: Follow = {}) {
  const control = new AbortController();
  open.push(control);
  const response = await ask(slugs, given, { accept: 'text/event-stream' }, control);
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const said: string[] = [];
  let text = '';
  const next = async (): Promise<FolderChange | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end !== -1) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        said.push(event);
        if (event.startsWith('data: ')) return JSON.parse(event.slice(6)) as FolderChange;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  return { response, next, said };
}

async function look(slugs: readonly string[], given: Follow = {}): Promise<readonly FolderChange[]> {
  const response = await ask(slugs, given, {});
  expect(response.status).toBe(200);
  return ((await response.json()) as { folders: FolderChange[] }).folders;
}

async function addFile(folder: Awaited<ReturnType<typeof makeFolder>>): Promise<string> {
  const name = freshName();
  await upload(createTus(app, owner), folder, name, someBytes(10));
  return name;
}

test('a file that arrives, settings, a file that goes and the deletion each say once: look again', async () => {
  const folder = await makeFolder(app, owner);
  const page = await follow([folder.slug]);
  const first = await page.next();
  expect(first).toMatchObject({ slug: folder.slug, version: expect.any(String) });

  const versions = [first?.version];
  const expectNews = async () => {
    const told = await page.next();
    expect(told).toMatchObject({ slug: folder.slug, version: expect.any(String) });
    expect(versions).not.toContain(told?.version);
    versions.push(told?.version);
  };
  const name = await addFile(folder);
  await expectNews();
  await app.rpc('update_folder_settings', { folder_id: folder.id, new_name: 'A name of its own' }, owner);
  await expectNews();
  await fetch(`${app.baseUrl}/storage/v1/object/unlocked-folders`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${owner.bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prefixes: [`${folder.bucket_storage_path}/${name}`] }),
  });
  await expectNews();
  await deleteFolder(app, owner, folder);
  expect(await page.next()).toMatchObject({ slug: folder.slug, version: null });

  const all = page.said.join('\n');
  for (const secret of [name, 'A name of its own', folder.id, owner.profile_id, folder.bucket_storage_path]) {
    expect(all).not.toContain(secret);
  }
});

test('a stream says that it is one, and that no proxy may keep it', async () => {
  const folder = await makeFolder(app, owner);
  const { response } = await follow([folder.slug]);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
});

test('without a stream the same is asked for: the version changes with the folder and stays without a change', async () => {
  const [folder, other] = [await makeFolder(app, owner), await makeFolder(app, owner)];
  const slugs = [folder.slug, other.slug];
  const before = await look(slugs);
  expect(await look(slugs)).toMatchObject(before.map(({ slug, version }) => ({ slug, version })));
  await addFile(folder);
  const after = await look(slugs);
  expect(after[0]?.version).not.toBe(before[0]?.version);
  expect(after[1]?.version).toBe(before[1]?.version);
});

test('a restricted folder is told of to its owner and guests only, like one that is not there', async () => {
  const folder = await makeFolder(app, owner);
  await setAccess(app, owner, folder, 'restricted');
  const stranger = await app.signIn('jonas');
  const none = [{ slug: folder.slug, version: null, age_ms: 0 }];
  expect(await look([folder.slug])).toEqual(none);
  expect(await look([folder.slug], { cookie: stranger.cookie })).toEqual(none);
  expect(await look(['a-slug-of-nothing'])).toMatchObject([{ version: null }]);
  const guest = await letIn(app, folder);
  for (const cookie of [owner.cookie, guest])
    expect(await look([folder.slug], { cookie })).toMatchObject([{ version: expect.any(String) }]);
});

test('access that ends ends what is told: the reader hears once that it is over, and of no change after it', async () => {
  const folder = await makeFolder(app, owner);
  const [visitor, mine] = [await follow([folder.slug]), await follow([folder.slug], { cookie: owner.cookie })];
  expect((await visitor.next())?.version).not.toBeNull();
  expect((await mine.next())?.version).not.toBeNull();
  await setAccess(app, owner, folder, 'restricted');
  expect(await visitor.next()).toMatchObject({ slug: folder.slug, version: null });
  expect((await mine.next())?.version).not.toBeNull();
  await addFile(folder);
  expect((await mine.next())?.version).not.toBeNull();
  // The end of the server ends all streams: the visitor's said nothing in between.
  const said = visitor.said.filter((event) => event.startsWith('data')).length;
  expect(said).toBe(2);
});

test('a session that ends is told nothing more of a restricted folder', async () => {
  const folder = await makeFolder(app, owner);
  await setAccess(app, owner, folder, 'restricted');
  const other = await app.signIn('mika');
  const [ended, stays] = [
    await follow([folder.slug], { cookie: other.cookie }),
    await follow([folder.slug], { cookie: owner.cookie }),
  ];
  expect((await ended.next())?.version).not.toBeNull();
  expect((await stays.next())?.version).not.toBeNull();
  await app.call('POST', '/auth/v1/logout', { as: other });
  await addFile(folder);
  expect(await ended.next()).toMatchObject({ version: null });
  expect((await stays.next())?.version).not.toBeNull();
});

test('the second of the expiry is told without a sweep', async () => {
  const folder = await makeFolder(app, owner);
  const page = await follow([folder.slug]);
  await page.next();
  // Told of as a change, with its new end; then the end itself.
  await app.rpc(
    'update_folder_settings',
    { folder_id: folder.id, new_expires_at: new Date(Date.now() + 1500).toISOString() },
    owner,
  );
  const told = [await page.next(), await page.next()];
  expect(told.at(-1)?.version ?? null).toBeNull();
  await expire(app, folder);
  expect(await look([folder.slug])).toMatchObject([{ version: null }]);
});

test('the end of the server ends every stream at once', async () => {
  const own = await createTestApp();
  const mika = await own.signIn('mika');
  const folder = await makeFolder(own, mika);
  const page = await follow([folder.slug], { at: own });
  expect((await page.next())?.version).not.toBeNull();
  const closed = own.close();
  expect(await page.next()).toBeNull();
  await closed;
});

test('a network gets half of its connections for streams, and then asks without one', async () => {
  const limits = { connections: 100, transfers: 50, perNetwork: 4, transfersPerNetwork: 2 };
  const small = await createTestApp({ deps: { descriptorLimits: limits } });
  const folder = await makeFolder(small, await small.signIn('mika'));
  for (const _ of [1, 2]) await (await follow([folder.slug], { at: small })).next();
  const third = await ask([folder.slug], { at: small }, { accept: 'text/event-stream' });
  expect(third.status).toBe(429);
  expect(third.headers.get('retry-after')).toBe('30');
  expect(await look([folder.slug], { at: small })).toMatchObject([{ version: expect.any(String) }]);
});

/** Nodes of one database, which tell each other. */
test.each([2, 4])('of %i nodes, a change on one is told to the pages of all others', async (count) => {
  const url = await takeDatabase();
  const nodes: TestApp[] = [];
  for (let made = 0; made < count; made += 1) {
    const database = await openTestDatabase({ url });
    nodes.push(await createTestApp({ deps: { database, changeChannel: createChangeChannel(url, () => undefined) } }));
  }
  const [here, ...others] = nodes as [TestApp, ...TestApp[]];
  const mika = await here.signIn('mika');
  const folder = await makeFolder(here, mika);
  const pages = await Promise.all(others.map((at) => follow([folder.slug], { at })));
  const first = await Promise.all(pages.map((page) => page.next()));
  await here.rpc('update_folder_settings', { folder_id: folder.id, new_name: 'Elsewhere' }, mika);
  for (const [index, page] of pages.entries()) {
    const told = await page.next();
    expect(told?.version).toEqual(expect.any(String));
    expect(told?.version).not.toBe(first[index]?.version);
  }
});
