import { randomUUID } from 'node:crypto';
import type { CreateFolderInput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { DISCORD_KEY_HOURS, HOUR_MS } from '@satchel/contract/limits';
import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { databaseTime } from '../../platform/database/db.ts';
import type { KeySealer, OpeningSealer, SealedFor } from '../../platform/keys/key-sealer.ts';
import type { KeyShareId, KeyShares } from '../../platform/keys/key-shares.ts';
import { newToken } from '../../platform/keys/tokens.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';
import type { FolderRow } from '../access/find-folder.ts';

/** The kinds of links to a folder, and what the database stores for each (docs/container.md §3). */

export type KeyRow = typeof temp_encryption_keys.$inferSelect;

/** A link as a browser made it. */
export type Link =
  | { readonly mode: 'plain' }
  /** `keys`: the folder keys in hex, newest first, one after the other. */
  | { readonly mode: 'discord'; readonly keys: string }
  | { readonly mode: 'private'; readonly sealedKey: string; readonly share: string; readonly proofHash: string | null };
export type KeyedLink = Exclude<Link, { mode: 'plain' }>;

type LinkFields = Pick<z.output<typeof CreateFolderInput>, 'sealed_key' | 'key_share' | 'proof_hash' | 'earlier_keys'>;

/** @param depositedKey the folder key itself; with it, the link is a Discord link */
export function linkOf(input: LinkFields, depositedKey: string | null | undefined): Link {
  if (depositedKey) return { mode: 'discord', keys: [depositedKey, ...(input.earlier_keys ?? [])].join('') };
  const { sealed_key: sealedKey, key_share: share, proof_hash: proofHash = null } = input;
  if (!sealedKey || !share) return { mode: 'plain' };
  return { mode: 'private', sealedKey, share, proofHash };
}

export const toTempKeyInfo = (key: KeyRow): TempKeyInfo => ({
  api_token: key.api_token,
  expires_at: key.expires_at.toISOString(),
  created_at: key.created_at.toISOString(),
});

/** Upper bound of a lifetime, even if FOLDER_LIFETIME_HOURS is longer; a date has room for it. */
const YEAR_HOURS = 24 * 365;
const sealedFor = (folder: KeyedFolder, expires_at: Date) => ({ folder_id: folder.id, slug: folder.slug, expires_at });
const earlier = (a: Date, b: Date | null): Date => (b !== null && b < a ? b : a);

/** The latest end of a key, however long its folder lives; null for no end of its own. */
function latestOf(link: KeyedLink, madeAt: Date, hours: number | null): Date | null {
  const atMost = link.mode === 'discord' ? DISCORD_KEY_HOURS : null;
  const lasts = hours ?? atMost;
  if (atMost !== null && lasts !== null && lasts > atMost) throw new AppError('key.lifetime', { hours: atMost });
  return lasts === null ? null : new Date(madeAt.getTime() + Math.min(lasts, YEAR_HOURS) * HOUR_MS);
}

/** The columns of a folder that its key depends on. */
type KeyedFolder = Pick<FolderRow, 'id' | 'slug' | 'expires_at'>;
interface SealedKey {
  readonly text: string;
  readonly expires_at: Date;
}

/** A link whose key share is written or whose key is sealed, before the database stores it. */
export interface PreparedLink {
  readonly link: KeyedLink;
  readonly madeAt: Date;
  readonly latest_at: Date | null;
  /** The key share of a private link. */
  readonly share: KeyShareId | null;
  /** The sealed key of a Discord link. */
  readonly sealed: SealedKey | null;
}

/**
 * Writes a private link's key share before the link: a link without its key share could never be opened, and the
 * sweeper purges a key share without a link.
 */
async function writeShare(keyShares: KeyShares, folderId: string, share: string): Promise<KeyShareId> {
  const id = { folder_id: folderId, share_id: randomUUID() };
  await keyShares.write(id, share).catch(async (error: unknown) => {
    // The write may have succeeded although its answer was lost.
    await keyShares.delete(id).catch(() => undefined);
    throw error;
  });
  return id;
}

/**
 * Writes the key share or seals the key of a new link. This runs before the transaction that stores the link: the key
 * service may be on another machine, and no transaction should hold rows and a connection while waiting for it.
 * @param start.hours how long the key stays; null for the longest time that its kind allows
 * @throws key.lifetime, request.unavailable
 */
export async function prepareLink(
  { keyShares, keySealer }: { keyShares: KeyShares; keySealer: KeySealer },
  folder: KeyedFolder,
  { link, madeAt, hours }: { link: KeyedLink; madeAt: Date; hours: number | null },
): Promise<PreparedLink> {
  const latest_at = latestOf(link, madeAt, hours);
  const prepared = { link, madeAt, latest_at };
  if (link.mode === 'private') {
    return { ...prepared, share: await writeShare(keyShares, folder.id, link.share), sealed: null };
  }
  const expires_at = earlier(folder.expires_at, latest_at);
  const text = await keySealer.seal(link.keys, sealedFor(folder, expires_at));
  return { ...prepared, share: null, sealed: { text, expires_at } };
}

/**
 * Deletes the key share of a link that was refused. Only after an AppError: after any other error the database may have
 * committed, and then the key share is in use.
 */
export async function deleteUnclaimedShare(keyShares: KeyShares, id: KeyShareId | null, error: unknown): Promise<void> {
  if (id && error instanceof AppError) await keyShares.delete(id);
}

/**
 * Stores a link in the place of an older one, under a new token.
 * @param tx a transaction that holds the folder's row
 * @returns null, having changed nothing, when the folder's end has changed since the key was sealed for it
 */
export async function depositKey(tx: Tx, folder: FolderRow, prepared: PreparedLink): Promise<KeyRow | null> {
  const { link, madeAt, latest_at, share, sealed } = prepared;
  const expires_at = earlier(folder.expires_at, latest_at);
  if (sealed && sealed.expires_at.getTime() !== expires_at.getTime()) return null;
  const values = {
    slug: folder.slug,
    encrypted_key: link.mode === 'discord' ? sealed!.text : link.sealedKey,
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

/**
 * The keys of a Discord link, newest first; null when they were sealed under another secret than this server's, or
 * tampered with.
 */
export function openDeposit(keySealer: OpeningSealer, folder: FolderRow, key: KeyRow): string[] | null {
  const keys = keySealer.open(key.encrypted_key, sealedFor(folder, key.expires_at));
  return keys === null ? null : (keys.match(/.{128}/g) ?? []);
}

/** A key that is sealed for the new end of its folder. */
export interface ResealedKey extends Omit<SealedKey, 'text'> {
  /** The sealed key that it replaces. */
  readonly of: string;
  /** Null when that sealed key can't be opened. */
  readonly text: string | null;
}

const ownKey = (folder: KeyedFolder) => eq(temp_encryption_keys.folder_id, folder.id);

/** A folder's key with another end than it should have; null when there is none. */
async function misalignedKey(db: Queryable, folder: KeyedFolder): Promise<{ key: KeyRow; expires_at: Date } | null> {
  const [key] = await db.select().from(temp_encryption_keys).where(ownKey(folder));
  if (!key) return null;
  const expires_at = earlier(folder.expires_at, key.latest_at);
  return expires_at.getTime() === key.expires_at.getTime() ? null : { key, expires_at };
}

/**
 * Seals a Discord link's key for the new end of its folder: before the transaction, as prepareLink does.
 * @returns null when no key has to be sealed again
 * @throws request.unavailable
 */
export async function resealKey(db: Queryable, keySealer: KeySealer, folder: FolderRow): Promise<ResealedKey | null> {
  if (folder.link_mode !== 'discord') return null;
  const found = await misalignedKey(db, folder);
  if (!found) return null;
  const { key, expires_at } = found;
  const text = await keySealer.reseal(key.encrypted_key, sealedFor(folder, key.expires_at), expires_at);
  return { of: key.encrypted_key, expires_at, text };
}

/**
 * Makes a folder's key end with the folder. A sealed key that can't be opened is deleted: no one can fetch it any more,
 * and its owner must be able to shorten the folder's life.
 * @param tx a transaction that holds the folder's row
 * @param folder as it is about to be
 * @returns false, having changed nothing, when the key is no longer the one that was sealed again
 */
export async function alignKey(tx: Tx, folder: FolderRow, resealed: ResealedKey | null): Promise<boolean> {
  const found = await misalignedKey(tx, folder);
  if (!found) return true;
  const { key, expires_at } = found;
  if (folder.link_mode !== 'discord') {
    await tx.update(temp_encryption_keys).set({ expires_at }).where(ownKey(folder));
    return true;
  }
  if (resealed?.of !== key.encrypted_key || resealed.expires_at.getTime() !== expires_at.getTime()) return false;
  await (resealed.text === null
    ? tx.delete(temp_encryption_keys).where(ownKey(folder))
    : tx.update(temp_encryption_keys).set({ expires_at, encrypted_key: resealed.text }).where(ownKey(folder)));
  return true;
}

/**
 * Seals a key again at the key service, for a node. An expired key stays closed, even one that was
 * restored from an old backup: only the key service can give it another end.
 */
export async function resealForNode(
  { db, keySealer }: { db: Queryable; keySealer: KeySealer },
  { sealed, target, expires_at }: { sealed: string; target: SealedFor; expires_at: Date },
): Promise<string | null> {
  if (target.expires_at <= (await databaseTime(db))) return null;
  return keySealer.reseal(sealed, target, expires_at);
}
