import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateFolderOutput } from '@satchel/contract/api';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/database/db.ts';
import { takeDatabase, takeFolder } from '../support/at-end.ts';
import { filesBelow, filesWith } from '../support/database/kept-bytes.ts';
import { hoursFromNow, newKey, newPrivate } from '../support/folders.ts';
import { freePort } from '../support/free-port.ts';
import { createServerProcesses } from '../support/server-process.ts';
import { beginSessionAs } from '../support/test-app.ts';

/** Key service and node as in production: two processes, two directories, one PostgreSQL. */

const NODE_SECRET = 'what the two know each other by, in this test';

let parent: string;
const { start } = createServerProcesses(() => ({ KEY_SERVICE_SECRET: NODE_SECRET, LOG_LEVEL: 'silent' }));
const dirOf = (name: string) => ({ DATA_DIR: join(parent, name) });
beforeEach(async () => {
  parent = await takeFolder();
});

async function signIn(url: string): Promise<string> {
  const { db, close } = await openDatabase({ url });
  const { token } = await beginSessionAs(db, 'mika');
  await close();
  return `sid=${token}`;
}

async function filesIn(dir: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of filesBelow(dir)) paths.push(path);
  return paths;
}

test('shares and sealing secret are with the key service, and the node has neither', async () => {
  const url = await takeDatabase();
  const cookie = await signIn(url);
  // The key service must know the site's address, which is the node's; no request comes before both run.
  const site = `http://127.0.0.1:${await freePort()}`;
  const shared = { DATABASE_URL: url, PUBLIC_URL: site };
  const keys = await start({ ...shared, ...dirOf('keys'), SATCHEL_ROLE: 'keys' });
  const node = await start({
    ...shared,
    ...dirOf('node'),
    PORT: new URL(site).port,
    KEY_SERVICE_URL: keys.url,
  });
  await Promise.all([keys.ready(), node.ready()]);
  expect(keys.output.text).toContain(`as the key service, for ${site}`);

  const rpc = async <Body>(name: string, input: object) => {
    const headers = { origin: site, cookie, 'content-type': 'application/json' };
    const response = await fetch(`${site}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : null) as Body };
  };
  const create = async (link: object) => {
    const { status, body } = await rpc<CreateFolderOutput>('create_folder_with_temp_key', link);
    expect(status).toBe(201);
    return { id: body.folder.id, path: `/bot/${body.folder.slug}/${body.temp_key_info?.api_token}` };
  };
  const get = async (path: string) => (await fetch(site + path)).json() as Promise<unknown>;

  const [link, encryption_key] = [newPrivate(), newKey()];
  const [priv, discord] = [await create(link), await create({ encryption_key })];
  expect((await rpc('update_folder_settings', { folder_id: discord.id, new_expires_at: hoursFromNow(1) })).status).toBe(
    200,
  );
  expect(await get(priv.path)).toMatchObject({ success: true, ...link });
  expect(await get(discord.path)).toEqual({ success: true, encryption_key });

  expect(await filesIn(keys.dataDir)).toContain('secrets/key-sealing-secret');
  expect(await filesWith(keys.dataDir, link.key_share)).toHaveLength(1);
  expect((await filesIn(node.dataDir)).filter((path) => path.includes('key'))).toEqual([]);
  for (const secret of [link.key_share, encryption_key, Buffer.from(encryption_key, 'hex')]) {
    expect(await filesWith(node.dataDir, secret)).toEqual([]);
  }
  expect((await rpc('delete_folder_complete', { folder_id: priv.id })).status).toBe(204);
  expect(await filesWith(keys.dataDir, link.key_share)).toEqual([]);

  keys.child.kill('SIGTERM');
  expect(await keys.exited).toBe(0);
  expect(keys.output.errors).toBe('');
  expect((await rpc('create_folder_with_temp_key', link)).status).toBe(503);
  expect((await fetch(site + discord.path)).status).toBe(503);
  node.child.kill('SIGTERM');
  expect(await node.exited).toBe(0);
});

test('a node with keys of its own is refused: they belong on the other machine', async () => {
  await mkdir(join(parent, 'node/secrets'), { recursive: true });
  await writeFile(join(parent, 'node/secrets/key-sealing-secret'), 'left from before');
  const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/x', KEY_SERVICE_URL: 'http://127.0.0.1:1' };
  const node = await start({ ...env, ...dirOf('node') });
  expect(await node.exited).toBe(1);
  expect(node.output.errors).toMatch(/^satchel: KEY_SERVICE_URL: [^\n]*key-sealing-secret must move [^\n]*\n$/);
  expect(node.output.text).toBe('');
});
