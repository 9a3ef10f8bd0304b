import { randomUUID } from 'node:crypto';
import type { RedeemIntentOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, gt, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import type { TextSealer } from '../../platform/keys/text-sealer.ts';
import { hashToken, newToken } from '../../platform/keys/tokens.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { upload_intents, type WaitingCard } from '../../platform/schema/bot.ts';
import { type Actor, type FolderRow, lockFolder, lockOwnFolder } from '../access/find-folder.ts';
import { discordIdOf, rememberLinkMode } from '../accounts/profiles.ts';

/**
 * Upload intents: what people asked for by /upload or /share in Discord, for as long as Discord lets the reply be edited.
 * An intent signs no one in: it fills in a form for its author, and names the reply that reports the files. The intent of /share
 * waits until the server has the folder's key; then its card is posted.
 */

export type UploadIntent = typeof upload_intents.$inferSelect;
type Wish = Pick<UploadIntent, 'discord_id' | 'folder_name' | 'lifetime_hours' | 'link_mode' | 'language'>;

interface IntentDeps {
  readonly db: Db;
  readonly replyTokens: TextSealer;
}

/** An intent before it is stored. */
export type NewIntent = Wish & Pick<UploadIntent, 'id' | 'token_hash' | 'reply_token' | 'expires_at'>;

/** How long Discord accepts the token that edits the reply. */
const LIFE_MS = 15 * 60_000;
const NOW = sql`clock_timestamp()`;
const isLive = gt(upload_intents.expires_at, NOW);
/** How long a node may take for an edit, its retries included, before another node edits the reply. */
const TELLING_MS = 60_000;
/** Replies that are edited for one folder, newest first: a person who repeats /upload reads the last one. */
const TOLD_MAX = 5;

/** The token that edits the reply, and the database's time of the command. */
interface Asked {
  readonly replyToken: string;
  readonly received_at: Date;
}

/** The reply's token is sealed for its row: in another row it can't be opened. */
const rowOf = ({ replyTokens }: Pick<IntentDeps, 'replyTokens'>, wish: Wish, { replyToken, received_at }: Asked) => {
  const id = randomUUID();
  const expires_at = new Date(received_at.getTime() + LIFE_MS);
  return { id, ...wish, reply_token: replyTokens.seal(replyToken, id), expires_at };
};

/** Makes an intent for a new folder, to be stored. Only this call returns its token; the database stores a hash. */
export function newIntent(
  deps: Pick<IntentDeps, 'replyTokens'>,
  wish: Wish,
  asked: Asked,
): { token: string; intent: NewIntent } {
  const token = newToken();
  return { token, intent: { ...rowOf(deps, wish, asked), token_hash: hashToken(token) } };
}

/** Stores an intent alone; one that an answer announces is stored with the answer (discord/interactions). */
export async function saveIntent(db: Db, intent: NewIntent): Promise<void> {
  await db.insert(upload_intents).values(intent);
}

/**
 * Stores an intent for an existing folder; it needs no redemption. A card takes the place of one that waits already, so
 * that a folder's key posts one card, where it was asked for last.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function makeIntentFor(
  deps: IntentDeps,
  {
    folderId,
    owner,
    asked,
    card = null,
    ...who
  }: {
    folderId: string;
    owner: Actor;
    asked: Asked;
    card?: WaitingCard | null;
  } & Pick<Wish, 'discord_id' | 'language'>,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const folder = await lockOwnFolder(tx, folderId, owner);
    const wish: Wish = {
      ...who,
      folder_name: null,
      lifetime_hours: null,
      link_mode: folder.link_mode === 'revoked' ? 'private' : folder.link_mode,
    };
    if (card) {
      const earlier = and(eq(upload_intents.folder_id, folder.id), isNotNull(upload_intents.card));
      await tx.delete(upload_intents).where(earlier);
    }
    await tx.insert(upload_intents).values({ ...rowOf(deps, wish, asked), folder_id: folder.id, card });
  });
}

/**
 * Redeems an intent once, for its author. Of several calls at once, one succeeds.
 * @throws intent.invalid for an intent that is unknown, used or too old; intent.foreign, which does not use it up;
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
 * Binds a new folder to the intent that asked for it. An intent that is over, used, or another person's binds nothing,
 * and the folder is created all the same. A bound one has the next /upload begin with this folder's mode.
 */
export async function bindIntent(tx: Tx, intentId: string, folder: FolderRow): Promise<void> {
  const owner = tx
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, folder.owner_profile_id));
  const bound = await tx
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
    )
    .returning({ id: upload_intents.id });
  // The form may have been answered otherwise than the command.
  if (bound.length > 0 && folder.link_mode !== 'revoked')
    await rememberLinkMode(tx, folder.owner_profile_id, folder.link_mode);
}

/** A reply to be edited with the content of a folder. */
export interface ReplyToTell {
  readonly intent_id: string;
  /** Null when it can't be opened, since SESSION_SECRET has changed. */
  readonly token: string | null;
  readonly language: UploadIntent['language'];
  /** The card to post; null for a reply that reports files. */
  readonly card: WaitingCard | null;
}

/** Replies that this node has claimed, and their folder. */
export interface ClaimedReplies {
  readonly folder: FolderRow;
  readonly replies: readonly ReplyToTell[];
  /** Uploads completed later are not included. */
  readonly at: Date;
  /** True when another node is editing some of the folder's replies. */
  readonly isShared: boolean;
}

const isClaimed = gt(upload_intents.telling_until, NOW);
/**
 * True when files of the folder were completed after that time. Names are spelt out: inside a select of one table, drizzle
 * leaves the table's name out, and a column would be compared with itself.
 */
const hasFilesSince = (at: SQL) => sql<boolean>`exists (
  select from uploads where uploads.folder_id = upload_intents.folder_id and uploads.completed_at > ${at})`;
/** True when the server has the key of the folder that a card waits for. */
const hasKey = sql<boolean>`exists (
  select from folders join temp_encryption_keys on temp_encryption_keys.folder_id = folders.id
  where folders.id = upload_intents.folder_id and folders.link_mode = 'discord'
  and temp_encryption_keys.expires_at > ${NOW})`;
/** A card waits for the key, any other reply for files. */
const isDue = (hasFiles: SQL) =>
  sql<boolean>`case when upload_intents.card is null then ${hasFiles} else ${hasKey} end`;
/** False for a reply that shows every file already: another node may have edited it in the meantime. */
const isBehind = isDue(sql`(upload_intents.told_at is null or ${hasFilesSince(sql`upload_intents.told_at`)})`);

/**
 * Claims the replies to edit for a folder: one node at a time edits a reply, so that no older state overtakes a newer
 * one. Null when there are none, or the folder is over.
 */
export async function claimReplies({ db, replyTokens }: IntentDeps, folderId: string): Promise<ClaimedReplies | null> {
  const live = and(eq(upload_intents.folder_id, folderId), isLive);
  const [any] = await db.select({ id: upload_intents.id }).from(upload_intents).where(live).limit(1);
  if (!any) return null;
  return inTransaction(db, async (tx) => {
    // Under the lock of the folder, as completions are: the counters contain every upload completed before `at` and no
    // later one.
    const folder = await lockFolder(tx, folderId).catch(asOver);
    if (!folder) return null;
    const rows = await tx
      .select({
        intent: upload_intents,
        at: sql`${NOW}`.mapWith(upload_intents.created_at),
        is_claimed: sql<boolean>`coalesce(${isClaimed}, false)`,
        is_behind: isBehind,
      })
      .from(upload_intents)
      .where(live)
      .orderBy(desc(upload_intents.created_at))
      .limit(TOLD_MAX);
    const [first] = rows;
    if (!first) return null;
    const free = rows.filter(({ is_claimed, is_behind }) => is_behind && !is_claimed).map(({ intent }) => intent);
    const ids = free.map(({ id }) => id);
    const telling_until = sql`${NOW} + make_interval(secs => ${TELLING_MS / 1000}::double precision)`;
    if (ids.length > 0) await tx.update(upload_intents).set({ telling_until }).where(inArray(upload_intents.id, ids));
    const replies = free.map(({ id, language, reply_token, card }) => ({
      intent_id: id,
      language,
      card,
      token: replyTokens.open(reply_token, id),
    }));
    return { folder, replies, at: first.at, isShared: rows.some(({ is_claimed }) => is_claimed) };
  });
}

/** Null for a folder that is over; any other error is thrown. */
function asOver(error: unknown): null {
  if (error instanceof AppError && error.code.startsWith('folder.')) return null;
  throw error;
}

/** Records that a reply shows everything up to a time, and gives it free. */
export async function markTold(db: Queryable, intentId: string, at: Date): Promise<void> {
  await db.update(upload_intents).set({ told_at: at, telling_until: null }).where(eq(upload_intents.id, intentId));
}

/** Gives a reply free that could not be edited. */
export async function releaseReply(db: Queryable, intentId: string): Promise<void> {
  await db.update(upload_intents).set({ telling_until: null }).where(eq(upload_intents.id, intentId));
}

/** Deletes the intent of a reply that can't be edited any more. */
export async function deleteIntent(db: Queryable, intentId: string): Promise<void> {
  await db.delete(upload_intents).where(eq(upload_intents.id, intentId));
}

/** Intents that one statement looks at. */
const LOOK_ROWS = 50;

/**
 * Folders with a reply that is not up to date and that no node is editing: after a crash, or an error of Discord. It
 * looks at all intents, a few at a time.
 */
export async function* untoldFolders(db: Queryable): AsyncIterable<string> {
  let seen: Pick<UploadIntent, 'id' | 'expires_at'> | undefined;
  do {
    const beyond = seen
      ? sql`(${upload_intents.expires_at}, ${upload_intents.id}) > (${seen.expires_at.toISOString()}::timestamptz, ${seen.id}::uuid)`
      : gt(upload_intents.expires_at, sql`now()`);
    const rows = await db
      .select({
        id: upload_intents.id,
        expires_at: upload_intents.expires_at,
        folder_id: upload_intents.folder_id,
        is_left: sql<boolean>`${isClaimed} is not true and ${isDue(hasFilesSince(sql`coalesce(upload_intents.told_at, upload_intents.created_at)`))}`,
      })
      .from(upload_intents)
      .where(beyond)
      .orderBy(upload_intents.expires_at, upload_intents.id)
      .limit(LOOK_ROWS);
    for (const { folder_id, is_left } of rows) if (folder_id !== null && is_left) yield folder_id;
    seen = rows.length === LOOK_ROWS ? rows.at(-1) : undefined;
  } while (seen);
}

/** The intents of a person, for their own export: a person types few commands in 15 minutes. */
export const intentsOf = (db: Queryable, discordId: string): Promise<UploadIntent[]> =>
  db.select().from(upload_intents).where(eq(upload_intents.discord_id, discordId)).orderBy(upload_intents.created_at);

/** Deletes the intents of a folder, as part of its deletion. The caller has locked its row. */
export async function deleteIntentsOfFolder(tx: Tx, folderId: string): Promise<void> {
  await tx.delete(upload_intents).where(eq(upload_intents.folder_id, folderId));
}

/**
 * Deletes the intents of a person who deletes their account or removes the application in Discord.
 * @param until intents made later stay
 */
export async function deleteIntentsOf(db: Queryable, discordId: string, until?: Date): Promise<void> {
  const made = until && lte(upload_intents.created_at, until);
  await db.delete(upload_intents).where(and(eq(upload_intents.discord_id, discordId), made));
}
