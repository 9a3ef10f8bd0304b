import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { PATHS } from '@satchel/contract/paths';
import { until } from '@satchel/contract/testing/pace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type Machine, newMachine, type Started, signInMachine } from '../support/command-line.ts';
import type { Person } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

const PICTURE = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000, 'pixel')]);

let site: Site;
let machine: Machine;
let mika: Person;
let agent: Started;
let port: number;
let token: string;
beforeAll(async () => {
  [site, machine, port] = await Promise.all([startSite(), newMachine(), freePort()]);
  mika = await signInMachine(site, machine, 'mika');
  agent = machine.start(['agent', '--port', String(port), '--sxcu', 'satchel.sxcu', '--iscu', 'satchel.iscu']);
  await until(
    async () => agent.said().includes('Listening at'),
    () => agent.said(),
  );
  const settings = JSON.parse(await readFile(join(machine.folder, 'satchel.sxcu'), 'utf8'));
  token = settings.Headers['x-satchel-token'];
  expect(settings).toMatchObject({ RequestURL: `http://127.0.0.1:${port}/`, URL: '{json:url}', FileFormName: 'file' });
});
afterAll(async () => {
  agent?.child.kill('SIGTERM');
  await agent?.ended;
  await machine?.remove();
  await site?.stop();
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A request whose headers are exactly these. */
async function ask({ method = 'POST', path = '/', headers = {}, body = PICTURE }: Asked) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: object;
    body: Record<string, string>;
  }>();
  const asking = request({ host: '127.0.0.1', port, method, path, headers: { 'x-satchel-token': token, ...headers } });
  asking.on('error', reject);
  asking.on('response', async (response) => {
    const text = Buffer.concat(await response.toArray()).toString();
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text === '' ? {} : JSON.parse(text) });
  });
  asking.end(body);
  return promise;
}

/** As ShareX builds it from its settings: UploadersLib, `MakeFileUploadContentOpen`. */
function formOf(name: string, type: string): Asked {
  const boundary = '-----------------------8dc1a2b3c4d5e6f';
  const open = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      accept: '*/*',
      'user-agent': 'ShareX/17.0.0',
    },
    body: Buffer.concat([Buffer.from(open), PICTURE, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

const listed = async (link: string) =>
  JSON.parse((await machine.run(['ls', '-', '--json'], { stdin: link })).out.toString()).files.map(
    ({ path }: { path: string }) => path,
  );

test('ShareX’s form becomes a link that opens the same bytes; a day has one folder', async () => {
  const first = await ask(formOf('Bildschirm ü.png', 'image/png'));
  expect(first).toMatchObject({ status: 200, body: { url: expect.stringMatching(/\?file=[\w-]{36}#k=[\w-]{43}$/) } });
  expect(first.body.deletion_url).not.toContain('#');
  const got = await machine.run(['get', '-', '--stdout'], { stdin: first.body.url ?? '' });
  expect({ code: got.code, isSame: got.out.equals(PICTURE) }).toEqual({ code: 0, isSame: true });
  const second = await ask({ headers: { 'x-file-name': encodeURIComponent('grim ü.png') } });
  const third = await ask({});
  expect([second.status, third.status]).toEqual([200, 200]);
  const paths = await listed(first.body.url ?? '');
  expect(paths.slice(0, 2)).toEqual(['Bildschirm ü.png', 'grim ü.png']);
  expect(paths[2]).toMatch(/^\d{4}-\d\d-\d\d .*\.png$/);
});

/** As ishare reads its settings: names of any case, and `{{name}}` for a property of the answer. */
async function askAsIshare(name: string) {
  const settings = JSON.parse(await readFile(join(machine.folder, 'satchel.iscu'), 'utf8'));
  const of = (wanted: string) =>
    Object.entries(settings).find(([key]) => key.toLowerCase() === wanted)?.[1] as string | undefined;
  // Alamofire's boundary. Beside the form ishare names the file in a header of its own.
  const boundary = 'alamofire.boundary.0a1b2c3d4e5f6071';
  const open = `--${boundary}\r\nContent-Disposition: form-data; name="${of('fileformname')}"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n`;
  const { status, body } = await ask({
    path: new URL(of('requesturl') ?? '').pathname,
    headers: {
      ...settings.headers,
      'x-file-name': name,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: Buffer.concat([Buffer.from(open), PICTURE, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
  return {
    status,
    url: of('responseurl')?.replace(/\{\{(\w+)\}\}/, (_, key) => body[key] ?? ''),
    hasDeletion: of('deletionurl'),
  };
}

/** As bigFileUpload of Vencord sends by the settings of ShareX, from the part of it that runs in Node. */
async function askAsVencord(name: string) {
  const settings = JSON.parse(await readFile(join(machine.folder, 'satchel.sxcu'), 'utf8'));
  const form = new FormData();
  form.append(settings.FileFormName, new Blob([PICTURE], { type: 'image/png' }), name);
  const answer = await fetch(settings.RequestURL, {
    method: settings.RequestMethod,
    headers: settings.Headers,
    body: form,
  });
  const json = await answer.json();
  return {
    status: answer.status,
    url: settings.URL.replace(/\{json:([^}]+)\}/, (_: string, key: string) => json[key]),
  };
}

test.each([
  ['ishare', askAsIshare],
  ['Vencord’s bigFileUpload', askAsVencord],
])('%s by its settings: the link opens the same bytes', async (who, askAs) => {
  const { status, url } = await askAs(`by ${who}.png`);
  expect(status).toBe(200);
  const got = await machine.run(['get', '-', '--only', `by ${who}.png`, '--stdout'], { stdin: url });
  expect({ code: got.code, isSame: got.out.equals(PICTURE) }).toEqual({ code: 0, isSame: true });
});

test('ishare is told of no address for deletions: it would send the token there', async () => {
  expect((await askAsIshare('x.png')).hasDeletion).toBeUndefined();
});

test.each<[string, number, Asked]>([
  ['a request without the token', 401, { headers: { 'x-satchel-token': '' } }],
  ['another token of the same length', 401, { headers: { 'x-satchel-token': 'A'.repeat(43) } }],
  ['a page of another origin', 403, { headers: { origin: 'https://evil.example' } }],
  ['a page’s request without an origin', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['a rebound name', 421, { headers: { host: 'evil.example' } }],
  ['localhost, which is another name', 421, { headers: { host: 'localhost' } }],
  ['a preflight', 403, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }],
  ['another path', 404, { path: '/upload' }],
  ['a form without a file', 400, { ...formOf('a', 'b'), body: Buffer.from('no form') }],
])('%s uploads nothing', async (_what, status, asked) => {
  const before = await (await mika.call('GET', `${PATHS.folders}?owner=me`)).text();
  const answer = await ask(asked);
  expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(await (await mika.call('GET', `${PATHS.folders}?owner=me`)).text()).toBe(before);
});

test('the token is for its owner alone, and no output has it', async () => {
  for (const path of [join(machine.folder, 'satchel.sxcu'), join(machine.config, 'agent.json')]) {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect(agent.said()).not.toContain(token);
});

// Only root can become somebody else.
test.runIf(process.getuid?.() === 0)('another user of the machine reads no token, and uploads nothing', async () => {
  const nobody = { uid: 65_534, gid: 65_534 };
  const reading = spawn('cat', [join(machine.config, 'agent.json'), join(machine.folder, 'satchel.sxcu')], nobody);
  expect((await once(reading, 'exit'))[0]).not.toBe(0);
  const before = await (await mika.call('GET', `${PATHS.folders}?owner=me`)).text();
  const script = `fetch('http://127.0.0.1:${port}/', { method: 'POST', body: 'x' }).then(({ status }) => process.exit(status - 400))`;
  const sending = spawn(process.execPath, ['-e', script], { ...nobody, cwd: '/', env: {} });
  expect((await once(sending, 'exit'))[0]).toBe(1);
  expect(await (await mika.call('GET', `${PATHS.folders}?owner=me`)).text()).toBe(before);
});

test('once the sign-in has ended, the answer’s error says so', async () => {
  const sessions = (await (await mika.call('GET', PATHS.sessions)).json()) as { id: string; kind: string }[];
  await mika.call('DELETE', `${PATHS.sessions}/${sessions.find(({ kind }) => kind === 'device')?.id}`);
  expect(await ask({})).toMatchObject({ status: 403, body: { error: expect.stringContaining('satchel login') } });
});
