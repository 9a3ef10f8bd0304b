import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { requesterOfViewer } from '../../src/domain/access/folder-access.ts';
import { type Activity, createActivity } from '../../src/domain/activity/activity.ts';
import { type Db, rowsOf } from '../../src/platform/database/db.ts';
import { transactionsOf } from '../support/faults.ts';
import { makeFolder } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();
const mika = await app.signIn('mika');

describe('visits that are not saved yet', () => {
  let folder: Folder;
  let failures: unknown[];
  beforeEach(async () => {
    folder = await makeFolder(app, mika);
    failures = [];
  });
  afterEach(() => vi.useRealTimers());

  const activityOn = (db: Db) =>
    createActivity({ db, visitorSalts: app.deps.visitorSalts, report: (error) => failures.push(error) });

  /** A database whose transactions fail that many times before one succeeds. */
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
      requester: requesterOfViewer(null),
      stranger: { address, userAgent: 'Some Browser/1.0' },
      isVisit: true,
    });

  async function saved() {
    const rows = await app.database.db.execute(
      sql`select views, downloads, visitors from folder_activity where folder_id = ${folder.id}::uuid`,
    );
    return rowsOf<Record<string, unknown>>(rows).map((row) =>
      ['views', 'downloads', 'visitors'].map((name) => Number(row[name])),
    );
  }

  test('more visitors than the counters hold are all saved', async () => {
    // Fake timers: nothing is saved because of time, however slow this machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(app.database.db);
    for (let visitor = 0; visitor < 1000; visitor += 1) await come(activity, `2001:db8::${visitor}`);
    expect(await saved()).toEqual([]);
    await come(activity, '203.0.113.1');
    expect(await saved()).toEqual([[1000, 0, 1000]]);
    await activity.close();
    expect(await saved()).toEqual([[1001, 0, 1001]]);
  });

  test('a crowd waits for one transaction together, not for one each', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(app.database.db);
    for (let visitor = 0; visitor < 1000; visitor += 1) await come(activity, `2001:db8::${visitor}`);
    expect(await saved()).toEqual([]);
    const transaction = vi.spyOn(transactionsOf(app.database.db), 'transaction');
    await Promise.all(Array.from({ length: 1100 }, (_, visitor) => come(activity, `2001:db8:1::${visitor}`)));
    const saves = transaction.mock.calls.length;
    transaction.mockRestore();
    await activity.close();
    expect(await saved()).toEqual([[2100, 0, 2100]]);
    expect(saves).toBe(2);
  });

  test('what can’t be saved is kept, and joined by later visits', async () => {
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
    expect(await saved()).toEqual([]);
    await activity.flush();
    expect(await saved()).toEqual([[2, 2, 2]]);
    await activity.close();
  });

  test('what can never be saved is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const activity = activityOn(failing(5));
    await come(activity, '203.0.113.1');
    for (let turn = 0; turn < 7; turn += 1) await activity.flush();
    expect(failures).toHaveLength(5);
    expect(await saved()).toEqual([]);
    await come(activity, '203.0.113.1');
    await activity.close();
    expect(await saved()).toEqual([[1, 0, 1]]);
  });

  test('the process ends within the time of a stop, even if saving never succeeds', async () => {
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
    expect(failures).toEqual([new Error('visit counts not saved before the server stops')]);
  });

  test('two servers that save one folder at once count every visitor once', async () => {
    const servers = [activityOn(app.database.db), activityOn(app.database.db)];
    for (let visitor = 0; visitor < 40; visitor += 1) {
      await Promise.all(servers.map((server) => come(server, `203.0.113.${visitor % 20}`)));
      if (visitor % 7 === 0) await Promise.all(servers.map((server) => server.flush()));
    }
    await Promise.all(servers.map((server) => server.close()));
    expect(failures).toEqual([]);
    expect(await saved()).toEqual([[20, 0, 20]]);
  });
});
