import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Db, rowsOf } from '../platform/db.ts';
import { transactionsOf } from '../testing/faults.ts';
import { makeFolder } from '../testing/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../testing/test-app.ts';
import { type Activity, createActivity } from './activity.ts';
import { entrantOfViewer } from './entry.ts';

describe('visits that wait for the books', () => {
  let app: TestApp;
  let mika: Account;
  let folder: Folder;
  let failures: unknown[];
  beforeAll(async () => {
    app = await createTestApp();
    mika = await app.signIn('mika');
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    folder = await makeFolder(app, mika);
    failures = [];
  });
  afterEach(() => vi.useRealTimers());

  const activityOn = (db: Db) =>
    createActivity({ db, visitorSalts: app.deps.visitorSalts, report: (error) => failures.push(error) });

  /** A database whose transactions fail so many times before one succeeds. */
  function failing(times: number): Db {
    let left = times;
    return new Proxy(app.database.db, {
      get(target, name) {
        if (name === 'transaction' && left > 0) {
          return () => {
            left -= 1;
            return Promise.reject(new Error('no database'));
          };
        }
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  const come = (activity: Activity, address: string, kind: 'view' | 'download' = 'view') =>
    activity.record({
      slug: folder.slug,
      kind,
      viewer: null,
      entrant: entrantOfViewer(null),
      stranger: { address, userAgent: 'Some Browser/1.0' },
      isVisit: true,
    });

  async function booked() {
    const rows = await app.database.db.execute(
      sql`select views, downloads, visitors from folder_activity where folder_id = ${folder.id}::uuid`,
    );
    return rowsOf<Record<string, unknown>>(rows).map((row) =>
      ['views', 'downloads', 'visitors'].map((name) => Number(row[name])),
    );
  }

  test('more visitors than wait for the books at a time are booked, and none is lost', async () => {
    // The books are not written because time passes, however slow this machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(app.database.db);
    for (let visitor = 0; visitor < 1000; visitor += 1) await come(activity, `2001:db8::${visitor}`);
    expect(await booked()).toEqual([]);
    await come(activity, '203.0.113.1');
    expect(await booked()).toEqual([[1000, 0, 1000]]);
    await activity.close();
    expect(await booked()).toEqual([[1001, 0, 1001]]);
  });

  test('a crowd that waits for the books waits for them together, and not for a booking each', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(app.database.db);
    for (let visitor = 0; visitor < 1000; visitor += 1) await come(activity, `2001:db8::${visitor}`);
    const transaction = vi.spyOn(transactionsOf(app.database.db), 'transaction');
    await Promise.all(Array.from({ length: 1100 }, (_, visitor) => come(activity, `2001:db8:1::${visitor}`)));
    const bookings = transaction.mock.calls.length;
    transaction.mockRestore();
    await activity.close();
    expect(await booked()).toEqual([[2100, 0, 2100]]);
    expect(bookings).toBe(2);
  });

  test('what cannot be booked is kept, and joined by what comes meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(failing(2));
    await come(activity, '203.0.113.1');
    await come(activity, '203.0.113.1', 'download');
    await activity.flush();
    expect(failures).toHaveLength(1);
    await come(activity, '203.0.113.1', 'download');
    await come(activity, '203.0.113.2');
    await activity.flush();
    expect(failures).toHaveLength(2);
    expect(await booked()).toEqual([]);
    await activity.flush();
    expect(await booked()).toEqual([[2, 2, 2]]);
    await activity.close();
  });

  test('what can never be booked is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(failing(5));
    await come(activity, '203.0.113.1');
    for (let turn = 0; turn < 7; turn += 1) await activity.flush();
    expect(failures).toHaveLength(5);
    expect(await booked()).toEqual([]);
    await come(activity, '203.0.113.1');
    await activity.close();
    expect(await booked()).toEqual([[1, 0, 1]]);
  });

  test('the end of the process waits for books that are never written no longer than a stop may', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stuck = new Proxy(app.database.db, {
      get(target, name) {
        if (name === 'transaction') return () => new Promise(() => undefined);
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const activity = activityOn(stuck);
    await come(activity, '203.0.113.1');
    const closing = activity.close();
    await vi.advanceTimersByTimeAsync(5000);
    await closing;
    expect(failures).toEqual([new Error('The last visits are not booked in time')]);
  });

  test('two servers that book one folder at once count every visitor once', async () => {
    const servers = [activityOn(app.database.db), activityOn(app.database.db)];
    for (let visitor = 0; visitor < 40; visitor += 1) {
      await Promise.all(servers.map((server) => come(server, `203.0.113.${visitor % 20}`)));
      if (visitor % 7 === 0) await Promise.all(servers.map((server) => server.flush()));
    }
    await Promise.all(servers.map((server) => server.close()));
    expect(failures).toEqual([]);
    expect(await booked()).toEqual([[20, 0, 20]]);
  });
});
