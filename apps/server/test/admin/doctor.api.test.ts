import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { doctorCommand } from '../../src/admin/commands.ts';
import type { CheckName } from '../../src/admin/doctor.ts';
import type { Config } from '../../src/config.ts';
import { atEnd, openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { DISCORD_PRIVATE_KEY, DISCORD_PUBLIC_KEY } from '../support/discord/discord-keys.ts';
import { CALLBACK, CLIENT, startSandbox } from '../support/discord/sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { createTestApp } from '../support/test-app.ts';

/** A site at a running sandbox, with all settings right. */

const BOT_TOKEN = 'the bot token of this test';
const port = await freePort();
const publicUrl = `http://127.0.0.1:${port}`;
const sandbox = await startSandbox(publicUrl + CALLBACK, { privateKey: DISCORD_PRIVATE_KEY, botToken: BOT_TOKEN });
const databaseUrl = await takeDatabase();
const database = await openTestDatabase({ url: databaseUrl });
const app = await createTestApp({
  env: {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DISCORD_API_URL: sandbox.apiUrl,
    DISCORD_CLIENT_ID: CLIENT.clientId,
    DISCORD_CLIENT_SECRET: CLIENT.clientSecret,
    DISCORD_PUBLIC_KEY,
    DISCORD_BOT_TOKEN: BOT_TOKEN,
  },
  deps: { database },
});

async function verdicts(changes: Partial<Config> = {}, now?: () => number) {
  const { lines, isFinding } = await doctorCommand({ ...app.config, ...changes }, now);
  const by = (verdict: string) => lines.filter((line) => line.startsWith(verdict)).map((line) => line.slice(8).trim());
  expect(isFinding).toBe(by('failed').length > 0);
  return { ok: by('ok'), failed: by('failed'), skipped: by('skipped') };
}
const namesOf = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0] as CheckName);

test('a site with right settings is said to be well, a line for each', async () => {
  const { ok, failed, skipped } = await verdicts();
  expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  expect(namesOf(ok)).toEqual([
    'discord',
    'redirect',
    'public_key',
    'address',
    'proxy',
    'database',
    'clock',
    'store',
    'keys',
    'disk',
  ]);
});

const NOWHERE = `http://127.0.0.1:${await freePort()}/api/v10`;
const discord = (changes: Partial<Config['discord']>) => ({ discord: { ...app.config.discord, ...changes } });
const FAULTS: [string, Partial<Config>, CheckName[], RegExp][] = [
  ['a client secret of another application', discord({ clientSecret: 'x' }), ['discord'], /DISCORD_CLIENT_SECRET/],
  ['a Discord that is not there', discord({ apiUrl: NOWHERE, botToken: null }), ['discord'], /ECONNREFUSED/],
  ['another public key', discord({ publicKey: 'ab'.repeat(32) }), ['public_key'], /DISCORD_PUBLIC_KEY/],
  ['a bot token that was reset', discord({ botToken: 'x' }), ['redirect', 'public_key'], /DISCORD_BOT_TOKEN/],
  [
    'an address where nothing is',
    { publicUrl: 'http://127.0.0.1:1' },
    ['redirect', 'address'],
    /does not list .*\n.*does not answer/,
  ],
  [
    'a database that is not there',
    { databaseUrl: 'postgresql://x:hunter2@127.0.0.1:1/x' },
    ['database', 'store'],
    /DATABASE_URL/,
  ],
  ['a disk that is nearly full', { diskKeptFreeBytes: 2 ** 60 }, ['disk'], /DISK_KEPT_FREE_BYTES/],
  [
    'a DATA_DIR that is not there',
    { dataDir: '/nowhere', blobsUrl: `file://${app.config.dataDir}` },
    ['keys', 'disk'],
    /DATA_DIR: \/nowhere is not there/,
  ],
  ['a folder of keys that is a file', { keysDir: import.meta.filename }, ['keys', 'disk'], /KEYS_DIR/],
];
test.each(FAULTS)('%s is found', async (_what, changes, names, said) => {
  const { failed } = await verdicts(changes);
  expect(namesOf(failed)).toEqual(names);
  expect(failed.join('\n')).toMatch(said);
  expect(failed.join('\n')).not.toContain('hunter2');
});

test('a store that takes nothing is found', async () => {
  const dir = join(app.config.dataDir, 'a-file');
  await writeFile(dir, '');
  const { failed } = await verdicts({ blobsUrl: `file://${dir}` });
  expect(namesOf(failed)).toEqual(['store']);
});

test('a clock that is wrong is found, whether Discord or the database says so', async () => {
  const late = () => Date.now() - 10 * 60_000;
  const both = await verdicts({}, late);
  expect(both.failed.join()).toMatch(
    /^clock +the clock of this machine is (599|600|601) s behind the clock of Discord$/,
  );
  const early = await verdicts(discord({ apiUrl: NOWHERE, botToken: null }), () => Date.now() + 90_000);
  expect(early.failed.join()).toMatch(
    /clock +the clock of this machine is (89|90|91) s ahead of the clock of the database$/,
  );
});

test('without the bot token, the address to list is said, and nothing fails', async () => {
  const { failed, skipped } = await verdicts(discord({ botToken: null }));
  expect(failed).toEqual([]);
  expect(namesOf(skipped)).toEqual(['redirect', 'public_key']);
  expect(skipped[0]).toContain(publicUrl + CALLBACK);
});

/** A proxy on this machine, which changes headers. */
async function startProxy(change: (headers: Record<string, string>) => void): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...(incoming.headers as Record<string, string>) };
    change(headers);
    const onward = request(app.baseUrl + incoming.url, { headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  atEnd(() => proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const host = new URL(app.baseUrl).host;
test.each<[string, (headers: Record<string, string>) => void, string]>([
  [
    'that TRUST_PROXY does not name',
    (headers) => Object.assign(headers, { host, 'x-forwarded-for': '203.0.113.9' }),
    'TRUST_PROXY: does not name the proxy',
  ],
  [
    'that names nobody',
    (headers) => Object.assign(headers, { host, via: '1.1 proxy' }),
    'TRUST_PROXY: the proxy sends no X-Forwarded-For',
  ],
  [
    'that keeps the name of the site to itself',
    (headers) => Object.assign(headers, { host: 'localhost:1' }),
    'does not pass on the header Host',
  ],
])('a proxy %s is found', async (_what, change, said) => {
  const { failed } = await verdicts({ publicUrl: await startProxy(change) });
  expect(failed.find((line) => line.startsWith('proxy'))).toContain(said);
});

test('a proxy that is trusted and tells is well', async () => {
  const trusting = await createTestApp({ env: { TRUST_PROXY: '127.0.0.1' }, deps: { database } });
  const text = await (
    await fetch(`${trusting.baseUrl}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  ).text();
  expect(text).toContain('\nhost: as PUBLIC_URL\nproxy: trusted\n');
  expect(text).not.toContain('203.0.113.9');
});

test('a key service has checks of its own machine only', async () => {
  const { ok, failed } = await verdicts({ role: 'keys' });
  expect(failed).toEqual([]);
  expect(namesOf(ok)).toEqual(['database', 'clock', 'keys', 'disk']);
});
