import { MIB } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import { POOL_TIMES } from '../../src/platform/database/database-pool.ts';
import { type Cell, MATRIX, makeOwnersCell, sendRow } from '../roles/matrix-rows.ts';
import { atEnd, openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { createDatabaseLine } from '../support/database/database-line.ts';
import { createTus, createUploadOf, openPatch, sha256, untilOffset } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { openSocket } from '../support/uploads/socket-kit.ts';
import { webOf } from '../support/web.ts';

/** While the database is away, every route that needs it answers 503 with Retry-After, quickly. */

/** Routes that answer without a database. */
const WITHOUT = new Set([
  // These lead to Discord, or back with an error; unsigned posts are refused before any look-up.
  ...['GET /auth/v1/authorize', 'GET /auth/v1/callback', 'POST /discord/interactions', 'POST /discord/events'],
  ...['GET /healthz', 'GET /metrics', 'GET /openapi.json', 'GET /dl/*', 'POST /share-target'],
  // A socket asks the database when its first message comes.
  'GET /storage/v1/upload/socket',
  // The page is one file. It shows in words what its own requests return.
  ...['GET /', 'GET /f', 'GET /f/*', 'GET /auth', 'GET /auth/callback', 'GET /device', 'GET /profile', 'GET /upload'],
  ...['GET /operator', 'GET /docs', 'GET /privacy', 'GET /check', 'GET /*'],
  ...['GET /settings.json', 'GET /.well-known/webcat/:name'],
]);

const line = await createDatabaseLine(await takeDatabase());
atEnd(() => line.close());
const times = { ...POOL_TIMES, suspectAfterMs: 300, probeMs: 2000, retryEveryMs: 100 };
const database = await openTestDatabase({ url: line.url, times });
const app = await createTestApp({ deps: { database, web: webOf() } });
const mika = await app.signIn('mika');

async function ask(route: string, cell: Cell) {
  const response = await sendRow(app, route, cell, mika);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

const routes = Object.keys(MATRIX);
const ordinary = async () => {
  const cell = await makeOwnersCell(app, mika);
  expect((await ask('GET /rest/v1/folders/:slug', cell)).status).toBe(200);
  expect((await app.rpc('delete_folder_complete', { folder_id: cell.folder.id }, mika)).status).toBe(204);
};

/** A download and an upload under way. */
async function beginTransfers() {
  const { url, bytes, content } = await createUploadOf(app, mika, 32 * MIB);
  const tus = createTus(app, mika);
  const address = app.baseUrl + new URL(url).pathname;
  const sending = openPatch(tus, address, 0, bytes.length);
  await sending.send(bytes.subarray(0, 2 * MIB));
  await untilOffset(app, url, (offset) => offset > 0);
  const stored = await createUploadOf(app, mika, 32 * MIB);
  expect((await tus.patch(app.baseUrl + new URL(stored.url).pathname, 0, stored.bytes)).status).toBe(204);
  const download = await stored.open();
  return {
    /** What the download brings while the database is away. */
    async downloaded() {
      return sha256(new Uint8Array(await download.arrayBuffer())) === sha256(stored.bytes);
    },
    /** What the upload is answered while the database is away. */
    async refused() {
      await sending.send(bytes.subarray(2 * MIB, 3 * MIB));
      return sending.outcome;
    },
    /** Once the database is back. */
    async goOn() {
      const offset = await tus.offsetOf(address);
      expect(offset).toBeGreaterThan(0);
      expect((await tus.patch(address, offset, bytes.subarray(offset))).status).toBe(204);
      expect(sha256(await content())).toBe(sha256(bytes));
    },
  };
}

describe.each(['freeze', 'cut'] as const)('while the database is away (%s)', (act) => {
  test('every route answers 503 within seconds, transfers continue, and all works again without a restart', async () => {
    const cell = await makeOwnersCell(app, mika);
    const transfers = await beginTransfers();
    // Last: the server waits only so long for a socket's first message, which follows once the database is away.
    const sender = await openSocket(app);
    await line[act]();
    sender.begin(cell.upload, 0, mika);
    const moving = Promise.all([transfers.downloaded(), transfers.refused()]);
    const answering = routes.map(async (route) => {
      const answer = await ask(route, cell).catch((error) => ({ status: 0, retryAfter: String(error), text: '' }));
      return [route, answer] as const;
    });
    const [answers, refusal, [isDownloaded, uploading]] = await Promise.all([
      Promise.all(answering),
      sender.heard('error'),
      moving,
    ]).finally(() => line.restore());
    expect(isDownloaded).toBe(true);
    expect(uploading).toMatchObject({ status: 503 });
    expect(refusal).toMatchObject({ error: { code: 'request.unavailable', status: 503 } });
    expect(await sender.closed).toMatchObject({ code: 4503 });
    const card = answers.find(([route]) => route === 'GET /s/:slug')?.[1];
    expect(card).toMatchObject({ status: 503, text: expect.stringContaining('location.replace') });
    const other = answers.filter(
      ([route, { status, retryAfter }]) => !WITHOUT.has(route) && (status !== 503 || retryAfter === null),
    );
    expect(other.map(([route, { status, retryAfter }]) => `${route}: ${status} ${retryAfter}`)).toEqual([]);
    await expect.poll(() => app.call('GET', '/readyz').then(({ status }) => status)).toBe(200);
    await transfers.goOn();
    await ordinary();
  });
});
