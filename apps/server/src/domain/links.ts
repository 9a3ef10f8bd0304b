import { randomUUID } from 'node:crypto';
import type { CreateFolderInput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { DISCORD_KEY_HOURS } from '@satchel/contract/limits';
import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import type { Db } from '../platform/db.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import type { KeyShares, ShareId } from '../platform/key-shares.ts';
import { temp_encryption_keys } from '../platform/schema.ts';
import { newToken } from '../platform/tokens.ts';
import type { FolderRow } from './folders.ts';

/** How a folder's link opens it, and what the database keeps for that (DESIGN R1, CONTAINER §3). */

export type KeyRow = typeof temp_encryption_keys.$inferSelect;

/** What a browser made a link of. */
export type Link =
  | { readonly mode: 'plain' }
  | { readonly mode: 'discord'; readonly key: string }
  | { readonly mode: 'private'; readonly sealedKey: string; readonly share: string; readonly proofHash: string | null };
export type KeyedLink = Exclude<Link, { mode: 'plain' }>;

type LinkFields = Pick<z.output<typeof CreateFolderInput>, 'sealed_key' | 'key_share' | 'proof_hash'>;

/** @param depositedKey the folder key itself, which makes it a Discord link */
export function linkOf(input: LinkFields, depositedKey: string | null | undefined): Link {
  if (depositedKey) return { mode: 'discord', key: depositedKey };
  const { sealed_key: sealedKey, key_share: share, proof_hash: proofHash = null } = input;
  if (!sealedKey || !share) return { mode: 'plain' };
  return { mode: 'private', sealedKey, share, proofHash };
}

export const toTempKeyInfo = (key: KeyRow): TempKeyInfo => ({
  api_token: key.api_token,
  expires_at: key.expires_at.toISOString(),
  created_at: key.created_at.toISOString(),
});

const HOUR_MS = 3_600_000;
/** No folder lives longer, whatever FOLDER_LIFETIME_HOURS says; and a date has room for it. */
const YEAR_HOURS = 24 * 365;
const sealedFor = (folder: FolderRow, expires_at: Date) => ({ folder_id: folder.id, slug: folder.slug, expires_at });
const earlier = (a: Date, b: Date | null): Date => (b !== null && b < a ? b : a);

/** Until when a key may stay, however long its folder lives; null for as long as that. */
function latestOf(link: KeyedLink, madeAt: Date, hours: number | null): Date | null {
  const atMost = link.mode === 'discord' ? DISCORD_KEY_HOURS : null;
  const lasts = hours ?? atMost;
  if (atMost !== null && lasts !== null && lasts > atMost) throw new AppError('key.lifetime', { hours: atMost });
  return lasts === null ? null : new Date(madeAt.getTime() + Math.min(lasts, YEAR_HOURS) * HOUR_MS);
}

/**
 * Writes a private link's share, before the database knows of it: a link without its share could never be opened, and a
 * share without a link is erased by the sweeper.
 */
export async function writeShare(keyShares: KeyShares, folderId: string, link: Link): Promise<ShareId | null> {
  if (link.mode !== 'private') return null;
  const id = { folder_id: folderId, share_id: randomUUID() };
  await keyShares.write(id, link.share);
  return id;
}

/**
 * Takes a share back that was written for nothing. Only after a refusal of ours: after anything else the database may
 * have committed all the same, and then the share is in use.
 */
export async function withdrawShare(keyShares: KeyShares, id: ShareId | null, error: unknown): Promise<void> {
  if (id && error instanceof AppError) await keyShares.erase(id);
}

export interface Deposit {
  readonly folder: FolderRow;
  readonly link: KeyedLink;
  readonly share: ShareId | null;
  readonly madeAt: Date;
  /** How long the key stays; null for as long as its kind may. */
  readonly hours: number | null;
}

/**
 * Keeps what a link needs, in the place of what an older one needed; its token is a new one.
 * @param tx a transaction that holds the folder's row
 * @throws key.lifetime
 */
export async function depositKey(tx: Db, keySealer: KeySealer, deposit: Deposit): Promise<KeyRow> {
  const { folder, link, share, madeAt, hours } = deposit;
  const latest_at = latestOf(link, madeAt, hours);
  const expires_at = earlier(folder.expires_at, latest_at);
  const values = {
    slug: folder.slug,
    encrypted_key: link.mode === 'discord' ? keySealer.seal(link.key, sealedFor(folder, expires_at)) : link.sealedKey,
    expires_at,
    latest_at,
    owner_user_id: folder.owner_profile_id,
    api_token: newToken(),
    created_at: madeAt,
    share_id: share?.share_id ?? null,
    proof_hash: link.mode === 'private' ? link.proofHash : null,
  };
  const [key] = await tx
    .insert(temp_encryption_keys)
    .values({ folder_id: folder.id, ...values })
    .onConflictDoUpdate({ target: temp_encryption_keys.folder_id, set: values })
    .returning();
  return key!;
}

/** The key of a Discord link; null when it was sealed under another secret than this server's, or was tampered with. */
export const openDeposit = (keySealer: KeySealer, folder: FolderRow, key: KeyRow): string | null =>
  keySealer.open(key.encrypted_key, sealedFor(folder, key.expires_at));

/** What changes in a key whose end changes; null when it can't be sealed anew. */
function reseal(keySealer: KeySealer, folder: FolderRow, key: KeyRow, expires_at: Date): Partial<KeyRow> | null {
  if (folder.link_mode !== 'discord') return { expires_at };
  const opened = openDeposit(keySealer, folder, key);
  return opened === null ? null : { expires_at, encrypted_key: keySealer.seal(opened, sealedFor(folder, expires_at)) };
}

/**
 * Makes a folder's key end with the folder, whose expiry has changed. A deposit that this server can't open is given up:
 * nobody could have fetched it any more, and its owner must be able to shorten the folder's life.
 * @param tx the transaction that has changed the folder
 */
export async function alignKey(tx: Db, keySealer: KeySealer, folder: FolderRow): Promise<void> {
  const own = eq(temp_encryption_keys.folder_id, folder.id);
  const [key] = await tx.select().from(temp_encryption_keys).where(own);
  if (!key) return;
  const expires_at = earlier(folder.expires_at, key.latest_at);
  if (expires_at.getTime() === key.expires_at.getTime()) return;
  const changes = reseal(keySealer, folder, key, expires_at);
  await (changes
    ? tx.update(temp_encryption_keys).set(changes).where(own)
    : tx.delete(temp_encryption_keys).where(own));
}
