import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { migrateTo, newestMigration, openForCommand, schemaStepOf } from '../../src/platform/database/db.ts';
import { createServerProcesses } from '../support/server-process.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Real starts of the server, by their settings alone. */

test('a start that has to migrate keeps the rows of before; another start keeps none', async () => {
  const former = await createTestDatabase();
  const { db, close } = await openForCommand(former.url);
  await db.execute(sql`drop schema public cascade`);
  await db.execute(sql`create schema public`);
  await migrateTo(db, newestMigration - 1);
  await db.execute(sql`insert into profiles (discord_id) values ('77')`);
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-start-'));
  const servers = createServerProcesses(() => ({ DATABASE_URL: former.url, DATA_DIR: dataDir }));
  for (let start = 0; start < 2; start += 1) {
    const server = await servers.started();
    expect(await schemaStepOf(db)).toBe(newestMigration);
    const [kept, ...others] = await readdir(join(dataDir, 'backups'));
    expect(kept).toMatch(new RegExp(`-step-${newestMigration - 1}$`));
    expect(others).toEqual([]);
    expect(server.output.text.includes('rows backed up')).toBe(start === 0);
    await server.kill();
  }
  await servers.killAll();
  await close();
  await former.drop();
});
