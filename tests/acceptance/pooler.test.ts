import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hearRenames } from '../support/change-stream.ts';
import { createChatClient } from '../support/discord.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import {
  ASKS_AGAIN,
  ask,
  type CreatedFolder,
  createPlainFolder,
  isLost,
  type Person,
  runTus,
  signIn,
} from '../support/people.ts';
import { CONNECTIONS_OF_POOLER, type Pooler, startPooler } from '../support/proxies.ts';
import { type Site, startSite } from '../support/site.ts';

/** The whole server through a pooler in transaction mode; only the site's lock connects to PostgreSQL directly. */

const { PGBOUNCER_PATH: PGBOUNCER = '', TEST_DATABASE_URL: SERVER = '' } = process.env;
const AVA = '9047382950617284611';
const MIB = 1024 ** 2;
const AT_ONCE = 24;
const COUNTED = 'record_folder_event';

/** Discord waits three seconds, which are over sooner where a node is killed: a later answer has no reply to change. */
const TOO_LATE = '"code":"10015"';
/** Errors in the server's log. Discord's answers show only `That didn’t work`. */
const errorsOf = (site: Site) =>
  site
    .logs()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && !(ASKS_AGAIN && line.includes(TOO_LATE)));

describe.skipIf(PGBOUNCER === '')('behind pgbouncer in transaction mode (left out where there is no pgbouncer)', () => {
  let pooler: Pooler;
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;
  const bytes = randomBytesOf(3 * MIB);
  const bearer = () => ({ authorization: `Bearer ${mika.token}` });
  const path = (name: string) => `${folder.bucket_storage_path}/${name}`;
  const publicUrl = (name: string) => `${site.url}/storage/v1/object/public/unlocked-folders/${path(name)}`;

  const begin = (lock: (url: string) => Record<string, string>) =>
    startSite({
      hasBot: true,
      env: { OPERATOR_DISCORD_IDS: AVA },
      databaseEnv: (url) => ({ DATABASE_URL: pooler.urlOf(url), ...lock(url) }),
    });

  beforeAll(async () => {
    pooler = await startPooler(PGBOUNCER, SERVER);
    site = await begin((url) => ({ DATABASE_LOCK_URL: url }));
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika, 'Pooled');
  });
  afterAll(async () => {
    await site?.stop();
    await pooler?.stop();
  });

  test('a file is uploaded, listed and downloaded', async () => {
    expect((await runTus({ url: site.url, person: mika, path: path('whole_1_a.bin') }, bytes)).error).toBeNull();
    const prefix = { prefix: folder.bucket_storage_path };
    const list = await mika.call('POST', '/storage/v1/object/list/unlocked-folders', prefix, bearer());
    expect(await list.json()).toMatchObject([{ name: 'whole_1_a.bin', metadata: { size: bytes.length } }]);
    const response = await fetch(publicUrl('whole_1_a.bin'));
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  });

  test('settings are changed, and a key is created, replaced and revoked', async () => {
    const { status } = await mika.rpc('update_folder_settings', { folder_id: folder.id, new_name: 'Renamed' });
    expect(status).toBe(200);
    const data = await mika.rpc('get_folder_complete_data', { input_folder_slug: folder.slug });
    expect(await data.json()).toMatchObject({ folder_name: 'Renamed' });

    const key = () => ({
      sealed_key: randomBytes(95).toString('base64url'),
      key_share: randomBytes(32).toString('base64url'),
    });
    const made = await mika.rpc('create_folder_with_temp_key', key());
    expect(made.status).toBe(201);
    const { folder: secret } = (await made.json()) as { folder: CreatedFolder };
    const renewed = await mika.rpc('generate_temp_encryption_key', { folder_id: secret.id, ...key() });
    expect(renewed.status).toBe(201);
    const { api_token } = (await renewed.json()) as { api_token: string };
    const opened = () => fetch(`${site.url}/bot/${secret.slug}/${api_token}`).then(({ status }) => status);
    expect(await opened()).toBe(200);
    expect((await mika.rpc('revoke_temp_encryption_key', { folder_id: secret.id })).status).toBeLessThan(300);
    expect(await opened()).toBe(404);
  });

  test('an open page hears of each change while its stream is open', async () => {
    expect(new Set(await hearRenames(mika, folder)).size).toBe(3);
  });

  test('concurrent calls share few connections, round after round, and no statement is unknown', async () => {
    const chats = ['mika', 'jonas', 'ava'].map((persona) => createChatClient(site.sandboxUrl, persona));
    const refusedTo = async (n: number) => {
      await chats[n % chats.length]!.suggestions('upload', 'folder', 'ren');
      await chats[n % chats.length]!.run('list', {});
      const answers = await Promise.all([
        mika.call('GET', '/auth/v1/user'),
        mika.call('GET', '/rest/v1/folders?owner=me'),
        mika.rpc('get_folder_complete_data', { input_folder_slug: folder.slug }),
        mika.rpc(COUNTED, { folder_slug: folder.slug, kind: 'view' }),
        mika.rpc('get_folder_analytics', { folder_slug: folder.slug }),
        ask(publicUrl('whole_1_a.bin'), { method: 'HEAD' }),
      ]);
      const refused = answers.filter(({ status }) => status >= 300).map(({ status, url }) => `${status} ${url}`);
      // What is counted is sent once, by the page as well: its answer is lost with a killed node.
      return refused.filter((what) => !(what.endsWith(COUNTED) && isLost(Number(what.slice(0, 3)))));
    };
    for (let round = 0; round < 2; round += 1) {
      const refused = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => refusedTo(n)));
      expect(refused.flat()).toEqual([]);
    }
    const usage = await pooler.usageOf(site.databaseUrl);
    expect(usage.clients).toBeGreaterThan(CONNECTIONS_OF_POOLER);
    expect(usage.connections).toBeLessThanOrEqual(CONNECTIONS_OF_POOLER);
    expect(usage.transactions).toBeGreaterThan(2 * AT_ONCE);
    expect(errorsOf(site)).toEqual([]);
  });

  test('a report reaches the operators, who take the folder down', async () => {
    const reported = await createPlainFolder(mika, 'Reported');
    const jonas = await signIn(site, 'jonas');
    const report = { folder_slug: reported.slug, reason: 'malware' };
    expect((await jonas.call('POST', '/abuse/v1/reports', report)).status).toBe(204);
    const ava = await signIn(site, 'ava');
    const { reports } = (await (await ava.call('GET', '/operator/v1/reports?state=open')).json()) as {
      reports: { folder_slug: string }[];
    };
    expect(reports.map(({ folder_slug }) => folder_slug)).toEqual([reported.slug]);
    const takedown = { folder_slug: reported.slug, reason: 'malware', deny_files: true };
    expect((await ava.call('POST', '/operator/v1/takedowns', takedown)).status).toBeLessThan(300);
    expect((await mika.rpc('delete_folder_complete', { folder_id: reported.id })).status).toBeGreaterThanOrEqual(400);
  });

  test('a file and its folder are deleted, and their space is free', async () => {
    const object = `/storage/v1/object/unlocked-folders/${path('whole_1_a.bin')}`;
    const gone = await mika.call('DELETE', object, undefined, bearer());
    expect(gone.status).toBe(200);
    expect((await fetch(publicUrl('whole_1_a.bin'))).status).toBe(404);
    expect((await mika.rpc('delete_folder_complete', { folder_id: folder.id })).status).toBe(204);
    const profile = await (await mika.call('GET', '/rest/v1/profiles/me')).json();
    expect(profile).toMatchObject({ used_bytes: 0, reserved_bytes: 0 });
  });

  test('an expired folder is swept after a kill -9 and a restart, and fsck finds nothing', async () => {
    folder = await createPlainFolder(mika, 'Expiring');
    expect((await runTus({ url: site.url, person: mika, path: path('late_1_b.bin') }, bytes)).error).toBeNull();
    const client = new pg.Client({ connectionString: pooler.urlOf(site.databaseUrl) });
    await client.connect();
    await client.query('update folders set expires_at = now() where id = $1', [folder.id]);
    await client.end();
    expect((await fetch(publicUrl('late_1_b.bin'))).status).toBeGreaterThanOrEqual(400);
    await site.kill9();
    await site.restart();
    const used = async () => (await (await mika.call('GET', '/rest/v1/profiles/me')).json()) as { used_bytes: number };
    await expect.poll(used).toMatchObject({ used_bytes: 0 });
    await expect.poll(() => site.fsck()).toMatchObject({ code: 0 });
    expect(errorsOf(site)).toEqual([]);
  });

  test('without a direct connection, the start is refused in one line', async () => {
    await expect(begin(() => ({}))).rejects.toThrow(/satchel: DATABASE_URL: leads to a pooler/);
  });
});
