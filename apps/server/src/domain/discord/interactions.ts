import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { prepared, type Slots } from '../platform/prepared.ts';
import { bans, profiles } from '../platform/schema.ts';
import { interactions, upload_intents } from '../platform/schema-bot.ts';
import { deleteInBatches } from './batches.ts';
import type { Person } from './persons.ts';
import type { NewIntent } from './upload-intents.ts';

/**
 * Who answers an interaction, and what was answered (docs/decisions/014): the first to claim it, on whichever node, and
 * those to whom it comes again tell the same.
 */

/** A claim is known by its time: whoever takes it over has a later one. */
export type Claim = Date;

const NOW = sql`clock_timestamp()`;
/** An interaction, and by whom it is. */
export interface Unclaimed {
  readonly id: string;
  readonly discord_id: string;
}
/** This node's to answer: when it was claimed, and what is known of the person. */
export type Claimed = Person & { readonly claim: Claim };

const insertClaims = prepared((db, { ids, people }: Slots<{ ids: readonly string[]; people: readonly string[] }>) => {
  const asked = db
    .$with('asked', { id: sql<string>`id`.as('id'), discord_id: sql<string>`discord_id`.as('discord_id') })
    .as(sql`select * from unnest(${ids}::text[], ${people}::text[]) as asked (id, discord_id)`);
  const claimed = db
    .$with('claimed')
    .as(
      db
        .insert(interactions)
        .select(sql`select id, null, ${NOW} from asked order by id`)
        .onConflictDoNothing()
        .returning({ id: interactions.id, received_at: interactions.received_at }),
    );
  return db
    .with(asked, claimed)
    .select({
      id: claimed.id,
      claim: claimed.received_at,
      ban_reason: bans.reason,
      profile: { id: profiles.id, subscription_tier: profiles.subscription_tier },
    })
    .from(claimed)
    .innerJoin(asked, eq(sql`asked.id`, claimed.id))
    .leftJoin(bans, eq(bans.discord_id, sql`asked.discord_id`))
    .leftJoin(profiles, eq(profiles.discord_id, sql`asked.discord_id`));
});

/**
 * Claims interactions in one statement, which also looks up by whom they are.
 * @returns for each, in their order: null when somebody has claimed it already
 */
export async function claimInteractions(db: Queryable, all: readonly Unclaimed[]): Promise<(Claimed | null)[]> {
  const byId = new Map(all.map((each) => [each.id, each]));
  const asked = [...byId.values()];
  const rows = await insertClaims(db, { ids: asked.map(({ id }) => id), people: asked.map((each) => each.discord_id) });
  const claimed = new Map(rows.map((row) => [row.id, row]));
  // Of two with one id, which are two interactions to this process by their tokens, one has it.
  return all.map((each) => (byId.get(each.id) === each ? (claimed.get(each.id) ?? null) : null));
}

/** What was answered, sealed; null while it is being worked on. */
export async function sealedAnswerOf(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db
    .select({ sealed_answer: interactions.sealed_answer })
    .from(interactions)
    .where(eq(interactions.id, id));
  return row?.sealed_answer ?? null;
}

/** Takes over from whoever claimed it so long ago that they can't be there any more. */
export async function takeInteractionOver(db: Queryable, id: string, afterMs: number): Promise<Claim | null> {
  const [taken] = await db
    .update(interactions)
    .set({ received_at: NOW })
    .where(
      and(
        eq(interactions.id, id),
        isNull(interactions.sealed_answer),
        lte(interactions.received_at, sql`${NOW} - make_interval(secs => ${afterMs / 1000}::double precision)`),
      ),
    )
    .returning({ received_at: interactions.received_at });
  return taken?.received_at ?? null;
}

/** An answer, and what it tells of. */
export interface SealedAnswer {
  readonly id: string;
  readonly claim: Claim;
  readonly sealed_answer: string;
  readonly intent: NewIntent | undefined;
}

/**
 * The row is there already, and is found by the conflict: an update that looks for it could be planned while the table is
 * nearly empty, and then go through all of it for as long as the plan is kept.
 */
const upsertAnswers = prepared(
  (
    db,
    slots: Slots<{
      ids: readonly string[];
      claims: readonly string[];
      sealed: readonly string[];
      intents: string;
    }>,
  ) => {
    const kept = db.$with('kept').as(
      db
        .insert(interactions)
        .select(sql`
          select id, sealed_answer, received_at
          from unnest(${slots.ids}::text[], ${slots.claims}::timestamptz[], ${slots.sealed}::text[])
            as answers (id, received_at, sealed_answer)
          order by id`)
        .onConflictDoUpdate({
          target: interactions.id,
          set: { sealed_answer: sql`excluded.sealed_answer` },
          setWhere: and(eq(interactions.received_at, sql`excluded.received_at`), isNull(interactions.sealed_answer))!,
        })
        .returning({ id: interactions.id }),
    );
    const told = db.$with('told').as(
      db
        .insert(upload_intents)
        .select(sql`
          select intent.id, token_hash, discord_id, folder_name, lifetime_hours, link_mode, null::uuid, reply_token,
            language, ${NOW}, expires_at, null::timestamptz, null::timestamptz
          from kept join jsonb_to_recordset(${slots.intents}::jsonb) as intent (interaction_id text, id uuid,
            token_hash text, discord_id text, folder_name text, lifetime_hours double precision, link_mode text,
            reply_token text, language text, expires_at timestamptz) on intent.interaction_id = kept.id`)
        .returning({ id: upload_intents.id }),
    );
    return db.with(kept, told).select({ id: kept.id }).from(kept);
  },
);

/**
 * Stores answers, each with the intent that it tells of or neither, in one statement.
 * @returns for each, in their order: false when its claim has been taken over, and then what the other one answers is the
 * answer
 */
export async function keepAnswers(db: Queryable, all: readonly SealedAnswer[]): Promise<boolean[]> {
  const intents = all.flatMap(({ id, intent }) => (intent ? [{ ...intent, interaction_id: id }] : []));
  const rows = await upsertAnswers(db, {
    ids: all.map(({ id }) => id),
    claims: all.map(({ claim }) => claim.toISOString()),
    sealed: all.map(({ sealed_answer }) => sealed_answer),
    intents: JSON.stringify(intents),
  });
  const kept = new Set(rows.map(({ id }) => id));
  return all.map(({ id }) => kept.has(id));
}

/** Longer than a signature is taken for (five minutes, by a clock that may be five minutes off). */
export const forgetOldInteractions = (db: Queryable, signal?: AbortSignal): Promise<void> =>
  deleteInBatches(db, interactions, lte(interactions.received_at, sql`now() - interval '15 minutes'`), signal);
