import { createHash, timingSafeEqual } from 'node:crypto';
import type { PrivateKeyOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { PASSPHRASE_TRIES, PASSPHRASE_TRIES_PER_CLIENT } from '@satchel/contract/limits';
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import type { KeptShares } from '../platform/key-shares.ts';
import { folders, passphrase_tries } from '../platform/schema.ts';
import { deleteInBatches } from './batches.ts';
import { type FoundKey, findKey, type KeyAddress, releaseKey } from './keys.ts';

/**
 * The proof that somebody knows a link's passphrase (CONTAINER §3). Wrong ones are counted, so that guessing is slow even
 * for who has the link; when an hour's tries are used up nobody gets in, since who guesses is not told apart.
 */

const HOUR = sql`interval '1 hour'`;
const NOW = sql`clock_timestamp()`;

/** Who proves what. */
export interface Proving {
  /** Of CONTAINER §3, base64url. */
  readonly proof: string;
  /** What its tries are counted under in a folder, which must not say who it is. */
  readonly pseudonymIn: (folderId: string) => string;
}

interface Tries {
  readonly left: number;
  /** Until there is a try again. */
  readonly waitSeconds: number;
}

/** The tries of a folder, and of one client in it: whoever has fewer left decides. */
async function triesOf(db: Queryable, folderId: string, client: string): Promise<Tries> {
  const wait = sql<number>`greatest(1, ceil(extract(epoch from ${passphrase_tries.tried_at} + ${HOUR} - ${NOW})))`;
  const wrong = await db
    .select({ waitSeconds: wait.mapWith(Number), client: passphrase_tries.client })
    .from(passphrase_tries)
    .where(and(eq(passphrase_tries.folder_id, folderId), gt(passphrase_tries.tried_at, sql`${NOW} - ${HOUR}`)))
    .orderBy(asc(passphrase_tries.tried_at));
  const own = wrong.filter((tried) => tried.client === client);
  const ofFolder = { left: PASSPHRASE_TRIES - wrong.length, waitSeconds: wrong[0]?.waitSeconds ?? 0 };
  const ofClient = { left: PASSPHRASE_TRIES_PER_CLIENT - own.length, waitSeconds: own[0]?.waitSeconds ?? 0 };
  if (ofFolder.left <= 0 && ofClient.left <= 0)
    return ofFolder.waitSeconds > ofClient.waitSeconds ? ofFolder : ofClient;
  return ofFolder.left < ofClient.left ? ofFolder : ofClient;
}

async function requireTries(db: Queryable, folderId: string, client: string): Promise<Tries> {
  const tries = await triesOf(db, folderId, client);
  if (tries.left > 0) return tries;
  const { waitSeconds } = tries;
  throw new AppError('key.no_tries_left', { minutes: Math.ceil(waitSeconds / 60), retry_after_seconds: waitSeconds });
}

/** Both are base64url of 32 bytes; the time that it takes says nothing about where they differ. */
const isProven = (proofHash: string, proof: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(Buffer.from(proof, 'base64url')).digest(),
    Buffer.from(proofHash, 'base64url'),
  );

/** Looks at a proof and counts a wrong one. The folder's lock lets one try be looked at after the other. */
async function tryProof(
  tx: Tx,
  address: KeyAddress,
  { proof, pseudonymIn }: Proving,
): Promise<FoundKey | { triesLeft: number }> {
  const { folder } = await findKey(tx, address);
  await tx.select({ id: folders.id }).from(folders).where(eq(folders.id, folder.id)).for('update');
  const found = await findKey(tx, address);
  const client = pseudonymIn(folder.id);
  const { left } = await requireTries(tx, folder.id, client);
  if (found.key.proof_hash === null || isProven(found.key.proof_hash, proof)) return found;
  await tx.insert(passphrase_tries).values({ folder_id: folder.id, tried_at: NOW, client });
  return { triesLeft: left - 1 };
}

/**
 * Releases a private link's part of the key to whoever proves that they know its passphrase.
 * @throws key.not_found, key.wrong_passphrase, key.no_tries_left
 */
export async function proveKey(
  { db, keyShares }: { db: Db; keyShares: KeptShares },
  address: KeyAddress,
  proving: Proving,
): Promise<PrivateKeyOutput> {
  const found = await findKey(db, address);
  // Without the lock: who hammers on a folder that has no passphrase, or whose tries are used up, holds up nobody.
  if (found.key.proof_hash === null) return releaseKey(keyShares, found);
  await requireTries(db, found.folder.id, proving.pseudonymIn(found.folder.id));
  const outcome = await inTransaction(db, (tx) => tryProof(tx, address, proving));
  // Thrown outside: inside it would take back the counting.
  if ('triesLeft' in outcome) throw new AppError('key.wrong_passphrase', { tries: outcome.triesLeft });
  return releaseKey(keyShares, outcome);
}

/** Forgets the tries that count no longer. */
export const forgetOldTries = (db: Queryable, signal?: AbortSignal): Promise<void> =>
  deleteInBatches(db, passphrase_tries, lte(passphrase_tries.tried_at, sql`now() - ${HOUR}`), signal);
