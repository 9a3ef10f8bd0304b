import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTus, deleteFolder, freshName, makeFolder } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/** An upload that is lost while it is being created. */

let app: TestApp;
let mika: Account;
beforeAll(async () => {
  app = await createTestApp();
  mika = await app.signIn('mika');
});
afterAll(() => app.close());

/** Ends every connection of the app but the one that asks for it, with the locks that they hold. */
const loseConnections = () =>
  app.database.db.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );

test('leaves no blob when its connection is lost and its folder deleted before the blob is there', async () => {
  const folder = await makeFolder(app, mika);
  const { blobs } = app.deps;
  const create = blobs.create.bind(blobs);
  const made: string[] = [];
  Object.assign(blobs, {
    async create(blobKey: string) {
      await loseConnections();
      await deleteFolder(app, mika, folder);
      await create(blobKey);
      made.push(blobKey);
    },
  });
  const response = await createTus(app, mika).post({ name: freshName(), length: 100, folder });
  Object.assign(blobs, { create });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(made).toHaveLength(1);
  const { rows } = (await app.database.db.execute(sql`
    select blob_key from uploads union select blob_key from files union select blob_key from blob_removals`)) as unknown as {
    rows: { blob_key: string }[];
  };
  const claimed = rows.map(({ blob_key }) => blob_key);
  const stored = await blobs.list(made[0]!.slice(0, 2));
  expect(stored.filter(({ blob_key }) => !claimed.includes(blob_key))).toEqual([]);
});
