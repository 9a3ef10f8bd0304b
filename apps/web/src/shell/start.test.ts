// @vitest-environment happy-dom
import { WAIT_MS } from '@satchel/contract/testing/pace';
import 'fake-indexeddb/auto';
import { PATHS } from '@satchel/contract/paths';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { folderData, MIKA } from '../../test/answers.ts';
import { openKeyDatabase } from '../engine/keys/key-store.ts';

/** What the first script of a folder's page asks for before there is a page. */

const data = folderData(MIKA, { folder_link_mode: 'private', temp_key_api_token: 'present' });
const keyPath = `${PATHS.key}/${data.folder_slug}/present`;
let asked: string[];

beforeEach(() => {
  asked = [];
  vi.resetModules();
  vi.stubGlobal('indexedDB', new IDBFactory());
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return path.startsWith(PATHS.rpc) ? Response.json(data) : Response.json([]);
  });
  // As the build fills it in.
  const parse = JSON.parse;
  vi.spyOn(JSON, 'parse').mockImplementation((text: string) =>
    text.startsWith('__') ? { fonts: [], folder: [], texts: {} } : parse(text),
  );
  history.replaceState(null, '', `/f/${data.folder_slug}#k=${'a'.repeat(43)}`);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  // A page of another test file would take them for its own.
  globalThis.satchelEarlyAnswers = undefined;
});

/** Has the device remember a key of the folder, as it was for one link. */
async function remember(row: { api_token: string; is_servers: boolean }): Promise<void> {
  const database = await openKeyDatabase();
  const more = { user_id: 'anonymous', folder_id: data.folder_id, slug: data.folder_slug, ...row };
  await database.put('keys', more as never);
  database.close();
}

/** Databases answer in tasks of their own. */
async function someTasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve));
}

const start = async () => {
  await import('./start.ts');
  await vi.waitFor(() => expect(asked.some((path) => path.startsWith(PATHS.list))).toBe(true), WAIT_MS);
  await someTasks();
};

test('a full link asks for folder, list and key; no database is made', async () => {
  await start();
  expect(asked).toContain(keyPath);
  expect(await indexedDB.databases()).toEqual([]);
});

test.each([false, true])(
  'a page that wants the key before the device’s keys are read gets the one answer (has it: %s)',
  async (hasIt) => {
    if (hasIt) await remember({ api_token: 'present', is_servers: false });
    const databases = indexedDB.databases.bind(indexedDB);
    const reading = Promise.withResolvers<void>();
    vi.spyOn(indexedDB, 'databases').mockImplementation(() => reading.promise.then(databases));
    await start();
    const { fetchEarly } = await import('../lib/api/early-answers.ts');
    const answer = fetchEarly(keyPath, { cache: 'no-store' });
    reading.resolve();
    expect((await answer).response.ok).toBe(true);
    await someTasks();
    expect(asked.filter((path) => path === keyPath)).toHaveLength(1);
  },
);

test('a device that has the key of this link asks for none', async () => {
  await remember({ api_token: 'present', is_servers: false });
  await start();
  expect(asked).not.toContain(keyPath);
});

test.each([
  ['the link was replaced', { api_token: 'earlier', is_servers: false }],
  ['the server gave the key', { api_token: 'present', is_servers: true }],
])('it asks where %s', async (_why, row) => {
  await remember(row);
  await start();
  await vi.waitFor(() => expect(asked).toContain(keyPath), WAIT_MS);
});

test.each(['%23', '%2523'])(
  'a key that %s put into the path goes back behind the address, and the page is told',
  async (sign) => {
    const secret = `k=${'a'.repeat(42)}A`;
    history.replaceState(null, '', `/f/${data.folder_slug}${sign}k%3D${'a'.repeat(42)}A&fbclid=x?utm_source=mail`);
    await start();
    expect(location.href).toBe(`${location.origin}/f/${data.folder_slug}#${secret}`);
    expect(globalThis.satchelKeyWasSent).toBe(true);
    globalThis.satchelKeyWasSent = undefined;
    expect(asked).toContain(keyPath);
  },
);
