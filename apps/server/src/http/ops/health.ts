import { randomUUID } from 'node:crypto';
import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import type { FastifyPluginAsync } from 'fastify';
import { holdBlobs, purgeUnclaimed } from '../../domain/files/blob-purge.ts';
import { type BlobStore, wholeBlob } from '../../platform/blobs/blobs.ts';
import { type Database, type Db, newestMigration, rowsOf } from '../../platform/database/db.ts';
import type { KeyServiceClient } from '../../platform/keys/key-service.ts';
import type { LocalKeyShares } from '../../platform/keys/key-shares.ts';
import type { FreeSpace } from '../../platform/site/free-space.ts';
import { AWAY_RETRY_SECONDS } from '../errors.ts';
import type { Readiness } from './readiness.ts';

/** Health checks for operators and balancers (DESIGN §5, "Operations"; docs/operate.md). */

/** A part that has not answered by then counts as failed. */
const WITHIN_MS = 2000;
/** How long the verdict on a store counts. Balancers ask every second or so, and each look writes a byte. */
const WELL_FOR_MS = 5000;
const FAILED_FOR_MS = 1000;

/** What a server can't do without. */
export interface CheckDeps {
  readonly database: Database;
  /** Null on a key service, which stores no files. */
  readonly blobs: BlobStore | null;
  /** Null when a key service on another machine has them. */
  readonly keyShares: LocalKeyShares | null;
  /** Null when the keys are on this machine. */
  readonly keyService: KeyServiceClient | null;
  readonly freeSpace: FreeSpace;
  readonly report: (error: unknown, check: string) => void;
}

type CheckName = 'database' | 'migrations' | 'blob_store' | 'key_shares' | 'key_service' | 'free_space';
export type Verdicts = Readonly<Partial<Record<CheckName, 'ok' | 'failed'>>>;
type Check = readonly [name: CheckName, run: () => Promise<unknown>];

/** A newer schema fits this version, too: while nodes are restarted one by one, both run on it (decision 028). */
async function requireKnownSchema({ db }: Database): Promise<void> {
  const [row] = rowsOf<{ id: number }>(await db.execute(sql`select max(id) as id from migrations`));
  if ((row?.id ?? 0) < newestMigration) throw new Error('the schema is that of an earlier version');
}

/** Stores, reads and deletes a byte. In between it is in the queue of the sweep, which deletes what a crash leaves. */
async function tryBlobs(db: Db, blobs: BlobStore): Promise<void> {
  const key = randomUUID();
  await holdBlobs(db, [key]);
  try {
    await blobs.put(key, [Uint8Array.of(1)]);
    const reader = await blobs.open(wholeBlob(key), 1);
    const [byte] = await reader.read({ start: 0, end: 1 }).finally(() => reader.close());
    if (byte !== 1) throw new Error('the blob store answered other bytes than it was given');
  } finally {
    await purgeUnclaimed({ db, blobs }, key);
  }
}

/** The same for the key shares; one that a crash leaves belongs to no folder, and its sweep deletes it. */
async function tryKeyShares(keyShares: LocalKeyShares): Promise<void> {
  const id = { folder_id: randomUUID(), share_id: randomUUID() };
  await keyShares.write(id, 'health check');
  const share = await keyShares.read(id).finally(() => keyShares.delete(id));
  if (share === null) throw new Error('the key share is not there');
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

const isWell = (verdicts: Verdicts) => Object.values(verdicts).every((verdict) => verdict === 'ok');

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

export function createChecks(deps: CheckDeps): () => Promise<Verdicts> {
  const { database, blobs, keyShares, keyService, freeSpace, report } = deps;
  const cheap: Check[] = [
    ['database', () => database.db.execute(sql`select 1`)],
    ['migrations', () => requireKnownSchema(database)],
    ['free_space', () => requireSpace(freeSpace)],
  ];
  const stores: Check[] = [];
  if (blobs) stores.push(['blob_store', () => tryBlobs(database.db, blobs)]);
  if (keyShares) stores.push(['key_shares', () => tryKeyShares(keyShares)]);
  if (keyService) stores.push(['key_service', () => keyService.requireReady()]);
  const lookAtStores = remembered(() => run(stores, report));
  return async () => ({ ...(await run(cheap, report)), ...(await lookAtStores()) });
}

export interface HealthDeps {
  readonly check: () => Promise<Verdicts>;
  readonly readiness: Readiness;
}

/** `/healthz` says that the process answers, `/readyz` that all it depends on does, and which part does not. */
export function healthRoutes({ check, readiness }: HealthDeps): FastifyPluginAsync {
  return async (app) => {
    app.get(PATHS.healthz, async (_request, reply) => reply.type('text/plain').send('ok\n'));

    app.get(PATHS.readyz, async (_request, reply) => {
      const checks = await check();
      reply.header('cache-control', 'no-store');
      // A server that was asked to end still answers, and wants no further requests.
      if (isWell(checks) && !readiness.isOff) return reply.send({ checks });
      const error = new AppError('request.unavailable', { retry_after_seconds: AWAY_RETRY_SECONDS });
      return reply
        .code(error.status)
        .header('retry-after', AWAY_RETRY_SECONDS)
        .send({ ...error.toWire(), checks });
    });
  };
}
