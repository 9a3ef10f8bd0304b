import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { prepared, type Slots } from '../../platform/database/prepared.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { interactions, upload_intents } from '../../platform/schema/bot.ts';
import { bans } from '../../platform/schema/moderation.ts';
import { PERSON_COLUMNS, type Person } from './persons.ts';
import type { NewIntent } from './upload-intents.ts';

/**
 * Decides which node answers an interaction, and stores the answer (docs/decisions/014): the first node to claim it
 * answers, and nodes that get the same interaction again repeat that answer.
 */

/** A claim is identified by its time: a node that takes it over gets a later one. */
export type Claim = Date;

const NOW = sql`clock_timestamp()`;
/** An interaction and its author. */
export interface Unclaimed {
  readonly id: string;
  readonly discord_id: string;
}
/** An interaction that this node has to answer: the time of its claim, and what is known of its author. */
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
    .select({ id: claimed.id, claim: claimed.received_at, ...PERSON_COLUMNS })
    .from(claimed)
    .innerJoin(asked, eq(sql`asked.id`, claimed.id))
    .leftJoin(bans, eq(bans.discord_id, sql`asked.discord_id`))
    .leftJoin(profiles, eq(profiles.discord_id, sql`asked.discord_id`));
});

/**
 * Claims interactions in one statement, which also looks up their authors.
 * @returns for each, in their order: null when it has been claimed already
 */
export async function claimInteractions(db: Queryable, all: readonly Unclaimed[]): Promise<(Claimed | null)[]> {
  const byId = new Map(all.map((each) => [each.id, each]));
  const asked = [...byId.values()];
  const rows = await insertClaims(db, { ids: asked.map(({ id }) => id), people: asked.map((each) => each.discord_id) });
  const claimed = new Map(rows.map((row) => [row.id, row]));
  // This process takes two requests with one id but different tokens for two interactions; one of them gets the claim.
  return all.map((each) => (byId.get(each.id) === each ? (claimed.get(each.id) ?? null) : null));
}

/** The sealed answer; null while the interaction is being worked on. */
export async function sealedAnswerOf(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db
    .select({ sealed_answer: interactions.sealed_answer })
    .from(interactions)
    .where(eq(interactions.id, id));
  return row?.sealed_answer ?? null;
}

/** Takes an interaction over whose claim is so old that its node can no longer be working on it. */
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

/** A sealed answer, and the upload intent that it announces. */
export interface SealedAnswer {
  readonly id: string;
  readonly claim: Claim;
  readonly sealed_answer: string;
  readonly intent: NewIntent | undefined;
}

/**
 * An upsert for a row that exists: it finds the row by the conflict. An update could be planned while the table is
 * nearly empty, and would then scan the whole table for as long as the plan is kept.
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
            language, ${NOW}, expires_at, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
          from kept join jsonb_to_recordset(${slots.intents}::jsonb) as intent (interaction_id text, id uuid,
            token_hash text, discord_id text, folder_name text, lifetime_hours double precision, link_mode text,
            reply_token text, language text, expires_at timestamptz) on intent.interaction_id = kept.id`)
        .returning({ id: upload_intents.id }),
    );
    return db.with(kept, told).select({ id: kept.id }).from(kept);
  },
);

/**
 * Stores answers in one statement, each together with its intent, or neither.
 * @returns for each, in their order: false when its claim has been taken over; then the answer of the other node counts
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
