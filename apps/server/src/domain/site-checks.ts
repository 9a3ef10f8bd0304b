import { sql } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs/blobs.ts';
import { type Database, type Db, newestMigration, rowsOf } from '../platform/database/db.ts';
import type { KeyServiceClient } from '../platform/keys/key-service.ts';
import type { LocalKeyShares } from '../platform/keys/key-shares.ts';
import type { FreeSpace } from '../platform/site/free-space.ts';
import { tryBlobs, tryKeyShares } from './try-stores.ts';

/**
 * Checks of what a site can't do without: of the parts of this node alone, and of parts that all nodes share. A shared part
 * that fails says nothing of the node: no other node would do better.
 */

/** A part that has not answered by then counts as failed. */
const WITHIN_MS = 2000;
/** How long the verdict on a store counts. Balancers ask every second or so, and each look writes a byte. */
const WELL_FOR_MS = 5000;
const FAILED_FOR_MS = 1000;

/** The store of files, and whether all nodes share it (BLOBS_URL). */
export interface CheckedStore {
  readonly blobs: BlobStore;
  readonly isShared: boolean;
}

export interface CheckDeps {
  readonly database: Pick<Database, 'db'>;
  /** Null on a key service, which stores no files. */
  readonly store: CheckedStore | null;
  /** Null when a key service on another machine has them. */
  readonly keyShares: LocalKeyShares | null;
  /** Null when the keys are on this machine. */
  readonly keyService: Pick<KeyServiceClient, 'requireReady'> | null;
  readonly freeSpace: FreeSpace;
  readonly report: (error: unknown, check: string) => void;
}

type CheckName = 'database' | 'migrations' | 'blob_store' | 'key_shares' | 'key_service' | 'free_space';
export type Verdicts = Readonly<Partial<Record<CheckName, 'ok' | 'failed'>>>;
type Check = readonly [name: CheckName, run: () => Promise<unknown>];

/** A newer schema fits this version, too: while nodes are restarted one by one, both run on it (decision 028). */
async function requireKnownSchema(db: Db): Promise<void> {
  const [row] = rowsOf<{ id: number }>(await db.execute(sql`select max(id) as id from migrations`));
  if ((row?.id ?? 0) < newestMigration) throw new Error('the schema belongs to an earlier version');
}

async function requireSpace(freeSpace: FreeSpace): Promise<void> {
  if (await freeSpace.isShort()) throw new Error('the disk is full');
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), WITHIN_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Runs checks at once. What needs the database to be tried counts as failed while that is away. */
async function run(checks: readonly Check[], report: CheckDeps['report']): Promise<Verdicts> {
  const look = async ([name, check]: Check) => {
    try {
      await inTime(check());
      return [name, 'ok'] as const;
    } catch (error) {
      report(error, name);
      return [name, 'failed'] as const;
    }
  };
  return Object.fromEntries(await Promise.all(checks.map(look)));
}

export const isWell = (verdicts: Verdicts) => Object.values(verdicts).every((verdict) => verdict === 'ok');

/** Gives all that ask within a few seconds the same verdicts, so that asking often costs no writes. */
function remembered(check: () => Promise<Verdicts>): () => Promise<Verdicts> {
  let known: Promise<Verdicts> | null = null;
  const forget = () => {
    known = null;
  };
  const look = async () => {
    const verdicts = await check();
    // From the answer on: a slow one is not asked for again while it is under way.
    setTimeout(forget, isWell(verdicts) ? WELL_FOR_MS : FAILED_FOR_MS).unref();
    return verdicts;
  };
  return () => {
    known ??= look();
    return known;
  };
}

export interface Checks {
  /** Of what this node has to itself, and of its way to the database, without which it can do next to nothing. */
  readonly own: () => Promise<Verdicts>;
  /** Of what all nodes share beside the database: a store with BLOBS_URL, a key service. */
  readonly shared: () => Promise<Verdicts>;
}

export function createChecks({ database: { db }, store, keyShares, keyService, freeSpace, report }: CheckDeps): Checks {
  const cheap: Check[] = [
    ['database', () => db.execute(sql`select 1`)],
    ['migrations', () => requireKnownSchema(db)],
    ['free_space', () => requireSpace(freeSpace)],
  ];
  const own: Check[] = [];
  const shared: Check[] = [];
  if (store) (store.isShared ? shared : own).push(['blob_store', () => tryBlobs(db, store.blobs)]);
  if (keyShares) own.push(['key_shares', () => tryKeyShares(keyShares)]);
  if (keyService) shared.push(['key_service', () => keyService.requireReady()]);
  const lookAtOwn = remembered(() => run(own, report));
  return {
    own: async () => ({ ...(await run(cheap, report)), ...(await lookAtOwn()) }),
    shared: remembered(() => run(shared, report)),
  };
}
