import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/bot/commands.ts';
import { createLogger } from '../../src/http/log.ts';
import { autocomplete, click, command, send as discordSend, submit } from '../support/discord/discord-kit.ts';
import { creationHeaders, DISCORD_KEY } from '../support/folders.ts';
import { listRoutes, pathOf, type Route } from '../support/routes.ts';
import { BYTES_TYPE, base64, createTus, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/** At its most verbose, the log contains nothing of a request's content or sender. */

const CANARY = 'canary-of-this-test';
const MIKA = '195797';
const QUERY = `owner=me&provider=discord&redirect_to=/f/${CANARY}&token=${CANARY}&state=${CANARY}`;
/** These end what earlier calls need, so they come last. */
const ENDING = /logout|sessions\/|delete_folder|profiles\/me$|takedowns|bans|revoke/;

const secrets: string[] = [CANARY];
const lines: string[] = [];

const logger = createLogger('trace', { write: (line: string) => lines.push(line) });
const app = await createTestApp({
  deps: { logger, web: webOf() },
  env: { OPERATOR_DISCORD_IDS: MIKA, TRUST_PROXY: '127.0.0.1' },
});
const mika = await app.signIn('mika');
const folder = await makeFolder(app, mika);
const tus = createTus(app, mika);
const name = `${CANARY}-${freshName()}`;
expect((await tus.patch(await tus.create({ folder, name, length: 10 }), 0, someBytes(10))).status).toBe(204);
const upload = await tus.create({ folder, name: freshName(), length: 10 });
const values: Record<string, string> = {
  slug: folder.slug,
  api_token: CANARY,
  bucket: 'unlocked-folders',
  id: upload.split('/').at(-1)!,
};
Object.assign(values, { discord_id: '42', sha256: 'a'.repeat(64), '*': `${folder.bucket_storage_path}/${name}` });
const body = {
  folder_id: folder.id,
  folder_slug: folder.slug,
  input_folder_slug: folder.slug,
  kind: 'download',
  object: name,
  folder_name: CANARY,
  new_name: CANARY,
  new_description: CANARY,
  note: CANARY,
  reason: 'other',
  discord_id: '42',
  prefix: folder.bucket_storage_path,
  prefixes: [`${folder.bucket_storage_path}/nothing-${CANARY}`],
  subscription_tier: 'free',
  sha256: 'a'.repeat(64),
  size_bytes: 1,
  public_key: 'k'.repeat(87),
  grant: CANARY.padEnd(43, 'g'),
  intent: CANARY.padEnd(43, 'i'),
  proof: CANARY.padEnd(43, 'p'),
  ...DISCORD_KEY,
};
secrets.push(folder.id, folder.slug, folder.bucket_storage_path, name, mika.profile_id, mika.session_id, MIKA);
secrets.push(mika.bearer, mika.cookie.split('=')[1]!, 'mika', DISCORD_KEY.encryption_key, values.id!, '198.51.100.7');
const routes = [...(await listRoutes(app.deps))].sort(
  (a, b) => Number(ENDING.test(a.url)) - Number(ENDING.test(b.url)),
);

const TELLING = {
  'user-agent': CANARY,
  referer: `https://${CANARY}.example/#${CANARY}`,
  'upload-metadata': `${CANARY} ${base64(CANARY)}`,
  'upload-offset': CANARY,
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-host': CANARY,
  'if-none-match': CANARY,
  range: `bytes=${CANARY}`,
  'tus-resumable': '1.0.0',
};
const asMika = () => ({
  origin: app.config.publicUrl,
  cookie: `${mika.cookie}; x=${CANARY}`,
  authorization: `Bearer ${mika.bearer}`,
});
const asNobody = () => ({
  origin: `https://${CANARY}.example`,
  cookie: `sid=${CANARY}`,
  authorization: `Bearer ${CANARY}`,
});

/** Headers for an upload, with as many canaries as they can carry. */
const creation = () => {
  const path = `${values['*']}.second`;
  return { ...creationHeaders(path, 10, { [CANARY]: CANARY }), 'upload-offset': '0' };
};

async function send(route: Route, headers: Record<string, string>, payload: string, places = values): Promise<number> {
  const isPatch = route.method === 'PATCH';
  const hasBody = !['GET', 'HEAD'].includes(route.method);
  const response = await fetch(`${app.baseUrl}${pathOf(route, places)}?${QUERY}`, {
    method: route.method,
    headers: { ...TELLING, ...(hasBody && { 'content-type': isPatch ? BYTES_TYPE : 'application/json' }), ...headers },
    body: isPatch ? CANARY.slice(0, 5) : hasBody ? payload : null,
    redirect: 'manual',
  });
  await response.arrayBuffer();
  return response.status;
}

/** Every secret in the log, with its line. */
const found = () =>
  lines.flatMap((line) => secrets.filter((secret) => line.includes(secret)).map((secret) => [secret, line]));

test('what fails logs nothing secret', async () => {
  const made = Object.fromEntries(Object.keys(values).map((name) => [name, CANARY]));
  for (const route of routes) {
    await send(route, asNobody(), `{"${CANARY}":`, made);
    if (!ENDING.test(route.url))
      await send(route, asMika(), JSON.stringify({ [CANARY]: CANARY, folder_id: CANARY, kind: CANARY }), made);
  }
  expect(found()).toEqual([]);
});

test('what succeeds logs nothing secret, and each route has its lines', async () => {
  const statuses = new Map<string, number>();
  for (const route of routes) {
    const status = await send(route, { ...asMika(), ...creation() }, JSON.stringify(body));
    statuses.set(`${route.method} ${route.url}`, status);
  }
  expect(found()).toEqual([]);
  const succeeded = [...statuses.values()].filter((status) => status < 400).length;
  expect(succeeded, JSON.stringify([...statuses])).toBeGreaterThan(35);
  const logged = lines.map((line) => JSON.parse(line));
  for (const { method, url } of routes) {
    const own = logged.filter((line) => line.route === url && line.method === method);
    expect([method, url, own.length > 0]).toEqual([method, url, true]);
  }
});

/** Everything that the bot does, with canaries wherever one fits. */
async function useBot(): Promise<number> {
  const place = { token: CANARY, locale: CANARY, guild_id: '42' };
  const folder = values['*']!;
  const answers = [
    await discordSend(app, `{"type":2,"token":"${CANARY}",`),
    await discordSend(app, JSON.stringify({ type: 2, token: CANARY, data: { [CANARY]: CANARY } })),
    await command(app, 'mika', CANARY, { [CANARY]: CANARY }, place),
    await click(app, 'mika', `${CANARY}:${CANARY}`, { ...place, values: [CANARY] }),
    await submit(app, 'mika', `share:extended:${CANARY}`, { hours: CANARY }, place),
  ];
  for (const { name, clicks = {} } of COMMANDS) {
    for (const value of [CANARY, folder, `https://${CANARY}.example/f/x#${CANARY}`]) {
      answers.push(await command(app, 'mika', name, { folder: value, with: CANARY, expires: CANARY }, place));
      answers.push(await autocomplete(app, 'mika', name, { options: { folder: value }, focused: 'folder' }, place));
    }
    for (const act of Object.keys(clicks)) {
      answers.push(await click(app, 'mika', `${name}:${act}:${CANARY}`, { ...place, values: [CANARY] }));
    }
  }
  return answers.filter(({ status }) => status === 200).length;
}

test('nothing that people do with the bot is in the log', async () => {
  const before = lines.length;
  expect(await useBot()).toBeGreaterThan(30);
  expect(lines.slice(before).filter((line) => line.includes('/discord/interactions')).length).toBeGreaterThan(30);
  expect(found()).toEqual([]);
});

test('an internal failure logs where, not what', async () => {
  await app.database.close();
  const before = lines.length;
  let broken = 0;
  for (const route of routes) if ((await send(route, asMika(), JSON.stringify(body))) >= 500) broken += 1;
  expect(broken).toBeGreaterThan(20);
  await useBot();
  expect(lines.slice(before).filter((line) => line.includes('"level":"error"')).length).toBeGreaterThan(20);
  expect(found()).toEqual([]);
});
