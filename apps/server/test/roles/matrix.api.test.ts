import { randomBytes } from 'node:crypto';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { beginSession } from '../../src/domain/accounts/sessions.ts';
import { DEVICE_ROUTES } from '../../src/http/device-rights.ts';
import { createTokens, hashToken, type Tokens } from '../../src/platform/keys/tokens.ts';
import { restrict } from '../support/discord/guests.ts';
import { givePictures, startSandbox } from '../support/discord/sandbox.ts';
import { listRoutes } from '../support/routes.ts';
import { expire, makeFolder } from '../support/storage-kit.ts';
import { type Account, createTestApp, idOf } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';
import {
  type Call,
  type Cell,
  type Credentials,
  MATRIX,
  makeOwnersCell,
  makeUpCell,
  namesSomething,
  ROLES,
  type Role,
  send,
  UNKNOWN,
} from './matrix-rows.ts';

/** Who may do what: one row for each route; a route without a row fails. */

/** The callers. */
interface People {
  readonly owner: Account;
  readonly viewer: Account;
  readonly other: Account;
  /** The owner with a session that has expired, and with one that was signed out. */
  readonly timedOut: Account;
  readonly signedOut: Account;
}
interface Column {
  /** The role whose status this column takes, unless the row names another. */
  readonly like: Role;
  /** The status of a route that this column's rights decide, in the place of that role's. */
  readonly statusAt?: (route: string, statuses: readonly number[]) => number;
  readonly as: (people: People, route: string) => Credentials | Promise<Credentials>;
  /** What happens to the folder before the call. */
  readonly prepare?: (folder: Folder) => Promise<void>;
  /** True where the folder must answer as if it did not exist, by the status that the column would get otherwise. */
  readonly isUnknown?: (usual: number) => boolean;
}

const tokenOf = ({ cookie }: Account) => cookie.slice(cookie.indexOf('=') + 1);
const cookieOf = ({ cookie }: Account, token: string) => cookie.replace(/=.*/, `=${token}`);
const inTenMinutes = () => Date.now() + 600_000;
const GUEST_COOKIE = `guest=${randomBytes(32).toString('base64url')}`;
const asAnonymous = (as: Column['as']): Column => ({ like: 'anonymous', as });
const bearerBy = (tokens: Tokens, { profile_id, session_id }: Account, expiresAtMs = inTenMinutes()) =>
  tokens.signBearer({ profile_id, session_id, expiresAtMs });

/** Every column. Add one by a line here. */
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
  // The owner's command line: on the routes of its list it is the owner, on all others nobody, who gets 403 for 401.
  device: {
    like: 'anonymous',
    statusAt: (route, statuses) => {
      const nobodys = statuses[ROLES.indexOf('anonymous')]!;
      if (DEVICE_ROUTES.has(route)) return statuses[ROLES.indexOf('owner')]!;
      return nobodys === 401 ? 403 : nobodys;
    },
    async as({ owner: { profile_id } }, route) {
      const { token, session_id } = await beginSession(app.database.db, profile_id, 'laptop', 'device');
      const bearer = app.deps.tokens.signBearer({ profile_id, session_id, expiresAtMs: inTenMinutes() });
      return { bearer: route.includes(' /storage/') ? bearer : token };
    },
  },
  // False claims to be the owner: exactly what an anonymous caller may do.
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
    // Signed by this site, with all fields of a bearer.
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
  'a browser’s token as a device’s bearer': asAnonymous(({ owner }) => ({ bearer: tokenOf(owner) })),
  'a device’s token as a cookie': asAnonymous(async ({ owner }) => {
    const { token } = await beginSession(app.database.db, owner.profile_id, 'laptop', 'device');
    return { cookie: cookieOf(owner, token) };
  }),
  // A restricted folder never existed for an outsider; for a guest, what others are forbidden does not
  // exist.
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

const ENDING = new Set(['POST /auth/v1/logout', 'DELETE /rest/v1/profiles/me']);
/** Routes that leave a folder unchanged, for any caller. */
const READING =
  /^(GET|HEAD|OPTIONS) |^POST .*\/still\/|get_folder|record_folder_event|\/bot\/|object\/(list|sign)|(abuse|auth)\/|v1\/changes|profiles\/me/;

/** Cells of the calls that change nothing, created at their first use. */
const sharedCells = new Map<string, Promise<Cell>>();

/** Discord's CDN for people's pictures. */
const sandbox = await startSandbox('http://127.0.0.1:1/auth/v1/callback');
const app = await createTestApp({
  env: { DISCORD_API_URL: sandbox.apiUrl },
  deps: { web: webOf() },
});
const other = await app.signIn('jonas');
await makeFolder(app, other, 'private');
const timedOut = await app.signIn('mika');
await app.database.db.execute(
  sql`update sessions set expires_at = now() - interval '1 second' where id = ${timedOut.session_id}::uuid`,
);
const signedOut = await app.signIn('mika');
await app.call('POST', '/auth/v1/logout', { as: signedOut });
const people = { owner: await app.signIn('mika'), viewer: await app.signIn('lena'), other, timedOut, signedOut };
/** The owner's Discord id, and the one in the addresses of the owner's pictures. */
const ownersIds = [idOf('mika'), await givePictures(app, people.owner, 'mika')];

async function makeCell(column: ColumnName): Promise<Cell> {
  const cell = await makeOwnersCell(app, people.owner);
  const { prepare }: Column = COLUMNS[column];
  await prepare?.(cell.folder);
  return { ...cell, column };
}

/** The cell to call for: shared by all calls that read or are refused. */
function cellFor(column: ColumnName, route: string, status: number): Promise<Cell> {
  if (!READING.test(route) && status < 300) return makeCell(column);
  const shared = sharedCells.get(column) ?? makeCell(column);
  sharedCells.set(column, shared);
  return shared;
}

async function statusOf(method: string, call: Call, as: Credentials, isOwners: boolean): Promise<number> {
  const response = await send(app, method, call, as);
  const { location = '/', link, refresh } = Object.fromEntries(response.headers);
  if (response.status !== 201) expect(location, 'a redirect that leaves the site').toMatch(/^\/(?!\/)/);
  expect([link, refresh], 'headers that load or lead elsewhere').toEqual([undefined, undefined]);
  const answer = JSON.stringify([...response.headers]) + (await response.text());
  if (!isOwners) for (const id of ownersIds) expect(answer, 'an answer to anybody but the owner').not.toContain(id);
  return response.status;
}

const columnNames = Object.keys(COLUMNS) as ColumnName[];

test.each(Object.entries(MATRIX))('%s answers each role by its status', async (route, row) => {
  const [statuses, call, exceptions = {}] = row;
  const [method = ''] = route.split(' ');
  const unknown = exceptions[UNKNOWN] ?? 404;
  const expected: Record<string, number> = {};
  const answered: Record<string, number> = {};
  for (const name of columnNames) {
    const { as, like, statusAt, isUnknown }: Column = COLUMNS[name];
    const usual = exceptions[name] ?? statusAt?.(route, statuses) ?? statuses[ROLES.indexOf(like)]!;
    const status = isUnknown?.(usual) && namesSomething(app, row) ? unknown : usual;
    const cell = await cellFor(name, route, status);
    // Its own session and account, which the call may end.
    const isEnding = ENDING.has(route) && like !== 'anonymous';
    const credentials = isEnding ? await app.signIn(`leaving ${name}`) : await as(people, route);
    const isOwners = credentials.cookie === people.owner.cookie || credentials.bearer === people.owner.bearer;
    expected[name] = status;
    answered[name] = await statusOf(method, call(cell), credentials, isOwners || name === 'device');
  }
  if (namesSomething(app, row)) {
    expected[UNKNOWN] = unknown;
    answered[UNKNOWN] = await statusOf(method, call(makeUpCell(app, people.owner)), people.owner, true);
  }
  expect(answered).toEqual(expected);
});

test('every route has a row, and every row a route; the API’s description knows all but its own', async () => {
  const routes = await listRoutes(app.deps);
  expect(routes.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(Object.keys(MATRIX).sort());
  const { paths } = (await (await app.call('GET', '/openapi.json')).json()) as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.keys(byMethod).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const named = routes.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}').replace('*', '{*}')}`);
  expect([...described, 'GET /openapi.json']).toEqual(expect.arrayContaining(named));
});
