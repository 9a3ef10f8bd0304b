import { randomBytes, randomUUID } from 'node:crypto';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { createTokens, hashToken, type Tokens } from '../platform/tokens.ts';
import { restrict } from '../testing/guests.ts';
import { BYTES_TYPE, base64, createTus, expire, freshName, makeFolder, someBytes } from '../testing/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../testing/test-app.ts';

/** Who may do what (DESIGN §5): a row for every route, and a route without a row fails. */

const BUCKET = 'unlocked-folders';
/**
 * What a row says, in this order: nobody, a person without a folder, the owner, the owner once it has expired, and the
 * owner of another folder. All other columns follow from these.
 */
const ROLES = ['anonymous', 'viewer', 'owner', 'owner when expired', 'owner of another'] as const;
type Role = (typeof ROLES)[number];

/** Who is there to ask. */
interface People {
  readonly owner: Account;
  readonly viewer: Account;
  readonly other: Account;
  /** The owner by a session whose time is up, and by one that was signed out. */
  readonly timedOut: Account;
  readonly signedOut: Account;
}
/** What a request shows of who sends it. */
type Credentials = Partial<Pick<Account, 'cookie' | 'bearer'>>;
interface Column {
  /** The role whose status a row has for this column, unless the row says another. */
  readonly like: Role;
  readonly as: (people: People) => Credentials;
  /** What becomes of the folder before the call. */
  readonly prepare?: (folder: Folder) => Promise<void>;
  /** Where the folder is to them as one that does not exist, by the status that they would get otherwise. */
  readonly isUnknown?: (usual: number) => boolean;
}

const tokenOf = ({ cookie }: Account) => cookie.slice(cookie.indexOf('=') + 1);
const cookieOf = ({ cookie }: Account, token: string) => cookie.replace(/=.*/, `=${token}`);
const inTenMinutes = () => Date.now() + 600_000;
const GUEST_COOKIE = `guest=${randomBytes(32).toString('base64url')}`;
const asAnonymous = (as: Column['as']): Column => ({ like: 'anonymous', as });
const bearerBy = (tokens: Tokens, { profile_id, session_id }: Account, expiresAtMs = inTenMinutes()) =>
  tokens.signBearer({ profile_id, session_id, expiresAtMs });

/** Every column; a further one is a line here. */
const COLUMNS = {
  anonymous: asAnonymous(() => ({})),
  viewer: { like: 'viewer', as: ({ viewer }) => viewer },
  owner: { like: 'owner', as: ({ owner }) => owner },
  'owner when expired': {
    like: 'owner when expired',
    as: ({ owner }) => owner,
    prepare: (folder) => expire(app, folder),
  },
  'owner of another': { like: 'owner of another', as: ({ other }) => other },
  // Whatever claims to be the owner and is not: exactly what nobody at all may do.
  'expired session': asAnonymous(({ timedOut }) => timedOut),
  'session signed out': asAnonymous(({ signedOut }) => signedOut),
  'expired bearer': asAnonymous(({ owner }) => ({ bearer: bearerBy(app.deps.tokens, owner, Date.now() - 1) })),
  'forged bearer: wrong signature': asAnonymous(({ owner: { bearer } }) => ({
    bearer: bearer.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
  })),
  'forged bearer: under another one’s signature': asAnonymous(({ owner, viewer: { bearer } }) => ({
    bearer: [owner.bearer.split('.')[0], bearer.split('.')[1]].join('.'),
  })),
  'forged bearer: unsigned': asAnonymous(({ owner: { bearer } }) => ({ bearer: `${bearer.split('.')[0]}.` })),
  'forged bearer: token of a signed URL': asAnonymous(({ owner: { profile_id, session_id } }) => {
    // Signed by this very site, and with all that a bearer says.
    const grant = { path: '', profile_id, session_id, expiresAtMs: inTenMinutes() };
    return { bearer: app.deps.tokens.signObject(grant) };
  }),
  'forged bearer: of another site': asAnonymous(({ owner }) => ({
    bearer: bearerBy(createTokens(Buffer.from('the secret of another site, as long as ours')), owner),
  })),
  'forged cookie: made up': asAnonymous(({ owner }) => ({
    cookie: cookieOf(owner, randomBytes(32).toString('base64url')),
  })),
  'forged cookie: hash from the database': asAnonymous(({ owner }) => ({
    cookie: cookieOf(owner, hashToken(tokenOf(owner))),
  })),
  'cookie and bearer in each other’s place': asAnonymous(({ owner }) => ({
    cookie: cookieOf(owner, owner.bearer),
    bearer: tokenOf(owner),
  })),
  // Of a restricted folder (DESIGN R16): to an outsider it never was; to a guest, what others are forbidden is not there.
  'restricted: outsider': {
    like: 'viewer',
    as: ({ viewer }) => viewer,
    prepare: (folder) => restrict(app, people.owner, folder),
    isUnknown: () => true,
  },
  'restricted: guest': {
    like: 'viewer',
    as: ({ viewer }) => ({ ...viewer, cookie: `${viewer.cookie}; ${GUEST_COOKIE}` }),
    prepare: (folder) => restrict(app, people.owner, folder, GUEST_COOKIE),
    isUnknown: (usual) => usual === 403,
  },
} satisfies Record<string, Column>;
type ColumnName = keyof typeof COLUMNS;
const UNKNOWN = 'unknown id';

/** A folder with a file and an open upload in it; one of its own for every call that changes something. */
interface Cell {
  readonly column: ColumnName | typeof UNKNOWN;
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
type Row = readonly [
  statuses: readonly number[],
  call: (cell: Cell) => Call,
  /** Columns in which this row is another than the one that theirs follows. */
  exceptions?: Partial<Record<Cell['column'], number>>,
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
  headers: {
    'upload-length': '5',
    'upload-metadata': `bucketName ${base64(BUCKET)},objectName ${base64(`${folder.bucket_storage_path}/${freshName()}.enc`)}`,
  },
});
/** DESIGN §5, "create folder": the owner of another folder tries to make one in this owner's name. */
const newFolder = ({ column, owner }: Cell) => (column === 'owner of another' ? { owner_id: owner.profile_id } : {});

const READ = [200, 200, 200, 410, 200];
const CHANGE_UPLOAD = [401, 404, 204, 410, 404];
const OWN = [401, 200, 200, 200, 200];

const MATRIX: Readonly<Record<string, Row>> = {
  'GET /auth/v1/authorize': [all(302), at('/auth/v1/authorize?provider=discord')],
  'GET /auth/v1/callback': [all(302), at('/auth/v1/callback?code=x&state=y')],
  'GET /auth/v1/session': [all(200), at('/auth/v1/session')],
  'GET /auth/v1/user': [OWN, at('/auth/v1/user')],
  'POST /auth/v1/logout': [all(204), at('/auth/v1/logout')],
  'GET /auth/v1/sessions': [OWN, at('/auth/v1/sessions')],
  // Nobody's; that somebody else's is 404, too, is tested with the sessions.
  'DELETE /auth/v1/sessions/:id': [[401, 404, 404, 404, 404], () => ({ path: `/auth/v1/sessions/${randomUUID()}` })],
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
  'POST /abuse/v1/reports': [
    all(204),
    ({ folder }) => ({ path: '/abuse/v1/reports', body: { folder_slug: folder.slug, reason: 'other' } }),
    { [UNKNOWN]: 204 },
  ],
  'GET /abuse/v1/operator_keys': [all(200), at('/abuse/v1/operator_keys')],
  // Nobody here is an operator; what operators may, http/operator.api.test.ts says.
  ...Object.fromEntries(
    [
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
  'GET /healthz': [all(200), at('/healthz')],
  'GET /readyz': [all(200), at('/readyz')],
  'GET /metrics': [all(200), at('/metrics')],
  'GET /openapi.json': [all(200), at('/openapi.json')],
  ...Object.fromEntries(
    ['/', '/f', '/auth', '/auth/callback', '/profile', '/upload', '/operator'].map((path) => [
      `GET ${path}`,
      [all(200), at(path)],
    ]),
  ),
  'GET /f/*': [all(200), ({ folder }) => ({ path: `/f/${folder.slug}` }), { [UNKNOWN]: 200 }],
  'GET /dl/*': [all(204), at('/dl/1/name')],
  'GET /*': [all(404), at('/nothing-here')],
};

const ENDING = new Set(['POST /auth/v1/logout', 'DELETE /rest/v1/profiles/me']);
/** Routes that leave a folder as it was, whoever calls. */
const READING = /^(GET|HEAD|OPTIONS) |get_folder|record_folder_event|\/bot\/|object\/(list|sign)|abuse\//;

let app: TestApp;
let people: People;
/** Cells of the calls that change nothing, made when they are first asked for. */
const sharedCells = new Map<string, Promise<Cell>>();

beforeAll(async () => {
  app = await createTestApp({ deps: { web: { page: '<p>', files: new Map() } } });
  const other = await app.signIn('jonas');
  await makeFolder(app, other, 'private');
  const timedOut = await app.signIn('mika');
  await app.database.db.execute(
    sql`update sessions set expires_at = now() - interval '1 second' where id = ${timedOut.session_id}::uuid`,
  );
  const signedOut = await app.signIn('mika');
  await app.call('POST', '/auth/v1/logout', { as: signedOut });
  people = { owner: await app.signIn('mika'), viewer: await app.signIn('lena'), other, timedOut, signedOut };
});
afterAll(() => app.close());

function cellOf(column: Cell['column'], folder: Folder, rest: Pick<Cell, 'object' | 'upload' | 'apiToken'>): Cell {
  const token = app.deps.tokens.signObject({ path: `${BUCKET}/${rest.object}`, expiresAtMs: inTenMinutes() });
  const signed = `/storage/v1/object/sign/${BUCKET}/${rest.object}?token=${token}`;
  return { column, owner: people.owner, folder, ...rest, signed };
}

async function makeCell(column: ColumnName): Promise<Cell> {
  const folder = await makeFolder(app, people.owner, 'private');
  const tus = createTus(app, people.owner);
  const name = `${freshName()}.enc`;
  const url = await tus.create({ folder, name, length: 10 });
  expect((await tus.patch(url, 0, someBytes(10))).status).toBe(204);
  const open = await tus.create({ folder, name: `${freshName()}.enc`, length: 10 });
  const data = await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug });
  const { prepare }: Column = COLUMNS[column];
  await prepare?.(folder);
  return cellOf(column, folder, {
    object: `${folder.bucket_storage_path}/${name}`,
    upload: new URL(open).pathname,
    apiToken: data.body.temp_key_api_token ?? '',
  });
}

/** The cell to call for: shared by all calls that read, and by those that are to be refused and so change nothing. */
function cellFor(column: ColumnName, route: string, status: number): Promise<Cell> {
  if (!READING.test(route) && status < 300) return makeCell(column);
  const shared = sharedCells.get(column) ?? makeCell(column);
  sharedCells.set(column, shared);
  return shared;
}

/** Right in form, and of nothing that there is. */
function makeUpCell(): Cell {
  const path = randomUUID();
  const folder = { id: randomUUID(), slug: randomBytes(8).toString('hex'), bucket_storage_path: path } as Folder;
  const apiToken = randomBytes(32).toString('base64url');
  const upload = `/storage/v1/upload/resumable/${randomUUID()}`;
  return cellOf(UNKNOWN, folder, { object: `${path}/${freshName()}.enc`, upload, apiToken });
}

async function statusOf(method: string, call: Call, { cookie, bearer }: Credentials): Promise<number> {
  const response = await fetch(app.baseUrl + call.path, {
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
  await response.arrayBuffer();
  return response.status;
}

const columnNames = Object.keys(COLUMNS) as ColumnName[];

/** Whether a call names something, or is the same for everything. */
const namesSomething = ([, call]: Row): boolean =>
  new Set([makeUpCell(), makeUpCell()].map((cell) => JSON.stringify(call(cell)))).size === 2;

describe.each(Object.entries(MATRIX))('%s', (route, row) => {
  const [statuses, call, exceptions = {}] = row;
  const [method = ''] = route.split(' ');
  const unknown = exceptions[UNKNOWN] ?? 404;
  const usualIn = (name: ColumnName) => exceptions[name] ?? statuses[ROLES.indexOf(COLUMNS[name].like)]!;

  test.each(columnNames.map((name) => [name, usualIn(name)] as const))('%s (usually %d)', async (name, usual) => {
    const { as, like, isUnknown }: Column = COLUMNS[name];
    const status = isUnknown?.(usual) && namesSomething(row) ? unknown : usual;
    const cell = await cellFor(name, route, status);
    // A session, and an account, of its own that the call may end.
    const isEnding = ENDING.has(route) && like !== 'anonymous';
    const credentials = isEnding ? await app.signIn(`leaving ${name}`) : as(people);
    expect(await statusOf(method, call(cell), credentials)).toBe(status);
  });

  test('something that does not exist: 404', async () => {
    if (namesSomething(row)) expect(await statusOf(method, call(makeUpCell()), people.owner)).toBe(unknown);
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
