import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { eq, or } from 'drizzle-orm';
import type { CommandConfig, Config, UnderstoodSetting } from '../config.ts';
import { exportOwnData } from '../domain/own-data.ts';
import { createChecks } from '../domain/site-checks.ts';
import { sweep, sweepFolders, sweepKeys } from '../domain/sweep.ts';
import { openBlobs } from '../platform/blobs/open-blobs.ts';
import { type Db, migrate, newestMigration, type Queryable, schemaStepOf } from '../platform/database/db.ts';
import { readKeptSecret, SESSION_SECRET } from '../platform/keys/kept-secret.ts';
import { createKeyServiceClient } from '../platform/keys/key-service.ts';
import type { KeyShares } from '../platform/keys/key-shares.ts';
import { createSharedVisitorSalts } from '../platform/keys/shared-visitor-salts.ts';
import { createTextSealer } from '../platform/keys/text-sealer.ts';
import { createTokens } from '../platform/keys/tokens.ts';
import { createVisitorSalts } from '../platform/keys/visitor-salts.ts';
import { profiles } from '../platform/schema/accounts.ts';
import { createFreeSpace } from '../platform/site/free-space.ts';
import { requireWritable } from '../platform/site/own-folders.ts';
import { ownRoles } from '../platform/site/shared-site.ts';
import { PROGRAM } from '../program.ts';
import { backup } from './backup/backup.ts';
import { linesOfReplay } from './backup/replay.ts';
import { restore } from './backup/restore.ts';
import type { BlobReads } from './check-blobs.ts';
import { deleteFound, type FolderFound, findFolderOfSlug } from './delete-folder.ts';
import { examine } from './doctor.ts';
import { type FindingKind, lineOf } from './findings.ts';
import { type FsckReport, fsck } from './fsck.ts';
import {
  CommandError,
  inPlaceOfServer,
  journalOf,
  ownJournal,
  ownShares,
  requireDataDir,
  requireNode,
  rolesOf,
  withDatabase,
} from './site-access.ts';
import { CONCERNS, readStatus, type Status } from './status.ts';

/** The operator's commands: each takes the settings and returns what is printed. */

export interface Outcome {
  /** What --json prints. */
  readonly json: object;
  /** What is printed for programs and people without it. */
  readonly lines: readonly string[];
  /** Said to people alone. */
  readonly notes: readonly string[];
  /** True for the exit code 1. */
  readonly isFinding: boolean;
}

const RECHECK_PAUSE_MS = 2000;

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Key shares that are deleted by the machine that has them, once no row names them. */
const LEFT_TO_KEY_SERVICE: KeyShares = {
  write: () => Promise.reject(new Error('The key service stores key shares')),
  delete: async () => undefined,
  deleteAll: async () => undefined,
};

function linesOfStatus({ figures, keys, shared, stored, concerns, ...versions }: Status): string[] {
  const all = {
    ...versions,
    ...figures,
    ...keys,
    ...shared,
    ...(stored && { stored_parts: stored.parts, stored_bytes: stored.bytes }),
  };
  const named = Object.entries(all).filter(([, value]) => value !== null);
  return [...named.map(([name, value]) => `${name} ${value}`), ...concerns.map((concern) => `concern ${concern}`)];
}

/** @param isStored true to list the store, too */
export async function statusCommand(config: CommandConfig, isStored: boolean): Promise<Outcome> {
  requireDataDir(config);
  if (isStored) requireNode(config);
  const status = await withDatabase(config, 'any', async ({ db }) => {
    const blobs = config.role === 'keys' ? null : await openBlobs(config);
    const { shared: checkShared } = createChecks({
      database: { db },
      store: blobs && { blobs, isShared: config.blobsUrl !== null },
      keyShares: null,
      // Whether it is ready is no secret, and asked without one.
      keyService:
        config.keyServiceUrl === null ? null : createKeyServiceClient({ url: config.keyServiceUrl, secret: '' }),
      freeSpace: createFreeSpace(config.dataDir, 0),
      report: () => undefined,
    });
    return readStatus({
      db,
      blobs: isStored ? blobs : null,
      keyShares: ownShares(config),
      checkShared,
      program: PROGRAM,
    });
  });
  const notes = status.concerns.map((concern) => `${concern}: ${CONCERNS[concern]}`);
  return { json: status, lines: linesOfStatus(status), notes, isFinding: status.concerns.length > 0 };
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`)
    .join(', ');

export function outcomeOf(report: FsckReport): Outcome {
  const { findings, checked, queued, elsewhere } = report;
  const kinds = Map.groupBy(findings, ({ kind }) => kind);
  const sums = [...kinds].map(([kind, all]: [FindingKind, readonly unknown[]]) => `${all.length} ${kind}`);
  const notes = [`checked ${counted(checked)}`];
  if (elsewhere.length > 0) notes.push(`not on this machine: ${elsewhere.join(', ').replaceAll('_', ' ')}`);
  if (Object.values(queued).some((count) => count > 0)) notes.push(`for the next sweeps: ${counted(queued)}`);
  notes.push(sums.length === 0 ? 'no findings' : `findings: ${sums.join(', ')}`);
  return { json: report, lines: findings.map(lineOf), notes, isFinding: findings.length > 0 };
}

export async function fsckCommand(config: CommandConfig, reads: BlobReads): Promise<Outcome> {
  const { role, dataDir, tiers } = config;
  requireDataDir(config);
  const report = await withDatabase(config, 'own', async ({ db }) =>
    fsck({
      db,
      dataDir,
      blobs: role === 'keys' ? null : await openBlobs(config),
      keyShares: ownShares(config),
      tiers,
      reads,
      pauseMs: RECHECK_PAUSE_MS,
    }),
  );
  return outcomeOf(report);
}

export async function backupCommand(config: CommandConfig, to: string, isRowsOnly: boolean): Promise<Outcome> {
  requireNode(config);
  requireDataDir(config);
  const dir = resolve(to);
  const done = await withDatabase(config, 'own', async ({ db }) =>
    backup({ db, blobs: isRowsOnly ? null : await openBlobs(config), dir }),
  );
  const notes = [
    `${done.rows} rows and ${done.blobs} files (${done.bytes} bytes, ${done.linked} of them linked) are in ${dir}`,
    'it has no key shares: without KEYS_DIR its encrypted folders stay closed',
  ];
  if (done.deleted_during_backup > 0)
    notes.push(`${done.deleted_during_backup} files were deleted while the backup ran`);
  return { json: done, lines: done.findings.map(lineOf), notes, isFinding: done.findings.length > 0 };
}

/** @param say is called with each thing that has to be known before the restore begins */
export async function restoreCommand(
  config: CommandConfig,
  from: string,
  say: (line: string) => void,
): Promise<Outcome> {
  requireNode(config);
  await requireWritable('DATA_DIR', config.dataDir);
  const { dataDir, tiers } = config;
  const keyShares = ownShares(config);
  const done = await inPlaceOfServer(config, rolesOf(config), () =>
    withDatabase(config, 'any', async ({ db }) =>
      restore({
        db,
        blobs: await openBlobs(config),
        keyShares,
        journal: journalOf(config),
        tiers,
        dataDir,
        dir: resolve(from),
        say,
      }),
    ),
  );
  const { files, stills, open_uploads, private_links } = done.dropped;
  const { damaged, missing } = done;
  const notes = [
    `${done.rows} rows and ${done.blobs} files (${done.bytes} bytes) are as they were at ${done.made_at}`,
    ...(files + stills + open_uploads > 0
      ? [`without bytes, and so dropped: ${files} files, ${stills} stills, ${open_uploads} open uploads`]
      : []),
    ...linesOfReplay(done.taken_back),
    ...(missing > 0 ? [`files that the backup has lost: ${missing}`] : []),
    keyShares === null
      ? 'private links open where the key service still has their key shares; run fsck there'
      : `private links without their key share in KEYS_DIR, which end with it: ${private_links}`,
    'links for Discord open only under the KEY_SEALING_SECRET that they were made with',
  ];
  const lines = damaged.map((blob) => `backup_blob_damaged blob=${blob}`);
  return { json: done, lines, notes, isFinding: damaged.length + missing > 0 };
}

export async function migrateCommand(config: CommandConfig): Promise<Outcome> {
  const run = () =>
    withDatabase(config, 'any', async ({ db }) => {
      const from_step = await schemaStepOf(db);
      await migrate(db);
      return { from_step, to_step: newestMigration };
    });
  const isAlone = config.blobsUrl === null && config.role !== 'keys';
  const done = await (isAlone ? inPlaceOfServer(config, ['site'], run) : run());
  const note =
    done.from_step === done.to_step
      ? `the schema is at step ${done.to_step} already`
      : `the schema is at step ${done.to_step}, it was at ${done.from_step}`;
  return { json: done, lines: [], notes: [note], isFinding: false };
}

async function sweepOnce(config: CommandConfig, db: Db, report: (error: unknown) => void): Promise<void> {
  const { tiers, dataDir } = config;
  const keyShares = ownShares(config, report);
  const journal = ownJournal(config);
  if (config.role === 'keys') {
    if (keyShares && journal) await sweepKeys({ db, keyShares, journal, tiers }, report);
    return;
  }
  const visitorSalts =
    config.blobsUrl === null
      ? createVisitorSalts({ dir: join(dataDir, 'visitor-salts'), report })
      : // A sweep deletes salts and opens none.
        createSharedVisitorSalts({ db, sealer: createTextSealer(randomBytes(32), 'visitor salts') });
  const deps = { db, blobs: await openBlobs(config), visitorSalts };
  if (keyShares && journal) await sweep({ ...deps, keyShares, journal, tiers }, report);
  else await sweepFolders({ ...deps, keyShares: LEFT_TO_KEY_SERVICE }, report);
}

export async function sweepCommand(config: CommandConfig): Promise<Outcome> {
  requireDataDir(config);
  const failures: string[] = [];
  const run = () =>
    withDatabase(config, 'own', ({ db }) => sweepOnce(config, db, (error) => failures.push(words(error))));
  const alone = ownRoles(config);
  await (alone.length > 0 ? inPlaceOfServer(config, alone, run) : run());
  const notes = failures.length > 0 ? failures.map((failure) => `left to the next sweep: ${failure}`) : ['swept'];
  return { json: { failures }, lines: [], notes, isFinding: failures.length > 0 };
}

/** @param ask is asked before anything is deleted */
export async function deleteCommand(
  config: CommandConfig,
  slug: string,
  ask: (folder: FolderFound) => Promise<boolean>,
): Promise<Outcome> {
  requireNode(config);
  requireDataDir(config);
  const failures: string[] = [];
  const report = (error: unknown) => void failures.push(words(error));
  return withDatabase(config, 'own', async ({ db }) => {
    const folder = await findFolderOfSlug(db, slug);
    if (folder === null) return { json: { deleted: null }, lines: [], notes: [`no folder ${slug}`], isFinding: true };
    if (!(await ask(folder)))
      return { json: { deleted: null }, lines: [], notes: ['nothing is deleted'], isFinding: true };
    const keyShares = ownShares(config, report) ?? LEFT_TO_KEY_SERVICE;
    const isDeleted = await deleteFound({ db, blobs: await openBlobs(config), keyShares }, folder, report);
    const notes = [
      isDeleted ? `${slug} is deleted: ${folder.file_count} files, ${folder.size_bytes} bytes` : `no folder ${slug}`,
    ];
    if (config.keyServiceUrl !== null) notes.push('the key service deletes its key share within minutes');
    for (const failure of failures) notes.push(`left to the next sweep: ${failure}`);
    return { json: { deleted: isDeleted ? folder : null, failures }, lines: [], notes, isFinding: !isDeleted };
  });
}

const IS_UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function findProfile(db: Queryable, named: string): Promise<string | null> {
  const byDiscord = eq(profiles.discord_id, named);
  const [found] = await db
    .select({ id: profiles.id })
    .from(profiles)
    .where(IS_UUID.test(named) ? or(eq(profiles.id, named), byDiscord) : byDiscord);
  return found?.id ?? null;
}

/** No session is this one's. */
const NO_SESSION = '00000000-0000-0000-0000-000000000000';

/**
 * Prints in pieces, since an account may have more files than fit into memory.
 * @returns false when there is no such account
 */
export async function exportCommand(
  config: CommandConfig,
  named: string,
  print: (piece: string) => Promise<void>,
): Promise<boolean> {
  return withDatabase(config, 'own', async ({ db }) => {
    const profile_id = await findProfile(db, named);
    if (profile_id === null) return false;
    for await (const piece of await exportOwnData(db, { profile_id, session_id: NO_SESSION })) await print(piece);
    return true;
  });
}

export async function doctorCommand(config: Config, now?: () => number): Promise<Outcome> {
  const checks = await examine(config, now);
  const lines = checks.map(({ check, verdict, text }) => `${verdict.padEnd(8)}${check.padEnd(12)}${text}`);
  return { json: { checks }, lines, notes: [], isFinding: checks.some(({ verdict }) => verdict === 'failed') };
}

const settingLine = ({ name, value, is_default }: UnderstoodSetting): string =>
  `${name} ${value ?? 'not set'}${is_default ? ' (default)' : ''}`;

/** Says what was understood of the settings. */
export function settingsCommand(settings: readonly UnderstoodSetting[]): Outcome {
  return { json: { settings }, lines: settings.map(settingLine), notes: [], isFinding: false };
}

/** The secret that a server with these settings has; a command makes none. */
async function sessionSecretOf({ sessionSecret, dataDir }: CommandConfig): Promise<Buffer> {
  const options = { setting: sessionSecret, dir: join(dataDir, 'secrets'), name: SESSION_SECRET };
  const secret = await readKeptSecret(options);
  if (secret === null)
    throw new CommandError(`SESSION_SECRET: is missing, and ${options.dir} has none that a server made`);
  return secret;
}

export async function pseudonymCommand(config: CommandConfig, named: string): Promise<Outcome> {
  requireNode(config);
  const secret = await sessionSecretOf(config);
  const profile_id = await withDatabase(config, 'own', ({ db }) => findProfile(db, named));
  if (profile_id === null) return { json: { user: null }, lines: [], notes: [`no account ${named}`], isFinding: true };
  const user = createTokens(secret).hashForLog(profile_id);
  return { json: { user }, lines: [`user ${user}`], notes: [], isFinding: false };
}
