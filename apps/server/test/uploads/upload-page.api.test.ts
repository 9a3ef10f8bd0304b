import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KIB, MIB } from '@satchel/contract/limits';
import type { OpenUploadList } from '@satchel/contract/open-uploads';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createTus, deleteFolder, expire, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/**
 * A client written from docs/upload-socket.md alone: it sends the requests that stand on the page, with its own values in
 * their braces, and knows no path, header or name by itself.
 */

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/upload-socket.md'), 'utf8');
const REQUESTS = [...PAGE.matchAll(/^```http\n([\s\S]*?)```$/gm)].map(([, text = '']) => text);
const cellOf = (header: string) =>
  new RegExp(`^\\| \`${header}\` \\| \`([^\`]+)\`: the protocol`, 'm').exec(PAGE)?.[1] ?? '';
const SOCKET = /^`GET (\S+)`, a WebSocket/m.exec(PAGE)?.[1] ?? '';
const FIRST_MESSAGE = /text `(\{"id"[^`]*\})`/.exec(PAGE)?.[1] ?? '';

type Values = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** Sends the request of the page that begins with these words. */
function createClient(app: TestApp) {
  return function send(
    begin: string,
    values: Values,
    more: Record<string, string> = {},
    body?: Uint8Array<ArrayBuffer>,
  ) {
    const text = REQUESTS.find((request) => request.startsWith(begin));
    if (text === undefined) throw new Error(`${begin} is not on the page`);
    const [head = '', payload = ''] = text.split('\n\n');
    const filled = head.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const [, inBase64] = /^base64 of (.+)$/.exec(name) ?? [];
      const value = String(values[inBase64 ?? name]);
      return inBase64 === undefined ? value : Buffer.from(value).toString('base64');
    });
    const [line = '', ...headers] = filled.trim().split('\n');
    const [method = '', target = ''] = line.split(' ');
    const pairs = headers.map((header) => header.split(/: (.*)/).slice(0, 2) as [string, string]);
    const all = new Headers(pairs);
    for (const [name, value] of Object.entries(more)) all.set(name, value);
    const bytes = payload.trim() === '{bytes}' ? (values.bytes as Uint8Array<ArrayBuffer>) : payload.trim();
    return fetch(new URL(target, app.baseUrl), {
      method,
      headers: all,
      body: body ?? (payload ? bytes : null),
    });
  };
}

const sizeOf = (mib: number) => new Uint8Array(mib * MIB).map((_, at) => at % 251);
const FILE = { type: 'video/webm', size: '', bytes: new Uint8Array() };

/** Signs in, makes a folder, and says what uploads need. */
async function begin(app: TestApp, name: string) {
  const { cookie } = await app.signIn(name);
  const send = createClient(app);
  const own = { ...FILE, cookie, PUBLIC_URL: app.config.publicUrl };
  const { session } = (await (await send('GET /auth/v1/session', own)).json()) as {
    session: { access_token: string; expires_at: string };
  };
  const made = await send('POST /rest/v1/rpc/create_folder', own);
  expect(made.status).toBe(201);
  const { folder } = (await made.json()) as { folder: { bucket: string; bucket_storage_path: string } };
  const values = { ...own, access_token: session.access_token, 'folder.bucket': folder.bucket };
  const pathOf = (file: string) => `${folder.bucket_storage_path}/${file}`;
  const read = async (file: string) => {
    const response = await fetch(`${app.baseUrl}/storage/v1/object/public/${folder.bucket}/${pathOf(file)}`);
    return { type: response.headers.get('content-type'), bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  return { send, values, pathOf, read, session };
}

const app = await createTestApp();

test('a file goes by PATCH and the socket, as the page has it, and arrives', async () => {
  const { send, values, pathOf, read, session } = await begin(app, 'mika');
  expect(Date.parse(session.expires_at) - Date.now()).toBeLessThanOrEqual(600_000);
  const bytes = sizeOf(3);
  const upload = { ...values, size: String(bytes.length), path: pathOf('film_1.webm') };
  const created = await send('POST /storage/v1/upload', upload);
  expect(created.status).toBe(201);
  const Location = created.headers.get('location') ?? '';
  expect(created.headers.get('upload-expires')).toBeTruthy();

  const patched = await send('PATCH', { ...upload, Location, offset: '0', bytes: bytes.slice(0, MIB) });
  expect([patched.status, patched.headers.get('upload-offset')]).toEqual([204, String(MIB)]);
  const asked = await send('HEAD', { ...upload, Location });
  const offset = Number(asked.headers.get('upload-offset'));
  expect(offset).toBe(MIB);

  const options = { protocols: [cellOf('Sec-WebSocket-Protocol')], headers: { origin: app.config.publicUrl } };
  const socket = new WebSocket(new URL(SOCKET, app.baseUrl.replace('http', 'ws')), options as unknown as string[]);
  const messages: Record<string, unknown>[] = [];
  const first = JSON.parse(FIRST_MESSAGE);
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ ...first, id: Location.split('/').at(-1), offset, token: values.access_token })),
  );
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    messages.push(message);
    if ('ready' in message) for (let at = offset; at < bytes.length; at += MIB) socket.send(bytes.slice(at, at + MIB));
  });
  expect(await closed).toBe(1000);
  expect(messages[0]).toEqual({ ready: offset });
  expect(messages.at(-1)).toEqual({ done: bytes.length });
  expect(await read('film_1.webm')).toEqual({ type: 'video/webm', bytes });
});

test('a small file comes with its creation, and another of its name is refused or replaces it', async () => {
  const { send, values, pathOf, read } = await begin(app, 'jonas');
  const bytes = sizeOf(1).slice(0, 10 * KIB);
  const upload = { ...values, size: String(bytes.length), path: pathOf('small_1.webm') };
  const withBody = { 'content-type': 'application/offset+octet-stream' };
  expect((await send('POST /storage/v1/upload', upload, withBody, bytes)).status).toBe(201);
  expect((await read('small_1.webm')).bytes).toEqual(bytes);
  expect((await send('POST /storage/v1/upload', upload, withBody, bytes)).status).toBe(409);
  const other = bytes.toReversed();
  expect((await send('POST /storage/v1/upload', upload, { ...withBody, 'x-upsert': 'true' }, other)).status).toBe(201);
  expect((await read('small_1.webm')).bytes).toEqual(other);
});

test('refusals have the body, the header and the Retry-After of the page', async () => {
  const limited = await createTestApp({ deps: { rateLimits: { upload_create: [{ max: 1, seconds: 60 }] } } });
  const { send, values, pathOf } = await begin(limited, 'mika');
  const upload = { ...values, size: '5', path: pathOf('a_1.webm') };
  expect((await send('POST /storage/v1/upload', upload)).status).toBe(201);
  const refused = await send('POST /storage/v1/upload', upload);
  const { error } = (await refused.json()) as { error: Record<string, unknown> & { params: Record<string, unknown> } };
  expect(refused.status).toBe(429);
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'params', 'request_id', 'status']);
  expect(refused.headers.get('retry-after')).toBe(String(error.params.retry_after_seconds));
  expect(refused.headers.get('x-request-id')).toBe(error.request_id);

  const forged = await send('POST /storage/v1/upload', { ...upload, access_token: 'x.y' });
  expect(forged.status).toBe(401);
});

test('metadata beyond what the page allows are refused, and all it names are taken', async () => {
  const { send, values, pathOf } = await begin(app, 'lena');
  const [, table = ''] = /^\| `Upload-Metadata`.*\n([\s\S]*?)\n\n/m.exec(PAGE) ?? [];
  const names = [...table.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name);
  expect(names).toEqual(['bucketName', 'objectName', 'contentType', 'cacheControl', 'sealed']);
  const inBase64 = (text: string) => Buffer.from(text).toString('base64');
  const pairs = (entries: Record<string, string>) =>
    Object.entries(entries)
      .map(([name, value]) => `${name} ${inBase64(value)}`)
      .join(',');
  const all = { bucketName: values['folder.bucket'], contentType: 'text/plain', cacheControl: '60', sealed: '2.abc' };
  const post = (metadata: Record<string, string>) =>
    send('POST /storage/v1/upload', { ...values, size: '5', path: 'x' }, { 'upload-metadata': pairs(metadata) });
  expect((await post({ ...all, objectName: pathOf('all_1.txt') })).status).toBe(201);
  const tooLong = { ...all, objectName: pathOf('n'.repeat(256)) };
  expect((await post(tooLong)).status).toBe(400);
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`more${at}`, 'x']));
  expect((await post({ ...all, ...many, objectName: pathOf('many_1.txt') })).status).toBe(400);
});

const PATH = '/rest/v1/uploads?owner=me';
describe('one’s own open uploads', () => {
  let counter = 0;

  const newPerson = async () => {
    const account = await app.signIn(`person ${counter++}`);
    return { account, tus: createTus(app, account) };
  };
  const listOf = async (as: Account) => {
    const response = await app.call('GET', PATH, { as });
    expect(response.status).toBe(200);
    return (await response.json()) as OpenUploadList;
  };
  const idOf = (url: string) => url.split('/').at(-1)!;

  test('show length, offset, time and folder, the newest first, and no file names', async () => {
    const { account, tus } = await newPerson();
    const made = await app.rpc<{ folder: Parameters<typeof deleteFolder>[2] }>(
      'create_folder_with_temp_key',
      { folder_name: 'Holiday' },
      account,
    );
    const { folder } = made.body;
    const nameless = await makeFolder(app, account, 'private');
    const first = await tus.create({ folder, name: freshName(), length: 100 });
    expect((await tus.patch(first, 0, someBytes(60))).status).toBe(204);
    const second = await tus.create({ folder: nameless, name: `${freshName()}.enc`, length: 5 });
    const listed = await listOf(account);
    expect(listed).toEqual([
      {
        id: idOf(second),
        folder_id: nameless.id,
        folder_slug: nameless.slug,
        folder_name: null,
        length_bytes: 5,
        offset_bytes: 0,
        created_at: expect.any(String),
        expires_at: nameless.expires_at,
      },
      {
        id: idOf(first),
        folder_id: folder.id,
        folder_slug: folder.slug,
        folder_name: 'Holiday',
        length_bytes: 100,
        offset_bytes: 60,
        created_at: expect.any(String),
        expires_at: folder.expires_at,
      },
    ]);
  });

  test('are those that may still become files, of this account only', async () => {
    const { account, tus } = await newPerson();
    const other = await newPerson();
    const folder = await makeFolder(app, account);
    const begin = (into = folder) => tus.create({ folder: into, name: freshName(), length: 5 });
    const kept = await begin();
    await other.tus.create({ folder: await makeFolder(app, other.account), name: freshName(), length: 5 });
    expect((await tus.patch(await begin(), 0, someBytes(5))).status).toBe(204);
    expect((await tus.terminate(await begin())).status).toBe(204);
    const late = await begin();
    await app.database.db.execute(
      sql`update uploads set expires_at = clock_timestamp() - interval '1 second' where id = ${idOf(late)}::uuid`,
    );
    const [deleted, expired] = [await makeFolder(app, account), await makeFolder(app, account)];
    await begin(deleted);
    await deleteFolder(app, account, deleted);
    await begin(expired);
    await expire(app, expired);
    expect((await listOf(account)).map(({ id }) => id)).toEqual([idOf(kept)]);
  });

  test('are cancelled by the address of their id, which gives their space back', async () => {
    const { account, tus } = await newPerson();
    const folder = await makeFolder(app, account);
    await tus.create({ folder, name: freshName(), length: 1000 });
    const [upload] = await listOf(account);
    // As a page does that lost its record and never knew the address.
    expect((await tus.terminate(`${app.baseUrl}/storage/v1/upload/resumable/${upload!.id}`)).status).toBe(204);
    expect(await listOf(account)).toEqual([]);
    const profile = await (await app.call('GET', '/rest/v1/profiles/me', { as: account })).json();
    expect(profile).toMatchObject({ used_bytes: 0, reserved_bytes: 0 });
  });

  test('are requested as one’s own, signed in', async () => {
    const { account } = await newPerson();
    expect((await app.call('GET', PATH)).status).toBe(401);
    for (const query of ['', '?owner=', `?owner=${account.profile_id}`]) {
      expect((await app.call('GET', `/rest/v1/uploads${query}`, { as: account })).status).toBe(400);
    }
  });
});
