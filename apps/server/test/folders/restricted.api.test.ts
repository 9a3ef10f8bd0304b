import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { requesterOfViewer } from '../../src/domain/access/folder-access.ts';
import { createFolderReader } from '../../src/domain/folders/folder-data.ts';
import {
  type Call,
  type Cell,
  type Credentials,
  MATRIX,
  makeOwnersCell,
  makeUpCell,
  namesSomething,
  routesForAll,
  send,
} from '../roles/matrix-rows.ts';
import { letIn, setAccess } from '../support/discord/guests.ts';
import { expire, makeFolder } from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/**
 * A restricted folder does not exist for anyone but its owner and its guests: the matrix tests the status
 * of each answer, and this all of it.
 */

const FOLDER_DATA = 'POST /rest/v1/rpc/get_folder_complete_data';
const LIST = 'POST /storage/v1/object/list/:bucket';
const PUBLIC_OBJECT = 'GET /storage/v1/object/public/:bucket/*';
const SIGN = 'POST /storage/v1/object/sign/:bucket/*';

const app = await createTestApp({ deps: { web: webOf() } });
const owner = await app.signIn('mika');
const stranger = await app.signIn('jonas');

async function makeRestricted(): Promise<Cell> {
  const cell = await makeOwnersCell(app, owner);
  await setAccess(app, owner, cell.folder, 'restricted');
  return cell;
}
const restricted = await makeRestricted();
/** Cookies of a browser that was let in, and of one that was let into another folder. */
const guest = await letIn(app, restricted.folder);
const another = await makeFolder(app, owner);
await setAccess(app, owner, another, 'restricted');
const guestElsewhere = await letIn(app, another);

/** The routes whose calls name a folder and whose status says whether it is there. */
const ROUTES = Object.entries(MATRIX)
  .filter(([, row]) => namesSomething(app, row) && !row[2])
  .map(([route]) => route);
/** Routes for anyone with the link, except pictures, which Discord serves. */
const READING = routesForAll(app).filter((route) => !route.includes(':picture'));

const OUTSIDERS: Readonly<Record<string, Credentials>> = {
  'a visitor without a session': {},
  'a stranger': stranger,
  'a guest of another folder': { cookie: guestElsewhere },
  'a visitor with an invented cookie': { cookie: `guest=${randomBytes(32).toString('base64url')}` },
};
const INSIDERS: Readonly<Record<string, Credentials>> = {
  'the owner by bearer and cookie': owner,
  'the owner by cookie alone, as a download has it': { cookie: owner.cookie },
  'a guest': { cookie: guest },
  'a guest who is signed in': { cookie: `${stranger.cookie}; ${guest}`, bearer: stranger.bearer },
};

const ask = (route: string, cell: Cell, as: Credentials, headers: Record<string, string> = {}) => {
  const call = MATRIX[route]![1](cell);
  return send(app, route.split(' ')[0]!, { ...call, headers: { ...call.headers, ...headers } }, as);
};
const madeUp = () => makeUpCell(app, owner);

/** Everything in an answer that its receiver sees, except the date and the request's id. */
async function seenOf(asked: Promise<Response>) {
  const response = await asked;
  const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  const body = (await response.text()).replaceAll(response.headers.get('x-request-id') ?? '', '');
  return { status: response.status, headers, body };
}
async function expectUnknown(route: string, cell: Cell, as: Credentials): Promise<void> {
  const seen = await seenOf(ask(route, cell, as));
  expect([401, 404], route).toContain(seen.status);
  expect(seen, route).toEqual(await seenOf(ask(route, madeUp(), as)));
}

describe('restricted folders', () => {
  test.each(Object.entries(OUTSIDERS))('%s gets the answers of a folder that never existed', async (_who, as) => {
    for (const route of ROUTES) await expectUnknown(route, restricted, as);
    const headersOf = (cell: Cell) => seenOf(send(app, 'HEAD', MATRIX[PUBLIC_OBJECT]![1](cell), as));
    expect(await headersOf(restricted)).toEqual(await headersOf(madeUp()));
  });

  test.each(Object.entries(INSIDERS))('%s gets what anyone with a link gets', async (_who, as) => {
    for (const route of READING) expect(Math.floor((await ask(route, restricted, as)).status / 100), route).toBe(2);
  });

  test('a guest who tries what only the owner may do learns nothing', async () => {
    const writing = ROUTES.filter((route) => MATRIX[route]![0][1]! > 400);
    for (const route of writing) await expectUnknown(route, restricted, INSIDERS['a guest who is signed in']!);
  });

  test('people who ask at the same time get each their own answer, in few statements', async () => {
    const expected = await seenOf(ask(FOLDER_DATA, madeUp(), {}));
    const all = Object.entries({ ...INSIDERS, ...OUTSIDERS });
    const many = await Promise.all(
      Array.from({ length: 5 }, () => all)
        .flat()
        .map(async ([who, as]) => ({ who, ...(await seenOf(ask(FOLDER_DATA, restricted, as))) })),
    );
    for (const { who, status, body } of many) {
      expect(status, who).toBe(who in INSIDERS ? 200 : 404);
      if (status === 404) expect(body, who).toBe(expected.body);
      else expect(JSON.parse(body).owner_discord_id !== null, who).toBe(who.startsWith('the owner'));
    }

    const query = vi.spyOn(pg.Client.prototype, 'query');
    const readFolder = createFolderReader(app.deps.database.db);
    const requesterOf = (at: number) => requesterOfViewer(at % 2 === 0 ? owner : null);
    const read = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => readFolder(restricted.folder.slug, requesterOf(at))),
    );
    const reading = query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('unnest'));
    query.mockRestore();
    expect(read.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'fulfilled' : 'rejected')),
    );
    expect(reading.length).toBe(2);
  });

  test('pages and their headers equal the ones of a folder that never existed', async () => {
    for (const prefix of ['/f/', '/s/', '/']) {
      const page = async (slug: string) => {
        const call: Call = { path: prefix + slug };
        return JSON.stringify(await seenOf(send(app, 'GET', call, {}))).replaceAll(slug, '');
      };
      expect(await page(restricted.folder.slug)).toBe(await page(madeUp().folder.slug));
    }
  });

  test('cookies prove nothing for a page of another site', async () => {
    const elsewhere = { origin: 'https://elsewhere.example' };
    for (const cookie of [owner.cookie, guest]) {
      for (const route of [LIST, SIGN]) expect((await ask(route, restricted, { cookie }, elsewhere)).status).toBe(404);
    }
    expect((await ask(FOLDER_DATA, restricted, { cookie: guest }, elsewhere)).status).toBe(404);
  });

  test('a session that has ended, by hand or by time, opens nothing', async () => {
    const statusesFor = async ({ cookie, bearer }: Account) => {
      const answers = [{ cookie }, { bearer }].flatMap((credentials) =>
        [PUBLIC_OBJECT, LIST, SIGN].map((route) => ask(route, restricted, credentials)),
      );
      return [...new Set((await Promise.all(answers)).map(({ status }) => status))];
    };
    const [left, late] = [await app.signIn('mika'), await app.signIn('mika')];
    expect([await statusesFor(left), await statusesFor(late)]).toEqual([[200], [200]]);
    await app.call('POST', '/auth/v1/logout', { as: left });
    await app.database.db.execute(
      sql`update sessions set expires_at = now() - interval '1 second' where id = ${late.session_id}::uuid`,
    );
    expect([await statusesFor(left), await statusesFor(late)]).toEqual([[404], [404]]);
  });

  test('a cached copy of a file does not let its browser in', async () => {
    const eTag = (await ask(PUBLIC_OBJECT, restricted, { cookie: guest })).headers.get('etag')!;
    const cached = { 'if-none-match': eTag };
    expect((await ask(PUBLIC_OBJECT, restricted, { cookie: guest }, cached)).status).toBe(304);
    expect((await ask(PUBLIC_OBJECT, restricted, {}, cached)).status).toBe(404);
  });

  test('open to the link again, everyone gets in', async () => {
    const made = await makeRestricted();
    await setAccess(app, owner, made.folder, 'link');
    expect((await ask(FOLDER_DATA, made, {})).status).toBe(200);
  });

  test('expired, it says so to owner and guests, and never existed for others', async () => {
    const made = await makeRestricted();
    const cookie = await letIn(app, made.folder);
    await expire(app, made.folder);
    for (const as of [{ cookie: owner.cookie }, { cookie }]) {
      const data = await ask(FOLDER_DATA, made, as);
      expect(await data.json()).toMatchObject({ folder_slug: made.folder.slug });
      for (const route of [LIST, PUBLIC_OBJECT]) expect((await ask(route, made, as)).status).toBe(410);
    }
    for (const as of [{}, stranger]) for (const route of ROUTES) await expectUnknown(route, made, as);
  });
});
