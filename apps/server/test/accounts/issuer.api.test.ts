import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { beginSession } from '../../src/domain/accounts/sessions.ts';
import { adoptIssuer, issuerOf } from '../../src/domain/issuer.ts';
import { openTestDatabase, takeDatabase, takeFolder } from '../support/at-end.ts';
import { createGrant } from '../support/discord/guests.ts';
import { createServerProcesses } from '../support/server-process.ts';
import { createTus, freshName, makeFolder } from '../support/storage-kit.ts';
import { type Account, beginSessionAs, createTestApp, idOf, type TestApp } from '../support/test-app.ts';

/** A database that was filled under one Discord, the sandbox or another application, and then gets another. */

const SANDBOX = { DISCORD_API_URL: 'http://localhost:3001/api/v10', DISCORD_CLIENT_ID: '1' };
const DISCORD = { DISCORD_API_URL: 'https://discord.com/api/v10', DISCORD_CLIENT_ID: '2' };
const REAL = { api_host: 'discord.com', client_id: '2' };
const NONE = {
  before: { api_host: 'localhost', client_id: '1' },
  sessions: 0,
  grants: 0,
  guests: 0,
  intents: 0,
  accounts_set_aside: 0,
  accounts_returned: 0,
};

async function createSite() {
  const database = await openTestDatabase();
  /** The site under these settings, as a start makes it. */
  const under = async (settings: Record<string, string>) => {
    const app = await createTestApp({ env: { OPERATOR_DISCORD_IDS: idOf('mika'), ...settings }, deps: { database } });
    return { app, ended: await adoptIssuer(database.db, issuerOf(app.config.discord)) };
  };
  return { database, under };
}

const isSignedIn = async (app: TestApp, as: Account) => (await app.call('GET', '/auth/v1/user', { as })).status === 200;
const mayOperate = async (app: TestApp, as: Account) => (await app.call('GET', '/operator/v1/site', { as })).status;

test('a person signed in by the sandbox is not signed in to the real site, and is no operator there', async () => {
  const { under } = await createSite();
  const tried = await under(SANDBOX);
  expect(tried.ended).toBeNull();
  const persona = await tried.app.signIn('mika');
  const folder = await makeFolder(tried.app, persona);
  expect(await mayOperate(tried.app, persona)).toBe(200);

  const { app, ended } = await under(DISCORD);
  expect(ended).toEqual({ ...NONE, sessions: 1, accounts_set_aside: 1 });
  expect(await isSignedIn(app, persona)).toBe(false);
  expect(await mayOperate(app, persona)).toBe(404);
  // The bearer of the session that has ended, too.
  expect((await createTus(app, persona).post({ folder, name: freshName(), length: 1 })).status).toBe(401);
  // Whoever has the same id at Discord is another person.
  const real = await app.signIn('mika');
  expect(real.profile_id).not.toBe(persona.profile_id);
});

test('what is known of an id of the sandbox counts for nobody else, and is back when the sandbox is', async () => {
  const { database, under } = await createSite();
  const { app } = await under(SANDBOX);
  const persona = await app.signIn('mika');
  const folder = await makeFolder(app, persona);
  const someone = idOf('jonas');
  await database.db.execute(sql`insert into bans (discord_id, reason) values (${someone}, 'spam')`);
  await database.db.execute(sql`insert into operator_keys (discord_id, public_key) values (${idOf('mika')}, 'x')`);
  await database.db.execute(
    sql`insert into folder_shares (folder_id, discord_id, guild_id) values (${folder.id}::uuid, ${someone}, '31')`,
  );
  await database.db.execute(
    sql`insert into operator_acts (operator_discord_id, act, target) values (${idOf('mika')}, 'ban', ${someone})`,
  );
  const idsOf = () =>
    app.query(sql`
      select discord_id from profiles union all select discord_id from bans union all
      select discord_id from operator_keys union all select discord_id from folder_shares union all
      select guild_id from folder_shares union all select operator_discord_id from operator_acts union all
      select target from operator_acts`);
  const before = await idsOf();
  expect(before).toHaveLength(7);

  await under(DISCORD);
  for (const { discord_id } of (await idsOf()) as { discord_id: string }[]) {
    expect(discord_id).toMatch(/^\d+@localhost$/);
  }
  // Another port of this machine is still the sandbox.
  const { ended } = await under({ ...SANDBOX, DISCORD_API_URL: 'http://127.0.0.1:4001/api/v10' });
  expect(ended).toEqual({ ...NONE, before: REAL, accounts_returned: 1 });
  expect(await idsOf()).toEqual(before);
  expect((await app.signIn('mika')).profile_id).toBe(persona.profile_id);
});

test('another application of the same Discord ends sessions, grants and guests, and people keep their accounts', async () => {
  const { database, under } = await createSite();
  const { app } = await under(DISCORD);
  const mika = await app.signIn('mika');
  const folder = await makeFolder(app, mika);
  await createGrant(database.db, folder.id);
  await database.db.execute(
    sql`insert into folder_guests (folder_id, holder_hash) values (${folder.id}::uuid, 'a browser')`,
  );
  await database.db.execute(sql`
    insert into upload_intents (discord_id, link_mode, reply_token, language, expires_at)
    values (${idOf('mika')}, 'private', 'sealed', 'en', now() + interval '5 minutes')`);

  const { ended } = await under({ ...DISCORD, DISCORD_CLIENT_ID: '3' });
  expect(ended).toEqual({ ...NONE, before: REAL, sessions: 1, grants: 1, guests: 1, intents: 1 });
  expect(await isSignedIn(app, mika)).toBe(false);
  const again = await app.signIn('mika');
  expect(again.profile_id).toBe(mika.profile_id);
  expect((await under({ ...DISCORD, DISCORD_CLIENT_ID: '3' })).ended).toBeNull();
  expect(await isSignedIn(app, again)).toBe(true);
});

test('the start of a server does so, and says how many', async () => {
  const databaseUrl = await takeDatabase();
  const dataDir = await takeFolder();
  const { started } = createServerProcesses(() => ({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }));
  const first = await started(SANDBOX);
  await first.kill();
  const { db, close } = await openTestDatabase({ url: databaseUrl });
  const { viewer } = await beginSessionAs(db, 'mika');
  await beginSession(db, viewer.profile_id);
  await close();

  const second = await started(DISCORD);
  expect(second.output.text).toContain(
    'the site has another Discord or application than before (localhost, 1): 2 sessions, 0 grants, 0 guests, 0 intents ended, 1 account set aside, 0 accounts returned',
  );
  await second.kill();
  const third = await started(DISCORD);
  expect(third.output.text).not.toContain('than before');
});
