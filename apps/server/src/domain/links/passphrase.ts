import { createHash, timingSafeEqual } from 'node:crypto';
import type { PrivateKeyOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { PASSPHRASE_TRIES, PASSPHRASE_TRIES_PER_CLIENT } from '@satchel/contract/limits';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import type { LocalKeyShares } from '../../platform/keys/key-shares.ts';
import { folders } from '../../platform/schema/folders.ts';
import { passphrase_tries } from '../../platform/schema/links.ts';
import { type FoundKey, findKey, type KeyAddress, releaseKey } from './keys.ts';

/**
 * Checks the proof of a link's passphrase (docs/container.md §3). Wrong proofs are counted, so that guessing is slow even for
 * those who have the link; when the tries of an hour are used up, no proof is accepted, since a guesser can't be told
 * apart.
 */

export const HOUR = sql`interval '1 hour'`;
const NOW = sql`clock_timestamp()`;

/** A proof and its sender. */
export interface Proving {
  /** The proof of docs/container.md §3, base64url. */
  readonly proof: string;
  /** The name under which a folder counts the tries of this client; it must not identify the client. */
  readonly pseudonymIn: (folderId: string) => string;
}

interface Tries {
  readonly left: number;
  /** Seconds until the next try is free. */
  readonly waitSeconds: number;
}

/** The tries left of a folder and of one client in it: the lower number counts. */
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

/** Both are base64url of 32 bytes; compared in constant time. */
const isProven = (proofHash: string, proof: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(Buffer.from(proof, 'base64url')).digest(),
    Buffer.from(proofHash, 'base64url'),
  );

/** Checks a proof and counts a wrong one. The folder's lock makes tries run one after the other. */
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
 * Returns a private link's key share to a client that proves its passphrase.
 * @throws key.not_found, key.wrong_passphrase, key.no_tries_left
 */
export async function proveKey(
  { db, keyShares }: { db: Db; keyShares: LocalKeyShares },
  address: KeyAddress,
  proving: Proving,
): Promise<PrivateKeyOutput> {
  const found = await findKey(db, address);
  // Checked without the lock: a flood on a folder without a passphrase, or without tries left, blocks no other request.
  if (found.key.proof_hash === null) return releaseKey(keyShares, found);
  await requireTries(db, found.folder.id, proving.pseudonymIn(found.folder.id));
  const outcome = await inTransaction(db, (tx) => tryProof(tx, address, proving));
  // Thrown outside the transaction: a throw inside would roll back the count.
  if ('triesLeft' in outcome) throw new AppError('key.wrong_passphrase', { tries: outcome.triesLeft });
  return releaseKey(keyShares, outcome);
}
