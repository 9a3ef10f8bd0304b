import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { interactions } from '../platform/schema-bot.ts';
import { deleteInBatches } from './batches.ts';

/**
 * Who answers an interaction, and what was answered (docs/decisions/014): the first to claim it, on whichever node, and
 * those to whom it comes again tell the same.
 */

/** A claim is known by its time: whoever takes it over has a later one. */
export type Claim = Date;

/** @returns null when somebody has claimed it already */
export async function claimInteraction(db: Queryable, id: string): Promise<Claim | null> {
  const [claimed] = await db
    .insert(interactions)
    .values({ id, received_at: sql`clock_timestamp()` })
    .onConflictDoNothing()
    .returning({ received_at: interactions.received_at });
  return claimed?.received_at ?? null;
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
    .set({ received_at: sql`clock_timestamp()` })
    .where(
      and(
        eq(interactions.id, id),
        isNull(interactions.sealed_answer),
        lte(
          interactions.received_at,
          sql`clock_timestamp() - make_interval(secs => ${afterMs / 1000}::double precision)`,
        ),
      ),
    )
    .returning({ received_at: interactions.received_at });
  return taken?.received_at ?? null;
}

/** @returns false when the claim has been taken over: then what the other one answers is the answer */
export async function keepAnswer(db: Queryable, id: string, claim: Claim, sealed_answer: string): Promise<boolean> {
  const kept = await db
    .update(interactions)
    .set({ sealed_answer })
    .where(and(eq(interactions.id, id), eq(interactions.received_at, claim), isNull(interactions.sealed_answer)))
    .returning({ id: interactions.id });
  return kept.length > 0;
}

/** Longer than a signature is taken for (five minutes, by a clock that may be five minutes off). */
export const forgetOldInteractions = (db: Queryable, signal?: AbortSignal): Promise<void> =>
  deleteInBatches(db, interactions, lte(interactions.received_at, sql`now() - interval '15 minutes'`), signal);
