import type { EventKind, FolderAnalytics } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { WireError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { VISITORS_MAX } from '../../src/domain/activity/visit-counters.ts';
import { dumpOf, filesWith } from '../support/database/kept-bytes.ts';
import { deleteFolder, expire, makeFolder, sweepAll } from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

/** A model of a folder's figures, by the rules of what counts as a visit (docs/decisions/010). */
function createVisitModel() {
  const figures = { views: 0, downloads: 0, visitors: 0 };
  const seen = new Map<string, { countedAt: number; downloads: number }>();
  let minute = 0;
  return {
    figures,
    pass(minutes: number): void {
      minute += minutes;
    },
    visit(who: string, kind: EventKind): void {
      const visitor = seen.get(who) ?? { countedAt: Number.NEGATIVE_INFINITY, downloads: 0 };
      if (!seen.has(who)) figures.visitors += 1;
      seen.set(who, visitor);
      if (kind === 'download') {
        figures.downloads += 1;
        visitor.downloads += 1;
      } else if (minute - visitor.countedAt >= 5) {
        figures.views += 1;
        visitor.countedAt = minute;
      }
    },
    /** By visitor; undefined for a person who never came. */
    downloadsOf: (who: string): number | undefined => seen.get(who)?.downloads,
  };
}

const HOUR_MS = 3_600_000;
const RECORD = '/rest/v1/rpc/record_folder_event';

// The test is its own proxy and names each visitor's address.
const app = await createTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
const mika = await app.signIn('mika');
const jonas = await app.signIn('jonas');
const lena = await app.signIn('lena');

const { query } = app;

describe('views, downloads and visitors of a folder', () => {
  let folder: Folder;
  beforeEach(async () => {
    folder = await makeFolder(app, mika);
  });

  const rowsOfFolder = (table: string) =>
    query(sql`select * from ${sql.identifier(table)} where folder_id = ${folder.id}::uuid`);

  interface From {
    readonly as?: Account;
    readonly address?: string;
    readonly headers?: Record<string, string>;
  }
  const record = async (kind: string, { as, address = '203.0.113.1', headers = {} }: From = {}, slug = folder.slug) => {
    const response = await fetch(app.baseUrl + RECORD, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Some Browser/1.0',
        'x-forwarded-for': address,
        origin: app.config.publicUrl,
        ...(as && { cookie: as.cookie }),
        ...headers,
      },
      body: JSON.stringify({ folder_slug: slug, kind }),
    });
    const text = await response.text();
    return response.status === 204 ? 204 : `${response.status} ${(JSON.parse(text) as WireError).error.code}`;
  };
  const analytics = async (as: Account = mika) => {
    const { status, body } = await app.rpc<FolderAnalytics>('get_folder_analytics', { folder_slug: folder.slug }, as);
    expect(status).toBe(200);
    return body;
  };
  const figures = async () => {
    const { total_views: views, total_downloads: downloads, unique_visitors: visitors } = await analytics();
    return { views, downloads, visitors };
  };
  /** Ages what has been counted. */
  const letPass = async (interval: string) => {
    await analytics();
    await query(
      sql`update folder_visitors set counted_at = counted_at - ${interval}::interval, last_seen_at = last_seen_at - ${interval}::interval where folder_id = ${folder.id}::uuid`,
    );
  };

  describe('counting', () => {
    test('every visitor appears in the figures at once', async () => {
      expect(await figures()).toEqual({ views: 0, downloads: 0, visitors: 0 });
      expect(await record('view')).toBe(204);
      expect(await record('view', { as: jonas })).toBe(204);
      expect(await record('download', { as: jonas })).toBe(204);
      expect(await figures()).toEqual({ views: 2, downloads: 1, visitors: 2 });
    });

    test('strangers are told apart by address and browser', async () => {
      await record('view');
      await record('view', { address: '203.0.113.2' });
      await record('view', { headers: { 'user-agent': 'Another/2.0' } });
      await record('view', { headers: { 'user-agent': '' } });
      expect(await figures()).toEqual({ views: 4, downloads: 0, visitors: 4 });
    });

    test('another view counts after five minutes, and its visitor once', async () => {
      for (const from of [{}, { as: jonas }]) {
        await record('view', from);
        await record('view', from);
        await analytics();
        await record('view', from);
      }
      expect(await figures()).toEqual({ views: 2, downloads: 0, visitors: 2 });
      await letPass('3 minutes');
      await record('view');
      expect(await figures()).toEqual({ views: 2, downloads: 0, visitors: 2 });
      await letPass('2 minutes');
      await record('view');
      expect(await figures()).toEqual({ views: 3, downloads: 0, visitors: 2 });
    });

    test.each([
      ['a crawler', { 'user-agent': 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)' }],
      ['a search engine', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }],
      ['an unfurl', { 'user-agent': 'facebookexternalhit/1.1' }],
      ['a preview', { 'user-agent': 'Mozilla/5.0 BingPreview/1.0b' }],
      ['a prefetch', { 'sec-purpose': 'prefetch;prerender' }],
      ['a prefetch of another browser', { purpose: 'Prefetch' }],
    ])('%s does not count', async (_who, headers) => {
      expect(await record('view', { headers })).toBe(204);
      expect(await figures()).toEqual({ views: 0, downloads: 0, visitors: 0 });
    });

    test('reading the page, the folder or a listing does not count', async () => {
      await app.call('GET', `/f/${folder.slug}`);
      await app.call('GET', `/rest/v1/folders/${folder.slug}`, { as: jonas });
      await app.rpc('get_folder_complete_data', { input_folder_slug: folder.slug }, jonas);
      expect(await figures()).toEqual({ views: 0, downloads: 0, visitors: 0 });
    });
  });

  describe('the figures', () => {
    test('have every hour from the folder’s creation to now', async () => {
      await query(sql`update folders set created_at = now() - interval '3 hours' where id = ${folder.id}::uuid`);
      await record('view');
      await record('download');
      await analytics();
      await query(
        sql`update folder_activity set hour = hour - interval '2 hours' where folder_id = ${folder.id}::uuid`,
      );
      await record('download');
      const { activity } = await analytics();
      const hours = activity.map(({ hour }) => Date.parse(hour));
      expect(hours.every((hour, index) => hour % HOUR_MS === 0 && hour === hours[0]! + index * HOUR_MS)).toBe(true);
      expect(activity.slice(-4).map(({ views, downloads }) => [views, downloads])).toEqual([
        [0, 0],
        [1, 1],
        [0, 0],
        [0, 1],
      ]);
      expect(Math.abs(hours.at(-1)! - Date.now())).toBeLessThanOrEqual(HOUR_MS);
      expect(hours).toHaveLength(4);
    });

    test('match a replay of any events, by any people, saved at any time', async () => {
      const people = { jonas, lena };
      const strangers = ['203.0.113.1', '203.0.113.2'];
      const traps: Record<string, string>[] = [
        { 'user-agent': 'Discordbot/2.0' },
        { 'sec-purpose': 'prefetch' },
        { purpose: 'prefetch' },
        { 'sec-purpose': 'prefetch;prerender' },
      ];
      const event = fc.record({
        kind: fc.constantFrom<EventKind>('view', 'view', 'download'),
        who: fc.constantFrom('jonas', 'lena', 'mika', ...strangers),
        trap: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom(...traps) }),
      });
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.array(event, { minLength: 1, maxLength: 5 }) },
        { weight: 2, arbitrary: fc.constantFrom('3 minutes', '6 minutes') },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8, size: 'max' }), async (steps) => {
          folder = await makeFolder(app, mika);
          const model = createVisitModel();
          for (const now of steps) {
            if (typeof now === 'string') {
              await letPass(now);
              model.pass(Number.parseInt(now, 10));
              continue;
            }
            await Promise.all(
              now.map(({ kind, who, trap }) => {
                const as = { ...people, mika }[who];
                return record(kind, { headers: trap, ...(as ? { as } : { address: who }) });
              }),
            );
            const visits = now.filter(({ who, trap }) => who !== 'mika' && Object.keys(trap).length === 0);
            for (const { kind, who } of visits) model.visit(who, kind);
          }
          expect(await figures()).toEqual(model.figures);
          const { activity, recent } = await analytics();
          const summed = (field: 'views' | 'downloads') => activity.reduce((total, hour) => total + hour[field], 0);
          expect([summed('views'), summed('downloads')]).toEqual([model.figures.views, model.figures.downloads]);
          const named = Object.entries(people).filter(([who]) => model.downloadsOf(who) !== undefined);
          expect(new Map(recent.map(({ profile_id, downloads }) => [profile_id, downloads]))).toEqual(
            new Map(named.map(([who, { profile_id }]) => [profile_id, model.downloadsOf(who)])),
          );
        }),
        { numRuns: 10, endOnFailure: true },
      );
    });

    test('name visitors to the owner alone, without their e-mail addresses', async () => {
      await record('view', { as: jonas });
      await analytics();
      await record('view', { as: lena });
      await record('download', { as: lena });
      await record('view');
      const { recent } = await analytics();
      expect(recent).toEqual([
        {
          profile_id: lena.profile_id,
          name: 'lena',
          username: 'lena',
          avatar_url: `/rest/v1/folders/${folder.slug}/people/${lena.profile_id}/avatar.png`,
          is_you: false,
          last_viewed_at: expect.any(String),
          downloads: 1,
        },
        expect.objectContaining({ profile_id: jonas.profile_id, downloads: 0 }),
      ]);
      expect(Math.abs(Date.parse(recent[0]!.last_viewed_at) - Date.now())).toBeLessThan(60_000);
      expect(JSON.stringify(recent)).not.toContain('@example.org');
    });

    test('show others the totals and themselves', async () => {
      await record('view', { as: jonas });
      await record('view');
      const seen = await analytics(jonas);
      expect(seen).toMatchObject({ total_views: 2, unique_visitors: 2 });
      expect(seen.recent).toEqual([expect.objectContaining({ profile_id: jonas.profile_id, is_you: true })]);
      expect((await analytics(lena)).recent).toEqual([]);
    });

    test('list fifty at most, the newest first', async () => {
      const people = await Promise.all(Array.from({ length: 52 }, (_, index) => app.signIn(`guest ${index}`)));
      for (const as of people) await record('view', { as });
      await analytics();
      await query(
        sql`update folder_visitors set last_seen_at = last_seen_at - interval '1 minute' where profile_id in (${people[0]!.profile_id}::uuid, ${people[1]!.profile_id}::uuid)`,
      );
      const { recent, unique_visitors } = await analytics();
      expect(unique_visitors).toBe(52);
      expect(recent).toHaveLength(50);
      const listed = recent.map(({ profile_id }) => profile_id);
      expect(listed).not.toContain(people[0]!.profile_id);
      expect(listed).not.toContain(people[1]!.profile_id);
    });
  });

  describe('a flood', () => {
    test('from one visitor makes one row, and a row an hour', async () => {
      await Promise.all(Array.from({ length: 300 }, () => record('view')));
      await analytics();
      expect(await rowsOfFolder('folder_visitors')).toHaveLength(1);
      expect(await rowsOfFolder('folder_activity')).toHaveLength(1);
      expect(await figures()).toEqual({ views: 1, downloads: 0, visitors: 1 });
    });

    test('of ever new visitors ends at a cap; known ones still count', async () => {
      await record('view', { as: jonas });
      await analytics();
      await query(sql`
        insert into folder_visitors (folder_id, visitor, first_seen_at, last_seen_at)
        select ${folder.id}::uuid, 'visitor ' || n, now(), now() from generate_series(1, ${VISITORS_MAX - 2}::integer) n`);
      for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) await record('view', { address });
      await letPass('10 minutes');
      await record('view', { as: jonas });
      await record('download', { address: '203.0.113.9' });
      expect(await figures()).toEqual({ views: 3, downloads: 1, visitors: 2 });
      expect(await rowsOfFolder('folder_visitors')).toHaveLength(VISITORS_MAX);
    });
  });

  describe('what is kept', () => {
    test('is deleted with the folder, by the owner and by the sweep', async () => {
      const folders = [folder, await makeFolder(app, mika)];
      for (const { slug } of folders) await record('view', {}, slug);
      await analytics();
      // One more that is not saved yet when the folder is deleted.
      await record('view', { as: jonas });
      await deleteFolder(app, mika, folder);
      await expire(app, folders[1]!);
      expect(await sweepAll(app)).toEqual([]);
      // Saves everything that is pending, also for the deleted folder.
      const other = await makeFolder(app, mika);
      await app.rpc('get_folder_analytics', { folder_slug: other.slug }, mika);
      const ids = sql.join(
        folders.map(({ id }) => sql`${id}::uuid`),
        sql`, `,
      );
      for (const table of ['folder_visitors', 'folder_activity']) {
        expect(await query(sql`select * from ${sql.identifier(table)} where folder_id in (${ids})`)).toEqual([]);
      }
    });

    test('is no raw address and no user agent, in database, data directory or log', async () => {
      const canaries = ['203.0.113.77', 'Canary Browser'];
      await record('view', { address: canaries[0]!, headers: { 'user-agent': `${canaries[1]}/1.0` } });
      await analytics();
      const dump = app.log.join('\n') + (await dumpOf(app.database.db));
      expect(await rowsOfFolder('folder_visitors')).toHaveLength(1);
      for (const canary of canaries) {
        expect(dump).not.toContain(canary);
        expect(await filesWith(app.config.dataDir, canary)).toEqual([]);
      }
    });

    test('of strangers is purged after their day, and stays counted', async () => {
      await record('view');
      await record('view', { as: jonas });
      await letPass('24 hours');
      expect(await sweepAll(app)).toEqual([]);
      expect(await rowsOfFolder('folder_visitors')).toEqual([
        expect.objectContaining({ profile_id: jonas.profile_id }),
      ]);
      expect(await figures()).toEqual({ views: 2, downloads: 0, visitors: 2 });
    });

    test('is saved when the server stops, and soon without any request', async () => {
      await record('view');
      await expect.poll(() => rowsOfFolder('folder_visitors')).toHaveLength(1);
    });
  });
});

test('the end of the server saves all counts', async () => {
  const folder = await makeFolder(app, mika);
  const other = await createTestApp({ deps: { database: app.database } });
  await other.rpc('record_folder_event', { folder_slug: folder.slug, kind: 'view' });
  await other.close();
  expect(await query(sql`select views::integer from folder_activity where folder_id = ${folder.id}::uuid`)).toEqual([
    { views: 1 },
  ]);
});
