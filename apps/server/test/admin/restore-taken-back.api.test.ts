import { createECDH } from 'node:crypto';
import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { backup } from '../../src/admin/backup/backup.ts';
import { type RestoreReport, restore } from '../../src/admin/backup/restore.ts';
import { fsck } from '../../src/admin/fsck.ts';
import { inviteToFolder } from '../../src/domain/sharing/invitations.ts';
import { pruneJournal, writeJournal } from '../../src/domain/taken-back.ts';
import { createTakenBackJournal, type JournalReader } from '../../src/platform/keys/taken-back-journal.ts';
import { takeFolder } from '../support/at-end.ts';
import { letIn, setAccess } from '../support/discord/guests.ts';
import { hoursFromNow, newKey, newPrivate } from '../support/folders.ts';
import { createKeyServiceSite } from '../support/keys/key-service-site.ts';
import { createOperatedApp, type OperatedApp, operate } from '../support/operators.ts';
import { createTus, deleteFolder, freshName, makeFolder, someBytes, sweepAll, upload } from '../support/storage-kit.ts';
import { type Account, createTestApp, idOf, type TestApp } from '../support/test-app.ts';

/** A restore of an older backup brings nothing back that people or operators took back after it was made. */

const journalDeps = ({ database: { db }, deps: { journal }, config: { tiers } }: TestApp) => ({ db, journal, tiers });
const noteAll = (app: TestApp) => writeJournal(journalDeps(app));

async function backUp({ database: { db }, deps: { blobs } }: TestApp): Promise<string> {
  const dir = join(await takeFolder(), 'backup');
  expect((await backup({ db, blobs, dir })).findings).toEqual([]);
  return dir;
}

interface Restored {
  readonly site: TestApp;
  readonly report: RestoreReport;
  readonly said: readonly string[];
}

/** A fresh site with the former one's key shares. */
async function restoreInto(dir: string, from: TestApp, journal: JournalReader = from.deps.journal): Promise<Restored> {
  const { keyShares } = from.deps;
  const site = await createTestApp({ env: { OPERATOR_DISCORD_IDS: from.config.operatorDiscordIds.join() } });
  const said: string[] = [];
  const { tiers, dataDir } = site.config;
  const { blobs } = site.deps;
  const { db } = site.database;
  const say = (line: string) => void said.push(line);
  const report = await restore({ db, blobs, keyShares, journal, tiers, dataDir, dir, say });
  const checked = { db, dataDir, blobs, keyShares, tiers, reads: 'hashes', pauseMs: 10 } as const;
  expect((await fsck(checked)).findings).toEqual([]);
  expect(await sweepAll(site)).toEqual([]);
  return { site, report, said };
}

const NOTHING: RestoreReport['taken_back'] = {
  accounts: 0,
  sessions: 0,
  folders: 0,
  files: 0,
  links: 0,
  settings: 0,
  guests: 0,
  invitations: 0,
  bans: 0,
  takedowns: 0,
  denied_files: 0,
  operator_keys: 0,
};

const isSignedIn = async (app: TestApp, as: Account) =>
  ((await (await app.call('GET', '/auth/v1/session', { as })).json()) as { session: unknown }).session !== null;
const dataOf = async (app: TestApp, { slug }: Folder, as?: Account) =>
  (await app.rpc<Record<string, unknown>>('get_folder_complete_data', { input_folder_slug: slug }, as)).body;
const statusOf = async (app: TestApp, { slug }: Folder, as?: Account) =>
  (await app.rpc('get_folder_complete_data', { input_folder_slug: slug }, as)).status;
const filesIn = async (app: TestApp, { bucket_storage_path: prefix }: Folder) => {
  const response = await app.call('POST', '/storage/v1/object/list/unlocked-folders', { body: { prefix } });
  return response.ok ? ((await response.json()) as { name: string }[]).map(({ name }) => name) : response.status;
};

async function discordFolder(app: TestApp, as: Account) {
  const { body } = await app.rpc<{ folder: Folder; temp_key_info: { api_token: string } }>(
    'create_folder_with_temp_key',
    { encryption_key: newKey() },
    as,
  );
  const key = `/bot/${body.folder.slug}/${body.temp_key_info.api_token}`;
  expect((await app.call('GET', key)).status).toBe(200);
  return { folder: body.folder, key };
}

async function putFile(app: TestApp, as: Account, folder: Folder, name = freshName()): Promise<string> {
  await upload(createTus(app, as), folder, name, someBytes(1000));
  return name;
}

/** One thing of each kind, with the act that takes it back, and what has to be true afterwards, there and after a restore. */
interface Kind {
  readonly counts: Partial<RestoreReport['taken_back']>;
  readonly make: (
    app: OperatedApp,
    owner: Account,
  ) => Promise<{
    readonly takeBack: () => Promise<unknown>;
    readonly isGone: (site: TestApp) => Promise<boolean>;
  }>;
}

const deny = { sha256: 'ab'.repeat(32), size_bytes: 1000, reason: 'Malware' };
const okay = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBeLessThan(300);

const KINDS: Readonly<Record<string, Kind>> = {
  'a sign-out': {
    counts: { sessions: 1 },
    make: async (app) => {
      const person = await app.signIn('signs-out');
      return {
        takeBack: () => okay(app.call('POST', '/auth/v1/logout', { as: person })),
        isGone: async (site) => !(await isSignedIn(site, person)),
      };
    },
  },
  'a deleted folder': {
    counts: { folders: 1 },
    make: async (app, owner) => {
      const folder = await makeFolder(app, owner);
      const name = await putFile(app, owner, folder);
      return {
        takeBack: () => deleteFolder(app, owner, folder),
        isGone: async (site) =>
          (await statusOf(site, folder)) === 404 &&
          (await site.call('GET', `/storage/v1/object/public/unlocked-folders/${folder.bucket_storage_path}/${name}`))
            .status === 404,
      };
    },
  },
  'a deleted file': {
    counts: { files: 1 },
    make: async (app, owner) => {
      const folder = await makeFolder(app, owner);
      const [kept, gone] = [await putFile(app, owner, folder), await putFile(app, owner, folder)];
      const path = `/storage/v1/object/unlocked-folders/${folder.bucket_storage_path}/${gone}`;
      const headers = { authorization: `Bearer ${owner.bearer}` };
      return {
        takeBack: () => okay(fetch(app.baseUrl + path, { method: 'DELETE', headers })),
        isGone: async (site) => JSON.stringify(await filesIn(site, folder)) === JSON.stringify([kept]),
      };
    },
  },
  'a Discord link that was revoked': {
    counts: { links: 1 },
    make: async (app, owner) => {
      const { folder, key } = await discordFolder(app, owner);
      return {
        takeBack: () => okay(app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, owner)),
        isGone: async (site) =>
          (await site.call('GET', key)).status === 404 && (await dataOf(site, folder)).folder_link_mode === 'revoked',
      };
    },
  },
  'a Discord link that was replaced': {
    counts: { links: 1 },
    make: async (app, owner) => {
      const { folder, key } = await discordFolder(app, owner);
      return {
        takeBack: () => okay(app.rpc('generate_temp_encryption_key', { folder_id: folder.id, ...newPrivate() }, owner)),
        isGone: async (site) => (await site.call('GET', key)).status === 404,
      };
    },
  },
  'a restriction': {
    counts: { settings: 1 },
    make: async (app, owner) => {
      const folder = await makeFolder(app, owner);
      return {
        takeBack: () => setAccess(app, owner, folder, 'restricted'),
        isGone: async (site) => (await statusOf(site, folder)) === 404 && (await statusOf(site, folder, owner)) === 200,
      };
    },
  },
  'guests and invitations of a folder that was closed': {
    counts: { guests: 1, invitations: 1 },
    make: async (app, owner) => {
      const folder = await makeFolder(app, owner);
      await setAccess(app, owner, folder, 'restricted');
      const cookie = await letIn(app, folder);
      const { db } = app.database;
      await inviteToFolder(db, owner, folder.id, { discord_id: 'invited', guild_id: null });
      const guest = { ...owner, cookie };
      expect(await statusOf(app, folder, guest)).toBe(200);
      return {
        takeBack: async () => {
          await setAccess(app, owner, folder, 'link');
          await setAccess(app, owner, folder, 'restricted');
        },
        isGone: async (site) =>
          (await statusOf(site, folder, guest)) === 404 &&
          (await site.query(sql`select from folder_shares where folder_id = ${folder.id}::uuid`)).length === 0,
      };
    },
  },
  'a nearer end': {
    counts: { settings: 1 },
    make: async (app, owner) => {
      const folder = await makeFolder(app, owner);
      const new_expires_at = hoursFromNow(1);
      return {
        takeBack: () => okay(app.rpc('update_folder_settings', { folder_id: folder.id, new_expires_at }, owner)),
        isGone: async (site) => (await dataOf(site, folder)).folder_expires_at === new_expires_at,
      };
    },
  },
  'a ban': {
    counts: { bans: 1, sessions: 1 },
    make: async (app) => {
      const person = await app.signIn('banned');
      const discord_id = idOf('banned');
      return {
        takeBack: () => okay(operate(app, app.olga, 'POST', '/bans', { discord_id, reason: 'Spam' })),
        isGone: async (site) =>
          !(await isSignedIn(site, person)) &&
          (await site.query<{ reason: string }>(sql`select reason from bans where discord_id = ${discord_id}`))[0]
            ?.reason === 'Spam',
      };
    },
  },
  'a takedown': {
    counts: { folders: 1, takedowns: 1 },
    make: async (app, owner) => {
      const folder = await makeFolder(app, owner);
      await putFile(app, owner, folder);
      return {
        takeBack: () =>
          okay(operate(app, app.olga, 'POST', '/takedowns', { folder_slug: folder.slug, reason: 'Malware' })),
        isGone: async (site) =>
          (await statusOf(site, folder)) === 410 &&
          JSON.stringify(await dataOf(site, folder)).includes('folder.taken_down'),
      };
    },
  },
  'denied bytes': {
    counts: { denied_files: 1 },
    make: async (app) => ({
      takeBack: () => okay(operate(app, app.olga, 'POST', '/denied_blobs', deny)),
      isGone: async (site) =>
        (await site.query(sql`select from denied_blobs where sha256 = ${deny.sha256}`)).length === 1,
    }),
  },
  'the key of an operator': {
    counts: { operator_keys: 1 },
    make: async (app) => {
      const made = await operate<{ id: string }>(app, app.olga, 'POST', '/operator_keys', {
        public_key: createECDH('prime256v1').generateKeys().toString('base64url'),
      });
      expect(made.status).toBe(201);
      return {
        takeBack: () => okay(operate(app, app.olga, 'DELETE', `/operator_keys/${made.body.id}`)),
        isGone: async (site) =>
          (await site.query(sql`select from operator_keys where id = ${made.body.id}::uuid`)).length === 0,
      };
    },
  },
  'a deleted account': {
    counts: { accounts: 1 },
    make: async (app) => {
      const person = await app.signIn('leaves');
      const folder = await makeFolder(app, person);
      await putFile(app, person, folder);
      return {
        takeBack: () => okay(app.call('DELETE', '/rest/v1/profiles/me', { as: person })),
        isGone: async (site) =>
          !(await isSignedIn(site, person)) &&
          (await statusOf(site, folder)) === 404 &&
          (await site.query(sql`select from profiles where id = ${person.profile_id}::uuid`)).length === 0,
      };
    },
  },
};

describe('what was taken back after the backup is gone after its restore', () => {
  test.each(Object.entries(KINDS))('%s', async (_, { counts, make }) => {
    const app = await createOperatedApp();
    const owner = await app.signIn('owner');
    await noteAll(app);
    const bystander = await makeFolder(app, owner);
    await putFile(app, owner, bystander);
    const { takeBack, isGone } = await make(app, owner);
    expect(await isGone(app)).toBe(false);
    const dir = await backUp(app);
    await takeBack();
    expect(await isGone(app)).toBe(true);
    await noteAll(app);

    const { site, report, said } = await restoreInto(dir, app);
    expect(report.taken_back).toEqual({ ...NOTHING, ...counts });
    expect(said).toEqual([]);
    expect(await isGone(site)).toBe(true);
    // Everything else is there, and open.
    expect(await isSignedIn(site, owner)).toBe(true);
    expect(await filesIn(site, bystander)).toHaveLength(1);
    expect(await site.query(sql`select from taken_back`)).toEqual([]);
  });

  test('not what was given back in the end, nor what ended by its own time, nor a link that came in place of another', async () => {
    const app = await createOperatedApp();
    const owner = await app.signIn('owner');
    await noteAll(app);
    const opened = await makeFolder(app, owner);
    const { folder, key } = await discordFolder(app, owner);
    const again = { folder_id: folder.id, encrypted_key: newKey() };
    const { body } = await app.rpc<{ api_token: string }>('generate_temp_encryption_key', again, owner);
    const discord_id = idOf('forgiven');
    await okay(operate(app, app.olga, 'POST', '/bans', { discord_id, reason: 'Spam' }));
    const dir = await backUp(app);
    await setAccess(app, owner, opened, 'restricted');
    await setAccess(app, owner, opened, 'link');
    await okay(operate(app, app.olga, 'DELETE', `/bans/${discord_id}`));
    await noteAll(app);

    const { site, report } = await restoreInto(dir, app);
    expect(report.taken_back).toEqual(NOTHING);
    expect(await statusOf(site, opened)).toBe(200);
    expect(await site.query(sql`select from bans`)).toEqual([]);
    expect((await site.call('GET', key)).status).toBe(404);
    expect((await site.call('GET', key.replace(/[^/]+$/, body.api_token))).status).toBe(200);
  });
});

describe('without the journal', () => {
  test.each([
    ['it is not there', (app: TestApp) => rm(join(app.config.keysDir, 'taken-back'), { recursive: true })],
    [
      'it was begun after the backup',
      async (app: TestApp) => {
        await rm(join(app.config.keysDir, 'taken-back'), { recursive: true });
        await noteAll(app);
      },
    ],
    [
      'it is another site’s',
      async (app: TestApp) => {
        const began_at = '2020-01-01T00:00:00.000Z';
        await app.deps.journal.begin({ site_id: '00000000-0000-4000-8000-000000000000', began_at });
      },
    ],
  ])(
    'because %s, all sessions and Discord links end, and folders open once their owners open them',
    async (_, lose) => {
      const app = await createOperatedApp();
      const owner = await app.signIn('owner');
      await noteAll(app);
      const plain = await makeFolder(app, owner);
      await putFile(app, owner, plain);
      const sealed = await makeFolder(app, owner, 'private');
      const { folder: discord, key } = await discordFolder(app, owner);
      const shut = await makeFolder(app, owner);
      await setAccess(app, owner, shut, 'restricted');
      const guest = { ...owner, cookie: await letIn(app, shut) };
      const dir = await backUp(app);
      await lose(app);

      const { site, report, said } = await restoreInto(dir, app);
      expect(said.join('\n')).toMatch(/journal .* lost[\s\S]*sessions end[\s\S]*Discord links end[\s\S]*restricted/);
      expect(report.taken_back).toEqual({ ...NOTHING, sessions: 3, links: 1, settings: 3 });
      expect(await isSignedIn(site, owner)).toBe(false);
      expect((await site.call('GET', key)).status).toBe(404);
      for (const folder of [plain, sealed, discord, shut]) expect(await statusOf(site, folder)).toBe(404);
      expect(await filesIn(site, plain)).toBe(404);
      expect(await statusOf(site, shut, guest)).toBe(404);

      const back = await site.signIn('owner');
      expect(await statusOf(site, plain, back)).toBe(200);
      await setAccess(site, back, plain, 'link');
      expect(await filesIn(site, plain)).toHaveLength(1);
    },
  );
});

describe('the journal', () => {
  test('loses nothing to a crash half-way through a line, and has no line twice in effect', async () => {
    const app = await createOperatedApp();
    const owner = await app.signIn('owner');
    await noteAll(app);
    const [first, second] = [await makeFolder(app, owner), await makeFolder(app, owner)];
    const dir = await backUp(app);
    await deleteFolder(app, owner, first);
    await noteAll(app);
    const days = join(app.config.keysDir, 'taken-back');
    const [day = ''] = (await readdir(days)).filter((name) => name.startsWith('20'));
    await appendFile(join(days, day), '{"at":"2026-');
    await deleteFolder(app, owner, second);
    await noteAll(app);
    const { report } = await restoreInto(dir, app);
    expect(report.taken_back).toEqual({ ...NOTHING, folders: 2 });
  });

  test('is written after what was taken back, in the same order, and then the database has it no more', async () => {
    const app = await createOperatedApp();
    const owner = await app.signIn('owner');
    const folder = await makeFolder(app, owner);
    await setAccess(app, owner, folder, 'restricted');
    await setAccess(app, owner, folder, 'link');
    await putFile(app, owner, folder);
    await deleteFolder(app, owner, folder);
    expect(await sweepAll(app)).toEqual([]);
    const { start, entries } = await app.deps.journal.read();
    expect(start).toMatchObject({ site_id: null });
    // The file went with its folder.
    expect(entries.map(({ kind, detail }) => [kind, detail?.access])).toEqual([
      ['settings', 'restricted'],
      ['settings', 'link'],
      ['folder', undefined],
    ]);
    expect(await app.query(sql`select from taken_back`)).toEqual([]);
  });

  test('is written by one at a time, though a server, its sweep and a command begin at once', async () => {
    const app = await createOperatedApp();
    const owner = await app.signIn('owner');
    const folders = await Promise.all(Array.from({ length: 3 }, () => makeFolder(app, owner)));
    for (const folder of folders) await deleteFolder(app, owner, folder);
    // Each has the files for itself, as another process has.
    const writers = Array.from({ length: 8 }, () => ({
      ...journalDeps(app),
      journal: createTakenBackJournal(app.config.keysDir),
    }));
    await Promise.all(writers.flatMap((deps) => [writeJournal(deps), pruneJournal(deps)]));
    const { entries } = await app.deps.journal.read();
    expect(entries.map(({ ref }) => ref)).toEqual(folders.map(({ id }) => id));
  });

  test('forgets what no backup can bring back, and keeps bans', async () => {
    const app = await createOperatedApp();
    await noteAll(app);
    const { journal } = app.deps;
    const at = '2020-01-02T00:00:00.000Z';
    const ban = (reason: string | null) => ({ at, kind: 'ban', ref: '1', detail: reason === null ? null : { reason } });
    const lifted = [
      { ...ban('Spam'), ref: '2' },
      { ...ban(null), ref: '2' },
    ];
    // A command line's session lives 90 days.
    const lately = new Date(Date.now() - 89 * 86_400_000).toISOString();
    const session = { at, kind: 'session', ref: 'x', detail: null };
    const ofDevice = { ...session, at: lately };
    await journal.append([session, ban('Spam'), ban('Worse'), ...lifted, ofDevice]);
    await pruneJournal(journalDeps(app));
    expect((await journal.read()).entries).toEqual([ban('Worse'), ofDevice]);
  });

  test('lies with the key service where there is one, and only a node may ask for it', async () => {
    const { node, owner, url, deps, sweep } = await createKeyServiceSite();
    const folder = await makeFolder(node, owner);
    await sweep();
    await deleteFolder(node, owner, folder);
    await sweep();
    expect((await fetch(`${url}/keys/v1/journal`)).status).toBe(401);
    const { keyService } = node.deps as unknown as { keyService: { journal: JournalReader } };
    expect(await keyService.journal.read()).toEqual(await deps.journal.read());
    expect((await deps.journal.read()).entries).toMatchObject([{ kind: 'folder', ref: folder.id }]);
    expect(await readdir(node.config.dataDir)).not.toContain('keys');
    expect(await readFile(join(deps.config.keysDir, 'taken-back', 'began.json'), 'utf8')).toContain('began_at');
  });
});
