import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import {
  deleteCommand,
  exportCommand,
  migrateCommand,
  pseudonymCommand,
  restoreCommand,
  statusCommand,
  sweepCommand,
} from '../../src/admin/commands.ts';
import { ownShares } from '../../src/admin/site-access.ts';
import type { Status } from '../../src/admin/status.ts';
import { newestMigration, openForCommand, rowsOf } from '../../src/platform/database/db.ts';
import { lockSite } from '../../src/platform/site/site-lock.ts';
import { PROGRAM, programText } from '../../src/program.ts';
import { openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { freePort } from '../support/free-port.ts';
import { entryOf, INHERITED } from '../support/server-process.ts';
import { createTus, createUploadOf, makeFolder, storedBlobs } from '../support/storage-kit.ts';
import { createTestApp, idOf } from '../support/test-app.ts';
import { makeFiles } from '../support/uploads/still-kit.ts';

/** The operator's commands, by the settings of a server that runs. */

const databaseUrl = await takeDatabase();
const database = await openTestDatabase({ url: databaseUrl });
const app = await createTestApp({ env: { DATABASE_URL: databaseUrl }, deps: { database } });

/** Runs the entry as its own process, with settings only. */
const run = (...args: string[]) =>
  new Promise<{ code: number; out: string; errors: string }>((resolve) => {
    const { dataDir } = app.config;
    const env = { ...INHERITED, DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
    execFile(process.execPath, [entryOf('satchel-admin'), ...args], { env }, (error, out, errors) =>
      resolve({ code: error ? Number(error.code) : 0, out, errors }),
    );
  });

const yes = async () => true;

test.each([
  ['a file', import.meta.filename, 'a file is in its place'],
  ['a folder that /proc does not make', '/proc/nope/backup', 'this file system takes no folder there'],
])('a backup into %s is refused in one line', async (_, dir, why) => {
  const { code, out, errors } = await run('backup', dir);
  const line = `satchel: DIR: ${dir} can't be made or written (${why})\n`;
  expect({ code, out, errors }).toEqual({ code: 2, out: '', errors: line });
});

test('status has the figures of the books and of the store, the versions, and what is late', async () => {
  const mika = await app.signIn('status');
  const open = await createUploadOf(app, mika, 5000);
  expect((await createTus(app, mika).patch(open.url, 0, open.bytes.subarray(0, 1000))).status).toBe(204);
  await makeFolder(app, mika, 'private');
  const { code, out, errors } = await run('status', '--stored', '--json');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(JSON.parse(out)).toMatchObject({
    program: version,
    schema_step: newestMigration,
    program_step: newestMigration,
    figures: { profiles: 1, folders: 2, files: 0, open_uploads: 1, reserved_bytes: 5000 },
    keys: { private_links: 1, discord_links: 0, key_shares: 1 },
    stored: { parts: 1, bytes: 1000 },
    concerns: [],
  });

  const late = await makeFolder(app, mika);
  await app.database.db.execute(
    sql`update folders set expires_at = now() - interval '20 minutes' where id = ${late.id}::uuid`,
  );
  const { json, isFinding, lines, notes } = await statusCommand(app.config, false);
  expect((json as Status).concerns).toEqual(['sweep_late']);
  expect(isFinding).toBe(true);
  expect(lines).toContain('concern sweep_late');
  expect(notes.join()).toContain('is the server running?');
});

test('status names what all nodes share and what fails of it', async () => {
  const config = { ...app.config, keyServiceUrl: `http://127.0.0.1:${await freePort()}` };
  const { json, isFinding, lines, notes } = await statusCommand(config, false);
  expect(json).toMatchObject({ shared: { key_service: 'failed' }, concerns: expect.arrayContaining(['key_service']) });
  expect(isFinding).toBe(true);
  expect(lines).toEqual(expect.arrayContaining(['key_service failed', 'concern key_service']));
  expect(notes.join()).toContain('encrypted folders can’t be made');
});

test('status lists the store only when asked', async () => {
  const { json, lines } = await statusCommand(app.config, false);
  expect(json).toMatchObject({ stored: null });
  expect(lines.join()).not.toContain('stored_');
});

test('a pseudonym of the log is found by a Discord id, and by the id of the account', async () => {
  const mika = await app.signIn('pseudonym');
  await app.call('GET', '/auth/v1/user', { as: mika });
  const { user } = app.log.map((line) => JSON.parse(line)).find(({ route }) => route === '/auth/v1/user');
  for (const named of [idOf('pseudonym'), mika.profile_id]) {
    expect((await pseudonymCommand(app.config, named)).lines).toEqual([`user ${user}`]);
  }
  expect(await pseudonymCommand(app.config, '42')).toMatchObject({ isFinding: true, notes: ['no account 42'] });
});

test('a pseudonym needs the secret of the server, and a command makes none', async () => {
  const { code, out, errors } = await run('pseudonym', idOf('pseudonym'));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(errors).toMatch(/^satchel: SESSION_SECRET: is missing, and .*\/secrets has none that a server made\n$/);
  expect(existsSync(join(app.config.dataDir, 'secrets'))).toBe(false);
});

test('the program says which it is, without settings', async () => {
  const { code, out } = await run('--version');
  expect(code).toBe(0);
  expect(out).toMatch(/^satchel \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}(, changed)?|not known)\)\n$/);
  expect(out).toContain(programText(PROGRAM).split(' ')[0]);
});

test('what changes the stores is refused beside a server that has the site', async () => {
  const lock = await lockSite({
    url: databaseUrl,
    setting: 'DATABASE_URL',
    roles: ['site', 'keys'],
    dataDir: app.config.dataDir,
    name: 'the server of this test',
    report: () => undefined,
  });
  const refused = 'has the site of this database; stop it first';
  const tries = [
    sweepCommand(app.config),
    migrateCommand(app.config),
    restoreCommand(app.config, '/nowhere', () => undefined),
  ];
  const outcomes = await Promise.allSettled(tries);
  await lock.release();
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ reason: { message: expect.stringContaining(refused) } });
});

test('migrate brings the schema up, and says where it was', async () => {
  const former = await takeDatabase();
  const opened = await openForCommand(former);
  await opened.db.execute(sql`drop schema public cascade`);
  await opened.db.execute(sql`create schema public`);
  await opened.close();
  const config = { ...app.config, databaseUrl: former };
  const { json, isFinding } = await statusCommand(config, false);
  expect(json).toMatchObject({ schema_step: 0, figures: null, concerns: ['schema'] });
  expect(isFinding).toBe(true);
  expect((await migrateCommand(config)).json).toEqual({ from_step: 0, to_step: newestMigration });
  expect((await migrateCommand(config)).notes).toEqual([`the schema is at step ${newestMigration} already`]);
  expect((await statusCommand(config, false)).json).toMatchObject({ schema_step: newestMigration });
});

test('delete asks, and leaves nothing of the folder', async () => {
  const mika = await app.signIn('delete');
  const folder = await makeFolder(app, mika, 'private');
  await makeFiles(app, mika, folder, 2);
  const before = (await storedBlobs(app)).length;
  const asked: unknown[] = [];
  const no = async (found: object) => {
    asked.push(found);
    return false;
  };
  expect(await deleteCommand(app.config, folder.slug, no)).toMatchObject({ isFinding: true, json: { deleted: null } });
  expect(asked).toMatchObject([{ slug: folder.slug, file_count: 2 }]);
  expect(await run('delete', folder.slug)).toMatchObject({ code: 2, errors: expect.stringContaining('add --yes') });
  expect(await storedBlobs(app)).toHaveLength(before);

  expect(await deleteCommand(app.config, folder.slug, yes)).toMatchObject({ isFinding: false, json: { failures: [] } });
  expect(await storedBlobs(app)).toHaveLength(before - 2);
  const shares = await ownShares(app.config)!.list();
  expect(shares.filter(({ folder_id }) => folder_id === folder.id)).toEqual([]);
  const rows = await app.database.db.execute(sql`select from files where folder_id = ${folder.id}::uuid`);
  expect(rowsOf(rows)).toEqual([]);
  for (const slug of [folder.slug, 'not a slug', randomUUID()]) {
    expect(await deleteCommand(app.config, slug, yes)).toMatchObject({ isFinding: true, notes: [`no folder ${slug}`] });
  }
});

test('export prints what the person’s own export has, by account or by Discord id', async () => {
  const mika = await app.signIn('export');
  const folder = await makeFolder(app, mika);
  const printed = async (named: string) => {
    let text = '';
    const isThere = await exportCommand(app.config, named, async (piece) => {
      text += piece;
    });
    return isThere ? JSON.parse(text) : null;
  };
  const byId = await printed(mika.profile_id);
  expect(byId).toMatchObject({ profile: { email: 'export@example.org' }, folders: [{ id: folder.id }] });
  expect(await printed(idOf('export'))).toEqual({ ...byId, exported_at: expect.any(String) });
  expect(await printed(randomUUID())).toBeNull();
});
