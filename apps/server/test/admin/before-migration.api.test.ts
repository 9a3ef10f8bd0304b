import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { migrateTo, newestMigration, openForCommand, schemaStepOf } from '../../src/platform/database/db.ts';
import { atEnd, takeDatabase, takeFolder } from '../support/at-end.ts';
import { createServerProcesses } from '../support/server-process.ts';

/** Real starts of the server, by their settings alone. */

test('a start that has to migrate keeps the rows of before; another start keeps none', async () => {
  const url = await takeDatabase();
  const { db, close } = await openForCommand(url);
  atEnd(close);
  await db.execute(sql`drop schema public cascade`);
  await db.execute(sql`create schema public`);
  await migrateTo(db, newestMigration - 1);
  await db.execute(sql`insert into profiles (discord_id) values ('77')`);
  const dataDir = await takeFolder();
  const servers = createServerProcesses(() => ({ DATABASE_URL: url, DATA_DIR: dataDir }));
  for (let start = 0; start < 2; start += 1) {
    const server = await servers.started();
    expect(await schemaStepOf(db)).toBe(newestMigration);
    const [kept, ...others] = await readdir(join(dataDir, 'backups'));
    expect(kept).toMatch(new RegExp(`-step-${newestMigration - 1}$`));
    expect(others).toEqual([]);
    expect(server.output.text.includes('rows backed up')).toBe(start === 0);
    await server.kill();
  }
});
