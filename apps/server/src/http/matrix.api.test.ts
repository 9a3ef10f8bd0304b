import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { BYTES_TYPE, base64, createTus, expire, freshName, makeFolder, someBytes } from '../testing/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../testing/test-app.ts';

/** Who may do what (DESIGN §5): a row for every route, and a route without a row fails. */

const BUCKET = 'unlocked-folders';
/** Nobody, a person without a folder, the owner, the owner once it has expired, and the owner of another folder. */
const ROLES = ['anonymous', 'viewer', 'owner', 'owner when expired', 'owner of another'] as const;
type Role = (typeof ROLES)[number];

/** A folder of its own for every cell, with a file and an open upload in it. */
interface Cell {
  readonly role: Role;
  readonly who: Account | null;
  readonly owner: Account;
  readonly folder: Folder;
  readonly object: string;
  readonly upload: string;
  readonly apiToken: string;
  readonly signed: string;
}
interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
type Row = readonly [statuses: readonly number[], call: (cell: Cell) => Call];

const all = (status: number) => ROLES.map(() => status);
const rpc = (name: string, body: (cell: Cell) => unknown) => (cell: Cell) => ({
  path: `/rest/v1/rpc/${name}`,
  body: body(cell),
});
const at = (path: string) => () => ({ path });
const ofFolder = ({ folder }: Cell) => ({ folder_id: folder.id });
const upload =
  (headers: Record<string, string> = {}) =>
  (cell: Cell) => ({ path: cell.upload, headers });
const creation = ({ folder }: Cell) => ({
  path: '/storage/v1/upload/resumable',
  headers: {
    'upload-length': '5',
    'upload-metadata': `bucketName ${base64(BUCKET)},objectName ${base64(`${folder.bucket_storage_path}/${freshName()}.enc`)}`,
  },
});
/** DESIGN §5, "create folder": the owner of another folder tries to make one in this owner's name. */
const newFolder = ({ role, owner }: Cell) => (role === 'owner of another' ? { owner_id: owner.profile_id } : {});

const READ = [200, 200, 200, 410, 200];
const CHANGE_UPLOAD = [401, 404, 204, 410, 404];
const OWN = [401, 200, 200, 200, 200];

const MATRIX: Readonly<Record<string, Row>> = {
  'GET /auth/v1/authorize': [all(302), at('/auth/v1/authorize?provider=discord')],
  'GET /auth/v1/callback': [all(302), at('/auth/v1/callback?code=x&state=y')],
  'GET /auth/v1/session': [all(200), at('/auth/v1/session')],
  'GET /auth/v1/user': [OWN, at('/auth/v1/user')],
  'POST /auth/v1/logout': [all(204), at('/auth/v1/logout')],
  'GET /rest/v1/profiles/me': [OWN, at('/rest/v1/profiles/me')],
  'GET /rest/v1/profiles/me/export': [OWN, at('/rest/v1/profiles/me/export')],
  'DELETE /rest/v1/profiles/me': [[401, 204, 204, 204, 204], at('/rest/v1/profiles/me')],
  'GET /rest/v1/folders': [OWN, at('/rest/v1/folders?owner=me')],
  'GET /rest/v1/folders/:slug': [READ, ({ folder }) => ({ path: `/rest/v1/folders/${folder.slug}` })],
  'POST /rest/v1/rpc/get_folder_complete_data': [
    all(200),
    rpc('get_folder_complete_data', ({ folder }) => ({ input_folder_slug: folder.slug })),
  ],
  'POST /rest/v1/rpc/create_folder_with_temp_key': [
    [401, 201, 201, 201, 403],
    rpc('create_folder_with_temp_key', newFolder),
  ],
  'POST /rest/v1/rpc/update_folder_settings': [[401, 403, 200, 410, 403], rpc('update_folder_settings', ofFolder)],
  'POST /rest/v1/rpc/delete_folder_complete': [[401, 403, 204, 204, 403], rpc('delete_folder_complete', ofFolder)],
  'POST /rest/v1/rpc/revoke_temp_encryption_key': [
    [401, 403, 204, 410, 403],
    rpc('revoke_temp_encryption_key', ofFolder),
  ],
  'POST /rest/v1/rpc/generate_temp_encryption_key': [
    [401, 403, 201, 410, 403],
    rpc('generate_temp_encryption_key', ({ folder }) => ({ folder_id: folder.id, encrypted_key: 'ab'.repeat(64) })),
  ],
  'POST /bot/:slug/:api_token': [
    [200, 200, 200, 404, 200],
    ({ folder, apiToken }) => ({ path: `/bot/${folder.slug}/${apiToken}`, body: { proof: 'p'.repeat(43) } }),
  ],
  'POST /rest/v1/rpc/record_folder_event': [
    [204, 204, 204, 410, 204],
    rpc('record_folder_event', ({ folder }) => ({ folder_slug: folder.slug, kind: 'view' })),
  ],
  'POST /rest/v1/rpc/get_folder_analytics': [
    [401, 200, 200, 410, 200],
    rpc('get_folder_analytics', ({ folder }) => ({ folder_slug: folder.slug })),
  ],
  'GET /bot/:slug/:api_token': [
    [200, 200, 200, 404, 200],
    ({ folder, apiToken }) => ({ path: `/bot/${folder.slug}/${apiToken}` }),
  ],
  'POST /storage/v1/object/list/:bucket': [
    READ,
    ({ folder }) => ({ path: `/storage/v1/object/list/${BUCKET}`, body: { prefix: folder.bucket_storage_path } }),
  ],
  'GET /storage/v1/object/public/:bucket/*': [
    READ,
    ({ object }) => ({ path: `/storage/v1/object/public/${BUCKET}/${object}` }),
  ],
  'GET /storage/v1/object/:bucket/*': [READ, ({ object }) => ({ path: `/storage/v1/object/${BUCKET}/${object}` })],
  'POST /storage/v1/object/sign/:bucket/*': [
    READ,
    ({ object }) => ({ path: `/storage/v1/object/sign/${BUCKET}/${object}`, body: {} }),
  ],
  'GET /storage/v1/object/sign/:bucket/*': [READ, ({ signed }) => ({ path: signed })],
  'DELETE /storage/v1/object/:bucket/*': [
    [401, 403, 200, 200, 403],
    ({ object }) => ({ path: `/storage/v1/object/${BUCKET}/${object}` }),
  ],
  'DELETE /storage/v1/object/:bucket': [
    [401, 403, 200, 200, 403],
    ({ object }) => ({ path: `/storage/v1/object/${BUCKET}`, body: { prefixes: [object] } }),
  ],
  'OPTIONS /storage/v1/upload/resumable': [all(204), at('/storage/v1/upload/resumable')],
  'POST /storage/v1/upload/resumable': [[401, 403, 201, 410, 403], creation],
  'HEAD /storage/v1/upload/resumable/:id': [[401, 404, 200, 410, 404], upload()],
  'PATCH /storage/v1/upload/resumable/:id': [
    CHANGE_UPLOAD,
    upload({ 'upload-offset': '0', 'content-type': BYTES_TYPE }),
  ],
  'DELETE /storage/v1/upload/resumable/:id': [CHANGE_UPLOAD, upload()],
  'POST /storage/v1/upload/resumable/:id': [CHANGE_UPLOAD, upload({ 'x-http-method-override': 'DELETE' })],
  'GET /healthz': [all(200), at('/healthz')],
  'GET /readyz': [all(200), at('/readyz')],
  'GET /metrics': [all(200), at('/metrics')],
  'GET /openapi.json': [all(200), at('/openapi.json')],
  ...Object.fromEntries(
    ['/', '/f', '/auth', '/auth/callback', '/profile', '/upload'].map((path) => [`GET ${path}`, [all(200), at(path)]]),
  ),
  'GET /f/*': [all(200), ({ folder }) => ({ path: `/f/${folder.slug}` })],
  'GET /dl/*': [all(204), at('/dl/1/name')],
  'GET /*': [all(404), at('/nothing-here')],
};

const ENDING = new Set(['POST /auth/v1/logout', 'DELETE /rest/v1/profiles/me']);

let app: TestApp;
let owner: Account;
let people: Record<Role, Account | null>;

beforeAll(async () => {
  app = await createTestApp({ deps: { web: { page: '<p>', files: new Map() } } });
  owner = await app.signIn('mika');
  const other = await app.signIn('jonas');
  await makeFolder(app, other, 'private');
  people = {
    anonymous: null,
    viewer: await app.signIn('lena'),
    owner,
    'owner when expired': owner,
    'owner of another': other,
  };
});
afterAll(() => app.close());

async function makeCell(role: Role): Promise<Cell> {
  const folder = await makeFolder(app, owner, 'private');
  const tus = createTus(app, owner);
  const name = `${freshName()}.enc`;
  const url = await tus.create({ folder, name, length: 10 });
  expect((await tus.patch(url, 0, someBytes(10))).status).toBe(204);
  const open = await tus.create({ folder, name: `${freshName()}.enc`, length: 10 });
  const data = await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug });
  const object = `${folder.bucket_storage_path}/${name}`;
  const token = app.deps.tokens.signObject({ path: `${BUCKET}/${object}`, expiresAtMs: Date.now() + 60_000 });
  if (role === 'owner when expired') await expire(app, folder);
  return {
    role,
    who: people[role],
    owner,
    folder,
    object,
    upload: new URL(open).pathname,
    apiToken: data.body.temp_key_api_token ?? '',
    signed: `/storage/v1/object/sign/${BUCKET}/${object}?token=${token}`,
  };
}

async function statusOf(method: string, call: Call, who: Account | null): Promise<number> {
  const response = await fetch(app.baseUrl + call.path, {
    method,
    redirect: 'manual',
    headers: {
      origin: app.config.publicUrl,
      'tus-resumable': '1.0.0',
      ...(who && { cookie: who.cookie, authorization: `Bearer ${who.bearer}` }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
  });
  await response.arrayBuffer();
  return response.status;
}

describe.each(Object.entries(MATRIX))('%s', (route, [statuses, call]) => {
  test.each(ROLES.map((role, index) => [role, statuses[index]] as const))('%s: %d', async (role, status) => {
    const cell = await makeCell(role);
    // A session, and an account, of its own that the call may end.
    const isEnding = ENDING.has(route);
    const who = isEnding && cell.who ? await app.signIn(`leaving ${role}`) : cell.who;
    expect(await statusOf(route.split(' ')[0]!, call(cell), who)).toBe(status);
  });
});

test('no route is without a row, and no row without a route', async () => {
  // What the root itself registers is there before anybody can listen.
  const routes = new Set(['GET /metrics', 'GET /openapi.json']);
  const another = createApp(app.deps);
  another.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.add(`${name} ${url}`);
  });
  await another.ready();
  await another.close();
  // Who may GET may HEAD.
  const own = [...routes].filter((route) => !route.startsWith('HEAD ') || !routes.has(route.replace('HEAD', 'GET')));
  expect(own.sort()).toEqual(Object.keys(MATRIX).sort());
});
