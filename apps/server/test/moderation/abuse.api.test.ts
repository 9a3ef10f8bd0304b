import { createECDH, randomBytes } from 'node:crypto';
import type { OperatorKeyList, ReportList } from '@satchel/contract/abuse';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { listOperatorKeys } from '../../src/domain/moderation/operator-keys.ts';
import { actsOf, createOperatedApp, operate, report, reportsOf } from '../support/operators.ts';
import { codeOf, deleteFolder, expire, makeFolder, sweepAll } from '../support/storage-kit.ts';
import { type Account, idOf } from '../support/test-app.ts';

const newPublicKey = () => createECDH('prime256v1').generateKeys().toString('base64url');

let app = await createOperatedApp();
const mika = await app.signIn('mika');

describe('reports', () => {
  const { query } = app;
  const rowsOfSlug = (slug: string) => query<Record<string, unknown>>(sql`select * from reports where slug = ${slug}`);
  const addKey = async (as: Account, public_key = newPublicKey()) =>
    (await operate<{ id: string }>(app, as, 'POST', '/operator_keys', { public_key })).body.id;

  test('an operator reads a report’s content, and the folder with its owner', async () => {
    const folder = await makeFolder(app, mika);
    expect((await report(app, { folder_slug: folder.slug, note: ' a note ' })).status).toBe(204);
    const [first] = await reportsOf(app);
    expect(first).toMatchObject({
      folder_slug: folder.slug,
      reason: 'malware',
      note: 'a note',
      sealed_keys: [],
      closed_at: null,
      outcome: null,
      taken_down_reason: null,
      folder: {
        created_at: folder.created_at,
        link_mode: 'plain',
        file_count: 0,
        owner_discord_id: idOf('mika'),
        owner_username: 'mika',
        is_owner_banned: false,
      },
    });
    await deleteFolder(app, mika, folder);
    expect((await reportsOf(app))[0]).toMatchObject({ folder_slug: folder.slug, folder: null });
  });

  test('nothing tells whether a folder exists, and nothing is stored for a missing one', async () => {
    const folders = [await makeFolder(app, mika), await makeFolder(app, mika), await makeFolder(app, mika)];
    const [live, deleted, expired] = folders as [(typeof folders)[0], (typeof folders)[0], (typeof folders)[0]];
    await deleteFolder(app, mika, deleted);
    await expire(app, expired);
    const answers = [];
    for (const slug of [live.slug, deleted.slug, expired.slug, 'AAAAAAAAAAAAAAAA', 'no slug', '', '\0']) {
      const response = await report(app, { folder_slug: slug });
      answers.push([response.status, await response.text(), [...response.headers.keys()].filter((n) => n !== 'date')]);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await rowsOfSlug(live.slug)).toHaveLength(1);
    for (const { slug } of [deleted, expired]) expect(await rowsOfSlug(slug)).toEqual([]);
  });

  test('a report stores and logs nothing about its sender', async () => {
    const folder = await makeFolder(app, mika);
    const logged = app.log.length;
    const response = await fetch(`${app.baseUrl}/abuse/v1/reports`, {
      method: 'POST',
      headers: {
        origin: app.config.publicUrl,
        'content-type': 'application/json',
        cookie: mika.cookie,
        'user-agent': 'agent-canary',
      },
      body: JSON.stringify({ folder_slug: folder.slug, reason: 'other', note: 'note-canary' }),
    });
    expect(response.status).toBe(204);
    const [row] = await rowsOfSlug(folder.slug);
    expect(Object.keys(row ?? {}).sort()).toEqual([
      'closed_at',
      'created_at',
      'id',
      'note',
      'outcome',
      'reason',
      'sealed_keys',
      'slug',
    ]);
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`agent-canary|${mika.profile_id}|127\\.0\\.0\\.1`));
    const lines = app.log.slice(logged).join();
    expect(lines).toContain('/abuse/v1/reports');
    expect(lines).not.toMatch(/"user"|canary/);
  });

  test('only this site’s page reports, in JSON, and up to a length', async () => {
    const folder = await makeFolder(app, mika);
    const send = (headers: Record<string, string>, body: object) =>
      fetch(`${app.baseUrl}/abuse/v1/reports`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ folder_slug: folder.slug, reason: 'other', ...body }),
      });
    const origin = app.config.publicUrl;
    for (const other of ['https://evil.example', 'null', `${origin}.evil.example`]) {
      expect(await codeOf(await send({ origin: other }, {}))).toBe('request.bad_origin');
    }
    expect(await codeOf(await send({}, {}))).toBe('request.bad_origin');
    expect((await send({ origin, 'content-type': 'text/plain' }, {})).status).toBe(415);
    expect((await send({ origin }, { filler: 'x'.repeat(40_000) })).status).toBe(413);
    expect((await send({ origin }, { note: 'x'.repeat(1001) })).status).toBe(400);
    expect((await send({ origin }, { note: 'a\0b' })).status).toBe(400);
    expect((await send({ origin }, { reason: 'boredom' })).status).toBe(400);
    // The longest allowed report fits.
    expect((await send({ origin }, { note: '\u{1F600}'.repeat(500) })).status).toBe(204);
    expect(await rowsOfSlug(folder.slug)).toHaveLength(1);
  });

  test('of one folder at most 50 are open, however many come at once; a dismissed one makes room', async () => {
    const folder = await makeFolder(app, mika);
    await query(sql`insert into reports (slug, reason) select ${folder.slug}, 'other' from generate_series(1, 45)`);
    const answers = await Promise.all(Array.from({ length: 12 }, () => report(app, { folder_slug: folder.slug })));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(204));
    expect(await rowsOfSlug(folder.slug)).toHaveLength(50);
    const [first] = await rowsOfSlug(folder.slug);
    expect((await operate(app, app.olga, 'POST', `/reports/${first?.id}/dismiss`)).status).toBe(204);
    await report(app, { folder_slug: folder.slug });
    await report(app, { folder_slug: folder.slug });
    expect(await rowsOfSlug(folder.slug)).toHaveLength(51);
  });

  test('the list comes in pages, the newest first, and misses none', async () => {
    const folder = await makeFolder(app, mika);
    await query(sql`
      insert into reports (slug, reason, note, closed_at, outcome, created_at)
      select ${folder.slug}, 'other', n::text, now(), 'dismissed', now() + make_interval(secs => n / 3)
      from generate_series(1, 120) as n`);
    const notes: (string | null)[] = [];
    let before = '';
    for (let hasMore = true; hasMore; ) {
      const { body } = await operate<ReportList>(app, app.olga, 'GET', `/reports?state=closed${before}`);
      expect(body.reports.length).toBeLessThanOrEqual(50);
      notes.push(...body.reports.filter((one) => one.folder_slug === folder.slug).map(({ note }) => note));
      before = `&before=${body.reports.at(-1)?.id}`;
      hasMore = body.has_more;
    }
    expect(new Set(notes)).toEqual(new Set(Array.from({ length: 120 }, (_, index) => String(index + 1))));
    expect(notes).toHaveLength(120);
    expect(Number(notes[0])).toBeGreaterThan(Number(notes[119]));
    await query(sql`delete from reports`);
  });

  test('dismissing closes one report, deletes its keys, and works once', async () => {
    const folder = await makeFolder(app, mika, 'private');
    const keyId = await addKey(app.olga);
    const sealed_keys = [{ operator_key_id: keyId, sealed: randomBytes(120).toString('base64url') }];
    await report(app, { folder_slug: folder.slug, sealed_keys });
    await report(app, { folder_slug: folder.slug });
    const open = await reportsOf(app);
    const [target] = open.filter((one) => one.sealed_keys.length > 0);
    expect(target?.sealed_keys).toEqual(sealed_keys);
    const acts = await actsOf(app);
    const path = `/reports/${target?.id}/dismiss`;
    const answers = await Promise.all([app.olga, app.oskar].map((as) => operate(app, as, 'POST', path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await reportsOf(app)).toHaveLength(open.length - 1);
    const [closed] = await reportsOf(app, 'closed');
    expect(closed).toMatchObject({ id: target?.id, outcome: 'dismissed', sealed_keys: [] });
    expect(await actsOf(app)).toEqual([`dismiss ${target?.id} ${folder.slug}`, ...acts]);
    await operate(app, app.olga, 'DELETE', `/operator_keys/${keyId}`);
  });

  test('keys of reports are deleted with their folder, open reports a month later, closed ones after 90 days', async () => {
    const folder = await makeFolder(app, mika, 'private');
    const other = await makeFolder(app, mika);
    const keyId = await addKey(app.olga);
    await report(app, { folder_slug: folder.slug, sealed_keys: [{ operator_key_id: keyId, sealed: 'abcd' }] });
    await report(app, { folder_slug: other.slug });
    await deleteFolder(app, mika, folder);
    expect(await rowsOfSlug(folder.slug)).toMatchObject([{ sealed_keys: '[]', closed_at: null }]);
    expect(await sweepAll(app)).toEqual([]);
    await query(sql`update reports set created_at = now() - interval '31 days'`);
    expect(await sweepAll(app)).toEqual([]);
    expect(await rowsOfSlug(folder.slug)).toEqual([]);
    // While its folder exists, a report stays open, however old.
    expect(await rowsOfSlug(other.slug)).toHaveLength(1);
    const close = (ago: string) =>
      query(sql`update reports set closed_at = now() - ${ago}::interval, outcome = 'dismissed'`);
    await close('89 days');
    expect(await sweepAll(app)).toEqual([]);
    expect(await rowsOfSlug(other.slug)).toHaveLength(1);
    await close('91 days');
    expect(await sweepAll(app)).toEqual([]);
    expect(await rowsOfSlug(other.slug)).toEqual([]);
    await operate(app, app.olga, 'DELETE', `/operator_keys/${keyId}`);
  });

  describe('operators’ keys', () => {
    const listed = async () => (await (await app.call('GET', '/abuse/v1/operator_keys')).json()) as OperatorKeyList;

    test('are public, and only points of the curve', async () => {
      const key = newPublicKey();
      const id = await addKey(app.olga, key);
      expect(await listed()).toEqual([{ id, public_key: key }]);
      // Keys of former operators are not listed.
      expect(await listOperatorKeys(app.database.db, [idOf('oskar')])).toEqual([]);
      const offCurve = Buffer.from(key, 'base64url');
      offCurve[64]! ^= 1;
      const hybrid = Buffer.from(key, 'base64url');
      hybrid[0] = 6 + (hybrid[64]! & 1);
      for (const bad of [offCurve, hybrid, Buffer.alloc(65)].map((point) => point.toString('base64url'))) {
        expect((await operate(app, app.olga, 'POST', '/operator_keys', { public_key: bad })).status).toBe(400);
      }
      expect((await operate(app, app.oskar, 'DELETE', `/operator_keys/${id}`)).status).toBe(404);
      expect((await operate(app, app.olga, 'DELETE', `/operator_keys/${id}`)).status).toBe(204);
      expect(await listed()).toEqual([]);
      expect((await actsOf(app)).slice(0, 2)).toEqual([`remove_key ${id} -`, `add_key ${id} -`]);
    });

    test('are four for one operator, however many are added at once: the newest', async () => {
      const ids: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) ids.push(await addKey(app.oskar));
      ids.push(...(await Promise.all([addKey(app.oskar), addKey(app.oskar), addKey(app.oskar)])));
      const left = (await listed()).map(({ id }) => id);
      expect(left).toHaveLength(4);
      expect(left).toEqual(expect.arrayContaining(ids.slice(3)));
      expect(left).toContain(ids[2]);
      expect(await actsOf(app)).toEqual(
        expect.arrayContaining(ids.slice(0, 2).map((id) => `remove_key ${id} replaced`)),
      );
      for (const id of left) await operate(app, app.oskar, 'DELETE', `/operator_keys/${id}`);
    });

    test('what is sealed to an unknown key is not stored', async () => {
      const folder = await makeFolder(app, mika, 'private');
      const id = await addKey(app.olga);
      const sealed_keys = [
        { operator_key_id: id, sealed: 'aaaa' },
        { operator_key_id: mika.profile_id, sealed: 'bbbb' },
        { operator_key_id: id, sealed: 'cccc' },
      ];
      await report(app, { folder_slug: folder.slug, sealed_keys });
      const [row] = await rowsOfSlug(folder.slug);
      expect(JSON.parse(String(row?.sealed_keys))).toEqual([{ operator_key_id: id, sealed: 'cccc' }]);
      await operate(app, app.olga, 'DELETE', `/operator_keys/${id}`);
    });

    test('are deleted with their operator’s account', async () => {
      await addKey(app.oskar);
      expect((await app.call('DELETE', '/rest/v1/profiles/me', { as: app.oskar })).status).toBe(204);
      expect(await listed()).toEqual([]);
      app = { ...app, oskar: await app.signIn('oskar') };
    });
  });
});
