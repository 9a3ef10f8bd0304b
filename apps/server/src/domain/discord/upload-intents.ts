import { randomUUID } from 'node:crypto';
import type { RedeemIntentOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, gt, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import { profiles, uploads } from '../platform/schema.ts';
import { upload_intents } from '../platform/schema-bot.ts';
import type { TextSealer } from '../platform/text-sealer.ts';
import { hashToken, newToken } from '../platform/tokens.ts';
import { deleteInBatches } from './batches.ts';
import { type Actor, type FolderRow, lockFolder, lockOwnFolder } from './folders.ts';
import { discordIdOf } from './profiles.ts';

/**
 * What people asked for by /upload in Discord, for as long as Discord lets the reply be edited. An intent signs nobody in:
 * it fills in a form for the person who asked, and says which reply is to be told of the files.
 */

export type UploadIntent = typeof upload_intents.$inferSelect;
type Wish = Pick<UploadIntent, 'discord_id' | 'folder_name' | 'lifetime_hours' | 'link_mode' | 'language'>;

interface IntentDeps {
  readonly db: Db;
  readonly replyTokens: TextSealer;
}

/** An intent that is not stored yet. */
export type NewIntent = Wish & Pick<UploadIntent, 'id' | 'token_hash' | 'reply_token' | 'expires_at'>;

/** As long as Discord takes the token that edits the reply. */
const LIFE_MS = 15 * 60_000;
const NOW = sql`clock_timestamp()`;
const isLive = gt(upload_intents.expires_at, NOW);
/** Of one folder so many replies are told, the newest first: whoever types /upload again and again reads the last one. */
const TOLD_MAX = 5;

/** What edits the reply, and the database's time at which it was asked for. */
interface Asked {
  readonly replyToken: string;
  readonly received_at: Date;
}

/** The reply's token is sealed for its row: moved to another one, it doesn't open. */
const rowOf = ({ replyTokens }: Pick<IntentDeps, 'replyTokens'>, wish: Wish, { replyToken, received_at }: Asked) => {
  const id = randomUUID();
  const expires_at = new Date(received_at.getTime() + LIFE_MS);
  return { id, ...wish, reply_token: replyTokens.seal(replyToken, id), expires_at };
};

/** An intent to make a folder, to be stored. Its token is told once, here, and kept only as a hash. */
export function newIntent(
  deps: Pick<IntentDeps, 'replyTokens'>,
  wish: Wish,
  asked: Asked,
): { token: string; intent: NewIntent } {
  const token = newToken();
  return { token, intent: { ...rowOf(deps, wish, asked), token_hash: hashToken(token) } };
}

/** Stores an intent by itself; one that an answer tells of is stored with the answer (domain/interactions). */
export async function saveIntent(db: Db, intent: NewIntent): Promise<void> {
  await db.insert(upload_intents).values(intent);
}

/**
 * An intent to put files into a folder that is there: nothing has to be redeemed for it.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function makeIntentFor(
  deps: IntentDeps,
  {
    folderId,
    owner,
    asked,
    ...who
  }: { folderId: string; owner: Actor; asked: Asked } & Pick<Wish, 'discord_id' | 'language'>,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const folder = await lockOwnFolder(tx, folderId, owner);
    const wish: Wish = {
      ...who,
      folder_name: null,
      lifetime_hours: null,
      link_mode: folder.link_mode === 'plain' ? 'plain' : 'private',
    };
    await tx.insert(upload_intents).values({ ...rowOf(deps, wish, asked), folder_id: folder.id });
  });
}

/**
 * Tells the one who asked what they asked for, once. Of many who try at once, one is told.
 * @throws intent.invalid for one that is unknown, used or too old; intent.foreign, and then it is not used up;
 * auth.required
 */
export async function redeemIntent(db: Queryable, viewer: Actor, token: string): Promise<RedeemIntentOutput> {
  const discordId = await discordIdOf(db, viewer);
  if (discordId === null) throw new AppError('auth.required');
  const isOpen = and(eq(upload_intents.token_hash, hashToken(token)), isNull(upload_intents.redeemed_at), isLive);
  const [redeemed] = await db
    .update(upload_intents)
    .set({ redeemed_at: NOW })
    .where(and(isOpen, eq(upload_intents.discord_id, discordId)))
    .returning();
  if (redeemed) {
    const { id: intent_id, folder_name, lifetime_hours, link_mode } = redeemed;
    return { intent_id, folder_name, lifetime_hours, link_mode };
  }
  const [others] = await db.select({ id: upload_intents.id }).from(upload_intents).where(isOpen);
  throw new AppError(others ? 'intent.foreign' : 'intent.invalid');
}

/**
 * Says that a new folder is the one that was asked for. One that is over, used, or somebody else's binds nothing, and the
 * folder is made all the same.
 */
export async function bindIntent(tx: Tx, intentId: string, folder: FolderRow): Promise<void> {
  const owner = tx
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, folder.owner_profile_id));
  await tx
    .update(upload_intents)
    .set({ folder_id: folder.id })
    .where(
      and(
        eq(upload_intents.id, intentId),
        isNotNull(upload_intents.redeemed_at),
        isNull(upload_intents.folder_id),
        isLive,
        eq(upload_intents.discord_id, sql`(${owner})`),
      ),
    );
}

/** A reply that is to say what is in a folder now. */
export interface ReplyToTell {
  readonly intent_id: string;
  /** Null when it doesn't open, since SESSION_SECRET is another one by now. */
  readonly token: string | null;
  readonly language: UploadIntent['language'];
}

/**
 * What is to be told of a folder, and to which replies; null once there are none, or the folder is over.
 * @returns `at`: whatever is completed later is not in it
 */
export async function repliesToTell(
  { db, replyTokens }: IntentDeps,
  folderId: string,
): Promise<{ folder: FolderRow; replies: readonly ReplyToTell[]; at: Date } | null> {
  const live = and(eq(upload_intents.folder_id, folderId), isLive);
  const [any] = await db.select({ id: upload_intents.id }).from(upload_intents).where(live).limit(1);
  if (!any) return null;
  return inTransaction(db, async (tx) => {
    // Under its lock, as uploads are completed: what has come before is in its figures, and what comes later is later.
    const folder = await lockFolder(tx, folderId).catch(asOver);
    if (!folder) return null;
    const rows = await tx
      .select({ intent: upload_intents, at: sql`${NOW}`.mapWith(upload_intents.created_at) })
      .from(upload_intents)
      .where(live)
      .orderBy(desc(upload_intents.created_at))
      .limit(TOLD_MAX);
    const [first] = rows;
    if (!first) return null;
    const replies = rows.map(({ intent: { id, language, reply_token } }) => ({
      intent_id: id,
      language,
      token: replyTokens.open(reply_token, id),
    }));
    return { folder, replies, at: first.at };
  });
}

/** A folder that is over says nothing; whatever else fails does. */
function asOver(error: unknown): null {
  if (error instanceof AppError && error.code.startsWith('folder.')) return null;
  throw error;
}

/** Takes down that a reply has been told of all that there was at a time. */
export async function markTold(db: Queryable, intentId: string, at: Date): Promise<void> {
  await db.update(upload_intents).set({ told_at: at }).where(eq(upload_intents.id, intentId));
}

/** Of a reply that can't be edited any more. */
export async function forgetIntent(db: Queryable, intentId: string): Promise<void> {
  await db.delete(upload_intents).where(eq(upload_intents.id, intentId));
}

/** Folders of which a reply is still to be told: what a crash, or Discord, has left over. */
export async function untoldFolders(db: Queryable): Promise<string[]> {
  const later = gt(uploads.completed_at, sql`coalesce(${upload_intents.told_at}, ${upload_intents.created_at})`);
  const rows = await db
    .selectDistinct({ folder_id: uploads.folder_id })
    .from(upload_intents)
    .innerJoin(uploads, and(eq(uploads.folder_id, upload_intents.folder_id), later))
    .where(isLive);
  return rows.map(({ folder_id }) => folder_id);
}

/** What somebody asked for in the last minutes, for their own export: a person types few commands. */
export const intentsOf = (db: Queryable, discordId: string): Promise<UploadIntent[]> =>
  db.select().from(upload_intents).where(eq(upload_intents.discord_id, discordId)).orderBy(upload_intents.created_at);

/** Of a folder that goes: there is nothing to tell any more. The caller has locked its row. */
export async function forgetIntentsOfFolder(tx: Tx, folderId: string): Promise<void> {
  await tx.delete(upload_intents).where(eq(upload_intents.folder_id, folderId));
}

/**
 * Of a person whose account goes, or who has taken Satchel away in Discord.
 * @param until those that were made later stay
 */
export async function forgetIntentsOf(db: Queryable, discordId: string, until?: Date): Promise<void> {
  const made = until && lte(upload_intents.created_at, until);
  await db.delete(upload_intents).where(and(eq(upload_intents.discord_id, discordId), made));
}

/** Forgets those whose time is up. Several nodes may do so at once. */
export const forgetExpiredIntents = (db: Queryable, signal?: AbortSignal): Promise<void> =>
  deleteInBatches(db, upload_intents, lte(upload_intents.expires_at, sql`now()`), signal);
