import { randomBytes, randomUUID } from 'node:crypto';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { BUCKET } from '@satchel/contract/limits';
import { expect } from 'vitest';
import { creationHeaders } from '../support/folders.ts';
import { BYTES_TYPE, createTus, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import type { Account, TestApp } from '../support/test-app.ts';

/** The rows of the matrix, one for each route. */

/**
 * The statuses of a row, in this order: anonymous, a person without a folder, the owner, the owner after the folder's
 * expiry, the owner of another folder. All other columns follow from these.
 */
export const ROLES = ['anonymous', 'viewer', 'owner', 'owner when expired', 'owner of another'] as const;
export type Role = (typeof ROLES)[number];

/** A column for ids that don't exist. */
export const UNKNOWN = 'unknown id';

/** A folder with a file and an open upload; each call that changes something gets its own. */
export interface Cell {
  readonly column: string;
  readonly owner: Account;
  readonly folder: Folder;
  readonly object: string;
  readonly upload: string;
  readonly apiToken: string;
  readonly signed: string;
}
export interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
export type Row = readonly [
  statuses: readonly number[],
  call: (cell: Cell) => Call,
  /** Columns in which this row differs from the one that theirs follows. */
  exceptions?: Readonly<Record<string, number>>,
];

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
  headers: creationHeaders(`${folder.bucket_storage_path}/${freshName()}.enc`, 5),
});
/** The owner of another folder tries to create one in this owner's name. */
const newFolder = ({ column, owner }: Cell) => (column === 'owner of another' ? { owner_id: owner.profile_id } : {});

const READ = [200, 200, 200, 410, 200];
const CHANGE_UPLOAD = [401, 404, 204, 410, 404];
const OWN = [401, 200, 200, 200, 200];

export const MATRIX: Readonly<Record<string, Row>> = {
  'GET /auth/v1/authorize': [all(200), at('/auth/v1/authorize?provider=discord')],
  'GET /auth/v1/callback': [all(302), at('/auth/v1/callback?code=x&state=y')],
  'GET /auth/v1/session': [all(200), at('/auth/v1/session')],
  'GET /auth/v1/user': [OWN, at('/auth/v1/user')],
  'POST /auth/v1/logout': [all(204), at('/auth/v1/logout')],
  'GET /auth/v1/sessions': [OWN, at('/auth/v1/sessions')],
  // An id without a session. That another person's session is 404, too, is tested with the sessions.
  'DELETE /auth/v1/sessions/:id': [[401, 404, 404, 404, 404], () => ({ path: `/auth/v1/sessions/${randomUUID()}` })],
  'POST /auth/v1/device': [
    all(200),
    () => ({ path: '/auth/v1/device', body: { client: 'satchel 1.0.0', host: 'laptop' } }),
  ],
  // Made-up codes; test/accounts/device.api.test.ts has real ones.
  'POST /auth/v1/token': [
    all(400),
    () => ({
      path: '/auth/v1/token',
      body: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'd'.repeat(43) },
    }),
  ],
  'POST /auth/v1/device/find': [
    [401, 404, 404, 404, 404],
    () => ({ path: '/auth/v1/device/find', body: { user_code: 'BBBB-BBBB' } }),
  ],
  'POST /auth/v1/device/decide': [
    [401, 410, 410, 410, 410],
    () => ({
      path: '/auth/v1/device/decide',
      body: { id: '00000000-0000-4000-8000-000000000001', is_allowed: true },
    }),
  ],
  'GET /rest/v1/profiles/me': [OWN, at('/rest/v1/profiles/me')],
  'GET /rest/v1/profiles/me/export': [OWN, at('/rest/v1/profiles/me/export')],
  'DELETE /rest/v1/profiles/me': [[401, 204, 204, 204, 204], at('/rest/v1/profiles/me')],
  'GET /rest/v1/profiles/me/pictures/:picture': [OWN, at('/rest/v1/profiles/me/pictures/avatar.png')],
  'GET /rest/v1/folders/:slug/people/:profile_id/:picture': [
    READ,
    ({ folder, owner }) => ({ path: `/rest/v1/folders/${folder.slug}/people/${owner.profile_id}/avatar.png` }),
  ],
  'GET /rest/v1/server_time': [all(200), at('/rest/v1/server_time')],
  'GET /rest/v1/uploads': [OWN, at('/rest/v1/uploads?owner=me')],
  'GET /rest/v1/folders': [OWN, at('/rest/v1/folders?owner=me')],
  'GET /rest/v1/folders/:slug': [READ, ({ folder }) => ({ path: `/rest/v1/folders/${folder.slug}` })],
  // Whether the folder is there shows in the answer (test/folders/changes.api.test.ts).
  'POST /rest/v1/changes': [
    all(200),
    ({ folder }) => ({ path: '/rest/v1/changes', body: { slugs: [folder.slug] } }),
    { [UNKNOWN]: 200, 'restricted: outsider': 200 },
  ],
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
  'POST /rest/v1/rpc/stage_folder_labels': [
    [401, 403, 200, 410, 403],
    rpc('stage_folder_labels', ({ folder }) => ({
      folder_id: folder.id,
      stage_id: '00000000-0000-4000-8000-000000000001',
      labels: [],
    })),
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
  // Of a file that has another label, which stays; test/files/relabel.api.test.ts gives some new ones.
  'PATCH /storage/v1/object/:bucket': [
    [401, 403, 200, 410, 403],
    ({ folder }) => ({
      path: `/storage/v1/object/${BUCKET}`,
      body: { prefix: folder.bucket_storage_path, labels: [{ name: 'a.enc', sealed: '2.b', earlier: '2.c' }] },
    }),
  ],
  'DELETE /storage/v1/object/:bucket': [
    [401, 403, 200, 200, 403],
    ({ object }) => ({ path: `/storage/v1/object/${BUCKET}`, body: { prefixes: [object] } }),
  ],
  'POST /storage/v1/still/:bucket': [
    READ,
    ({ folder, object }) => ({
      path: `/storage/v1/still/${BUCKET}`,
      body: { prefix: folder.bucket_storage_path, names: [object.split('/')[1]], size: 'small' },
    }),
  ],
  // Without a body, which stores none; test/files/stills.api.test.ts stores some.
  'PUT /storage/v1/still/:bucket/:storagePath': [
    [401, 403, 200, 410, 403],
    ({ folder }) => ({ path: `/storage/v1/still/${BUCKET}/${folder.bucket_storage_path}` }),
  ],
  // Its handshake and first message have tests of their own (uploads/upload-socket-hostile); this is no WebSocket.
  'GET /storage/v1/upload/socket': [all(400), at('/storage/v1/upload/socket')],
  'OPTIONS /storage/v1/upload/resumable': [all(204), at('/storage/v1/upload/resumable')],
  'POST /storage/v1/upload/resumable': [[401, 403, 201, 410, 403], creation],
  'HEAD /storage/v1/upload/resumable/:id': [[401, 404, 200, 410, 404], upload()],
  'PATCH /storage/v1/upload/resumable/:id': [
    CHANGE_UPLOAD,
    upload({ 'upload-offset': '0', 'content-type': BYTES_TYPE }),
  ],
  'DELETE /storage/v1/upload/resumable/:id': [CHANGE_UPLOAD, upload()],
  'POST /storage/v1/upload/resumable/:id': [CHANGE_UPLOAD, upload({ 'x-http-method-override': 'DELETE' })],
  'POST /abuse/v1/reports': [
    all(204),
    ({ folder }) => ({ path: '/abuse/v1/reports', body: { folder_slug: folder.slug, reason: 'other' } }),
    { [UNKNOWN]: 204 },
  ],
  'GET /abuse/v1/operator_keys': [all(200), at('/abuse/v1/operator_keys')],
  // No role of the matrix is an operator; test/moderation/operator.api.test.ts tests what operators may do.
  ...Object.fromEntries(
    [
      'GET /operator/v1/site',
      'PUT /operator/v1/site/closed',
      'GET /operator/v1/reports',
      'POST /operator/v1/reports/:id/dismiss',
      'POST /operator/v1/takedowns',
      'GET /operator/v1/bans',
      'POST /operator/v1/bans',
      'DELETE /operator/v1/bans/:discord_id',
      'GET /operator/v1/denied_blobs',
      'POST /operator/v1/denied_blobs',
      'DELETE /operator/v1/denied_blobs/:sha256',
      'POST /operator/v1/tiers',
      'GET /operator/v1/acts',
      'POST /operator/v1/operator_keys',
      'DELETE /operator/v1/operator_keys/:id',
    ].map((route): [string, Row] => [
      route,
      [all(404), ({ folder }) => ({ path: route.split(' ')[1]!.replace(/:\w+/, folder.id) })],
    ]),
  ),
  'POST /discord/grants/redeem': [
    all(404),
    () => ({ path: '/discord/grants/redeem', body: { grant: 'g'.repeat(43) } }),
  ],
  // A made-up intent; test/discord/intent.api.test.ts tests whose an intent is.
  'POST /discord/intents/redeem': [
    [401, 404, 404, 404, 404],
    () => ({ path: '/discord/intents/redeem', body: { intent: 'i'.repeat(43) } }),
  ],
  // Only Discord may call these, by its signature: test/discord/discord-forged.api.test.ts.
  'POST /discord/interactions': [
    all(401),
    () => ({ path: '/discord/interactions', body: { type: 1 } }),
    { device: 401 },
  ],
  'POST /discord/events': [all(401), () => ({ path: '/discord/events', body: { type: 0 } }), { device: 401 }],
  'GET /healthz': [all(200), at('/healthz')],
  'GET /readyz': [all(200), at('/readyz')],
  'GET /metrics': [all(200), at('/metrics')],
  'GET /openapi.json': [all(200), at('/openapi.json')],
  'GET /.well-known/webcat/:name': [all(404), at('/.well-known/webcat/bundle.json')],
  ...Object.fromEntries(
    [
      '/',
      '/f',
      '/auth',
      '/auth/callback',
      '/device',
      '/profile',
      '/upload',
      '/operator',
      '/privacy',
      '/docs',
      '/check',
    ].map((path) => [`GET ${path}`, [all(200), at(path)]]),
  ),
  'GET /settings.json': [all(200), at('/settings.json')],
  'GET /s/:slug': [all(200), ({ folder }) => ({ path: `/s/${folder.slug}` }), { [UNKNOWN]: 200 }],
  'GET /f/*': [all(200), ({ folder }) => ({ path: `/f/${folder.slug}` }), { [UNKNOWN]: 200 }],
  'POST /share-target': [all(303), at('/share-target')],
  'GET /dl/*': [all(204), at('/dl/1/name')],
  'GET /*': [all(404), at('/nothing-here')],
};

/** What a request shows about its sender. */
export type Credentials = Partial<Pick<Account, 'cookie' | 'bearer'>>;

/** Makes a call like a page of this site's. */
export function send(app: TestApp, method: string, call: Call, { cookie, bearer }: Credentials): Promise<Response> {
  return fetch(app.baseUrl + call.path, {
    method,
    redirect: 'manual',
    headers: {
      origin: app.config.publicUrl,
      'tus-resumable': '1.0.0',
      ...(cookie && { cookie }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
  });
}

/** Makes the call of a row. */
export function sendRow(app: TestApp, route: string, cell: Cell, as: Credentials): Promise<Response> {
  const [method = ''] = route.split(' ');
  return send(app, method, MATRIX[route]![1](cell), as);
}

/** The address of an object that this site has signed. */
export function signedFor(app: TestApp, object: string): string {
  const token = app.deps.tokens.signObject({ path: `${BUCKET}/${object}`, expiresAtMs: Date.now() + 600_000 });
  return `/storage/v1/object/sign/${BUCKET}/${object}?token=${token}`;
}

/**
 * Creates a private folder with one file and one open upload, as the route matrix calls them for their owner.
 * @param isReplaced the file is sent a second time and replaces the first
 */
export async function makeOwnersCell(app: TestApp, owner: Account, isReplaced = false): Promise<Cell> {
  const folder = await makeFolder(app, owner, 'private');
  const tus = createTus(app, owner);
  const name = `${freshName()}.enc`;
  const length = 10;
  for (const headers of isReplaced ? [{}, { 'x-upsert': 'true' }] : [{}]) {
    const url = await tus.create({ folder, name, length, headers });
    expect((await tus.patch(url, 0, someBytes(length))).status).toBe(204);
  }
  const open = await tus.create({ folder, name: `${freshName()}.enc`, length });
  const data = await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug });
  const object = `${folder.bucket_storage_path}/${name}`;
  return {
    column: 'owner',
    owner,
    folder,
    object,
    upload: new URL(open).pathname,
    apiToken: data.body.temp_key_api_token ?? '',
    signed: signedFor(app, object),
  };
}

/** Valid ids of things that don't exist. */
export function makeUpCell(app: TestApp, owner: Account): Cell {
  const path = randomUUID();
  const object = `${path}/${freshName()}.enc`;
  return {
    column: UNKNOWN,
    owner,
    folder: { id: randomUUID(), slug: randomBytes(8).toString('hex'), bucket_storage_path: path } as Folder,
    object,
    upload: `/storage/v1/upload/resumable/${randomUUID()}`,
    apiToken: randomBytes(32).toString('base64url'),
    signed: signedFor(app, object),
  };
}

/** Whether a call names something, or is the same for everything. */
export function namesSomething(app: TestApp, [, call]: Row): boolean {
  const made = [0, 1].map(() => JSON.stringify(call(makeUpCell(app, {} as Account))));
  return made[0] !== made[1];
}

/** The routes that anyone with a folder's link may call, and whose status says whether it is there. */
export const routesForAll = (app: TestApp): readonly string[] =>
  Object.entries(MATRIX)
    .filter(([, row]) => row[0][0]! < 300 && namesSomething(app, row) && !row[2])
    .map(([route]) => route);
