import { randomUUID } from 'node:crypto';
import type { CreateFolderInput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { DISCORD_KEY_HOURS } from '@satchel/contract/limits';
import { eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Queryable, Tx } from '../platform/db.ts';
import type { KeySealer, OpeningSealer, SealedFor } from '../platform/key-sealer.ts';
import type { KeyShares, ShareId } from '../platform/key-shares.ts';
import { temp_encryption_keys } from '../platform/schema.ts';
import { newToken } from '../platform/tokens.ts';
import type { FolderRow } from './folders.ts';

/** How a folder's link opens it, and what the database keeps for that (DESIGN R1, CONTAINER §3). */

export type KeyRow = typeof temp_encryption_keys.$inferSelect;

/** What a browser made a link of. */
export type Link =
  | { readonly mode: 'plain' }
  /** `keys`: the folder keys in hex, newest first, one after the other. */
  | { readonly mode: 'discord'; readonly keys: string }
  | { readonly mode: 'private'; readonly sealedKey: string; readonly share: string; readonly proofHash: string | null };
export type KeyedLink = Exclude<Link, { mode: 'plain' }>;

type LinkFields = Pick<z.output<typeof CreateFolderInput>, 'sealed_key' | 'key_share' | 'proof_hash' | 'earlier_keys'>;

/** @param depositedKey the folder key itself, which makes it a Discord link */
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

const HOUR_MS = 3_600_000;
/** No folder lives longer, whatever FOLDER_LIFETIME_HOURS says; and a date has room for it. */
const YEAR_HOURS = 24 * 365;
const sealedFor = (folder: KeyedFolder, expires_at: Date) => ({ folder_id: folder.id, slug: folder.slug, expires_at });
const earlier = (a: Date, b: Date | null): Date => (b !== null && b < a ? b : a);

/** Until when a key may stay, however long its folder lives; null for as long as that. */
function latestOf(link: KeyedLink, madeAt: Date, hours: number | null): Date | null {
  const atMost = link.mode === 'discord' ? DISCORD_KEY_HOURS : null;
  const lasts = hours ?? atMost;
  if (atMost !== null && lasts !== null && lasts > atMost) throw new AppError('key.lifetime', { hours: atMost });
  return lasts === null ? null : new Date(madeAt.getTime() + Math.min(lasts, YEAR_HOURS) * HOUR_MS);
}

/** The database's clock (DESIGN R11). */
export async function clockOf(db: Queryable): Promise<Date> {
  const now = sql<Date>`clock_timestamp()`.mapWith(temp_encryption_keys.created_at);
  const [row] = await db.select({ now }).from(sql`(select 1) as clock`);
  return row!.now;
}

/** A folder as far as a key depends on it. */
type KeyedFolder = Pick<FolderRow, 'id' | 'slug' | 'expires_at'>;
interface SealedKey {
  readonly text: string;
  readonly expires_at: Date;
}

/** A link with all that had to be done before the database knows of it. */
export interface PreparedLink {
  readonly link: KeyedLink;
  readonly madeAt: Date;
  readonly latest_at: Date | null;
  /** Of a private link. */
  readonly share: ShareId | null;
  /** Of a Discord link. */
  readonly sealed: SealedKey | null;
}

/**
 * Writes a private link's share: a link without its share could never be opened, and a share without a link is erased by
 * the sweeper.
 */
async function writeShare(keyShares: KeyShares, folderId: string, share: string): Promise<ShareId> {
  const id = { folder_id: folderId, share_id: randomUUID() };
  await keyShares.write(id, share).catch(async (error: unknown) => {
    // It may be written all the same, when it is the answer that got lost.
    await keyShares.erase(id).catch(() => undefined);
    throw error;
  });
  return id;
}

/**
 * Writes the share or seals the key of a new link. This comes before the transaction that keeps it: the key service may
 * be on another machine, and no transaction holds rows and a connection while one waits for that.
 * @param start.hours how long the key stays; null for as long as its kind may
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
 * Takes a share back that was written for nothing. Only after a refusal of ours: after anything else the database may
 * have committed all the same, and then the share is in use.
 */
export async function withdrawShare(keyShares: KeyShares, id: ShareId | null, error: unknown): Promise<void> {
  if (id && error instanceof AppError) await keyShares.erase(id);
}

/**
 * Keeps what a link needs, in the place of what an older one needed; its token is a new one.
 * @param tx a transaction that holds the folder's row
 * @returns null, having changed nothing, when the folder's end has moved since the key was sealed for it
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
 * The keys of a Discord link, newest first; null when they were sealed under another secret than this server's, or were
 * tampered with.
 */
export function openDeposit(keySealer: OpeningSealer, folder: FolderRow, key: KeyRow): string[] | null {
  const keys = keySealer.open(key.encrypted_key, sealedFor(folder, key.expires_at));
  return keys === null ? null : (keys.match(/.{128}/g) ?? []);
}

/** A key as it is sealed for the new end of its folder. */
export interface ResealedKey extends Omit<SealedKey, 'text'> {
  /** What it was made of. */
  readonly of: string;
  /** Null when that can't be opened. */
  readonly text: string | null;
}

const ownKey = (folder: KeyedFolder) => eq(temp_encryption_keys.folder_id, folder.id);

/** A folder's key whose end is no longer as it should be; null when there is none. */
async function misalignedKey(db: Queryable, folder: KeyedFolder): Promise<{ key: KeyRow; expires_at: Date } | null> {
  const [key] = await db.select().from(temp_encryption_keys).where(ownKey(folder));
  if (!key) return null;
  const expires_at = earlier(folder.expires_at, key.latest_at);
  return expires_at.getTime() === key.expires_at.getTime() ? null : { key, expires_at };
}

/**
 * Seals a Discord link's key for the end that its folder is about to get: before the transaction, as with prepareLink.
 * @returns null when there is nothing to seal anew
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
 * Makes a folder's key end with the folder. A deposit that can't be opened is given up: nobody could have fetched it any
 * more, and its owner must be able to shorten the folder's life.
 * @param tx a transaction that holds the folder's row
 * @param folder as it is about to be
 * @returns false, having changed nothing, when the key is no longer the one that was sealed anew
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
 * The same, at the key service, for an application node. It revives nothing: what has expired stays closed, whoever took
 * it out of an old backup and into the database, for nobody but the key service could give it another end.
 */
export async function resealForNode(
  { db, keySealer }: { db: Queryable; keySealer: KeySealer },
  { sealed, target, expires_at }: { sealed: string; target: SealedFor; expires_at: Date },
): Promise<string | null> {
  if (target.expires_at <= (await clockOf(db))) return null;
  return keySealer.reseal(sealed, target, expires_at);
}
