import type { DeviceOutput, WaitingDevice } from '@satchel/contract/device';
import { BUCKET } from '@satchel/contract/limits';
import { deadline } from '@satchel/contract/testing/pace';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { folderByStoragePath } from '../../src/domain/access/find-folder.ts';
import { beginSession, isSessionAlive, viewerOf } from '../../src/domain/accounts/sessions.ts';
import { listFiles } from '../../src/domain/files/files.ts';
import { createFolderReader } from '../../src/domain/folders/folder-data.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { MATRIX, makeOwnersCell, sendRow } from '../roles/matrix-rows.ts';
import { openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { command } from '../support/discord/discord-kit.ts';
import { createOperatedApp, operate, report } from '../support/operators.ts';
import { expire, makeFolder, sweepAll } from '../support/storage-kit.ts';
import { stillOf, storeStills } from '../support/uploads/still-kit.ts';
import { webOf } from '../support/web.ts';
import { ageForPlans, fillForPlans } from './plan-data.ts';

/** How the database runs the server's own statements on the stored data, and where it scans a whole table. */

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The plan of a statement, by EXPLAIN (ANALYZE, BUFFERS). */
interface Plan {
  readonly text: string;
  readonly ms: number;
  /** Pages of 8 KiB that it reads. */
  readonly pages: number;
  /** Large tables that it scans as a whole. */
  readonly scanned: readonly string[];
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Node[];
}

/** A table of this many pages counts as large: an index costs as much as scanning a smaller one. */
const LARGE_PAGES = 30;

const all = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(all)];

async function largeTables(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relpages > ${LARGE_PAGES} and relnamespace = 'public'::regnamespace`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** True for statements that leave nothing behind when they are rolled back, so that a second run reads the same. */
const isRead = ({ text }: Statement): boolean => /^\s*select\b/i.test(text);

/** True for statements that have a plan. */
const isPlanned = ({ text }: Statement): boolean => /^\s*(select|insert|update|delete|with)\b/i.test(text);

interface Explained {
  readonly Plan: Node;
  readonly 'Execution Time'?: number;
}

/** Runs an EXPLAIN and rolls its statement back; null if the statement can't run a second time. */
async function explain(client: pg.Client, options: string, { text, values }: Statement): Promise<Explained | null> {
  await client.query('begin');
  try {
    const { rows } = await client.query(`explain (${options}, format json) ${text}`, [...values]);
    return (rows[0]['QUERY PLAN'] as [Explained])[0];
  } catch (error) {
    // The row that it inserts already exists.
    if ((error as { code?: string }).code?.startsWith('23')) return null;
    throw error;
  } finally {
    await client.query('rollback');
  }
}

/**
 * Explains each statement with the values that it came with, and leaves the data unchanged. Of a read, its second run
 * counts: a connection looks at the first page of a hash index once and remembers it, as the planner makes it do with the index of a
 * B-tree, and a connection of the server's pool runs thousands of statements.
 */
async function explainAll(
  client: pg.Client,
  statements: readonly Statement[],
  large: ReadonlySet<string>,
): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const distinct = new Map(statements.filter(isPlanned).map((statement) => [statement.text, statement]));
  for (const statement of distinct.values()) {
    if (isRead(statement)) await explain(client, 'analyze', statement);
    const explained =
      (await explain(client, 'analyze, buffers', statement)) ?? (await explain(client, 'verbose', statement));
    if (!explained) throw new Error(`No plan: ${statement.text}`);
    const { Plan: root, 'Execution Time': ms = 0 } = explained;
    const scans = all(root).filter(
      (node) => node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name'] ?? ''),
    );
    const pages = (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0);
    plans.push({ text: statement.text, ms, pages, scanned: scans.map((node) => node['Relation Name']!) });
  }
  return plans;
}

/** A statement in one line: what it does to which table, and the beginning of its condition. */
const inShort = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim().slice(0, 160);

/**
 * Every statement of the server uses an index: each one that the routes and the sweep send is explained on a large
 * database.
 */

const FOLDERS = 10_000;
const FILES = 100_000;
const TIMEOUT_MS = deadline(300 + FILES / 500);
/**
 * The most pages that a statement may read, however much is stored. A page of reports joins four tables for each row.
 */
const PAGES_MAX = 2000;
/** The same of a full batch of a sweep: 500 rows, each found, locked and deleted, and looked up in other tables. */
const BATCH_PAGES_MAX = 6000;

/** The figures of the site (domain/site-figures.ts) look at each live folder, twice a minute at most on each node. */
const isOfWholeSite = ({ text }: Plan) => /^\s*with p as \(select count/.test(text);

const seen: Statement[] = [];

/**
 * What a folder's page asks for to show its first screen, and the most pages for it: two for each of the four and of the two
 * rows that are found by a hash index, however many there are, and the list's own. One more is for a row of the same hash.
 */
const PAGES_OF_PAGE: Readonly<Record<string, number>> = {
  'POST /rest/v1/rpc/get_folder_complete_data': 4 * 2 + 1,
  'POST /storage/v1/object/list/:bucket': 2 * 2 + 7 + 1,
};

/** Records statements with their values. */
function listen(): void {
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parameters: unknown[]) {
    const [statement, values] = parameters as [string | { text: string; values?: unknown[] }, unknown];
    const text = typeof statement === 'string' ? statement : statement.text;
    const given = Array.isArray(values) ? values : typeof statement === 'string' ? [] : (statement.values ?? []);
    seen.push({ text, values: given });
    return (query as (...all: unknown[]) => never).apply(this, parameters);
  });
}

const url = await takeDatabase();
const client = new pg.Client({ connectionString: url });
await client.connect();
await fillForPlans(client, { folders: FOLDERS, files: FILES });
await client.end();
const database = await openTestDatabase({ url });
const app = await createOperatedApp({ deps: { database, web: webOf() } });
const mika = await app.signIn('mika');
afterAll(() => void vi.restoreAllMocks());

/** Everything that makes the server query the database. */
async function doEverything(): Promise<void> {
  const ending = new Set(['POST /auth/v1/logout', 'DELETE /rest/v1/profiles/me']);
  for (const route of Object.keys(MATRIX)) {
    if (ending.has(route)) continue;
    const cell = await makeOwnersCell(app, mika, true);
    const response = await sendRow(app, route, cell, route.includes('/operator/') ? app.olga : mika);
    await response.text();
  }
  const cell = await makeOwnersCell(app, mika, true);
  const name = cell.object.split('/')[1]!;
  for (let version = 0; version < 2; version += 1) {
    expect(await storeStills(app, cell.owner, cell.folder, stillOf(name))).toEqual([name]);
  }
  for (const column of ['name', 'created_at', 'updated_at']) {
    for (const order of ['asc', 'desc']) {
      const body = { prefix: 'path-7', limit: 1000, sortBy: { column, order } };
      expect((await app.call('POST', `/storage/v1/object/list/${BUCKET}`, { body })).status).toBe(200);
    }
  }
  await report(app, { folder_slug: cell.folder.slug });
  for (const list of ['bans', 'denied_blobs', 'acts']) {
    const { body } = await operate<
      Record<string, { id: string; created_at: string; discord_id: string; sha256: string }[]>
    >(app, app.olga, 'GET', `/${list}`);
    const last = body[list]?.[9];
    const before =
      list === 'acts'
        ? `before=${last?.id}`
        : `before=${last?.created_at}&before_id=${last?.discord_id ?? last?.sha256}`;
    expect((await operate(app, app.olga, 'GET', `/${list}?${before}`)).status).toBe(200);
  }
  for (const state of ['open', 'closed']) {
    const { status, body } = await operate<{ reports: { id: string }[] }>(
      app,
      app.olga,
      'GET',
      `/reports?state=${state}`,
    );
    expect(body).toMatchObject({ reports: expect.any(Array) });
    expect(status).toBe(200);
    await operate(app, app.olga, 'GET', `/reports?state=${state}&before=${body.reports[9]?.id}`);
  }
  await operate(app, app.olga, 'POST', '/takedowns', {
    folder_slug: cell.folder.slug,
    reason: 'spam',
    deny_files: true,
  });
  const devices = ['waits', 'is refused', 'is let in'].map(async (host, at) => {
    const asked = await app.call('POST', '/auth/v1/device', { body: { client: 'satchel', host } });
    const { device_code, user_code } = (await asked.json()) as DeviceOutput;
    const found = await app.call('POST', '/auth/v1/device/find', { as: mika, body: { user_code } });
    const { id } = (await found.json()) as WaitingDevice;
    const poll = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code };
    for (let times = 0; times < 2; times += 1) await app.call('POST', '/auth/v1/token', { body: poll });
    if (at > 0) await app.call('POST', '/auth/v1/device/decide', { as: mika, body: { id, is_allowed: at > 1 } });
    return (await app.call('POST', '/auth/v1/token', { body: poll })).status;
  });
  expect(await Promise.all(devices)).toEqual([400, 400, 200]);
  for (const name of ['list', 'upload', 'share', 'delete', 'settings', 'help']) await command(app, 'mika', name);
  const leaving = await app.signIn('lena');
  await makeFolder(app, leaving);
  await app.call('DELETE', '/rest/v1/profiles/me', { as: leaving });
  const expiring = await makeOwnersCell(app, mika, true);
  await expire(app, expiring.folder);
  const gone = (await makeOwnersCell(app, mika, true)).upload.split('/').at(-1);
  await app.database.db.execute(
    sql`update uploads set expires_at = now() - interval '1 second' where id = ${gone}::uuid`,
  );
  expect(await sweepAll(app)).toEqual([]);
}

/**
 * The statements of a page read of a filled folder with ten files, by what its routes call: on its own connection, where no
 * other task of the server sends any.
 */
async function askForPage(client: pg.Client): Promise<Readonly<Record<string, Statement[]>>> {
  const sent: Statement[] = [];
  const query = client.query.bind(client) as (...all: unknown[]) => never;
  const recorded = vi.spyOn(client, 'query').mockImplementation((...parameters: unknown[]) => {
    const [{ text }, values] = parameters as [{ text: string }, unknown[]];
    sent.push({ text, values });
    return query(...parameters);
  });
  const db = drizzle(client) as unknown as Db;
  const { profile_id } = mika;
  const requester = { profile_id, session_hash: null, holder_hash: null };
  const { token, session_id } = await beginSession(db, profile_id);
  sent.length = 0;
  await viewerOf(db, token, 'browser');
  await createFolderReader(db)('planslug000000000007', requester);
  const data = sent.splice(0);
  await isSessionAlive(db, { profile_id, session_id });
  const { id } = await folderByStoragePath(db, 'path-7', requester);
  expect((await listFiles(db, id, { limit: 1000, offset: 0 })).length).toBeGreaterThan(0);
  recorded.mockRestore();
  const [ofData = '', ofList = ''] = Object.keys(PAGES_OF_PAGE);
  return { [ofData]: data, [ofList]: sent };
}

test(
  'no statement of the server reads a large table from end to end, nor more than a few pages',
  async () => {
    listen();
    await doEverything();
    vi.restoreAllMocks();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('vacuum analyze');
    const large = await largeTables(client);
    const plans = await explainAll(client, seen, large);
    const page: Record<string, number> = {};
    for (const [route, statements] of Object.entries(await askForPage(client))) {
      page[route] = (await explainAll(client, statements, large)).reduce((sum, { pages }) => sum + pages, 0);
    }
    await client.end();
    for (const [route, most] of Object.entries(PAGES_OF_PAGE)) {
      expect(page[route]).toBeGreaterThan(0);
      expect(page[route]).toBeLessThanOrEqual(most);
    }
    expect(plans.length).toBeGreaterThan(100);
    const bad = plans.filter((plan) => !isOfWholeSite(plan) && (plan.scanned.length > 0 || plan.pages > PAGES_MAX));
    expect(bad.map(({ text, scanned, pages }) => `${scanned} ${pages}: ${inShort(text)}`)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a sweep after a long pause also works through its backlog by indexes',
  async () => {
    const sweeping = seen.filter(({ text }) => /^\s*delete from \S+ where\s+ctid = any/.test(text));
    expect(new Set(sweeping.map(({ text }) => text)).size).toBeGreaterThan(10);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await ageForPlans(client);
    const plans = await explainAll(client, sweeping, await largeTables(client));
    await client.end();
    const bad = plans.filter(({ scanned, pages }) => scanned.length > 0 || pages > BATCH_PAGES_MAX);
    expect(bad.map(({ text, scanned, pages }) => `${scanned} ${pages}: ${inShort(text)}`)).toEqual([]);
  },
  TIMEOUT_MS,
);
