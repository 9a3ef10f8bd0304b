import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@satchel/contract/errors';
import { type APIInteractionResponse, InteractionResponseType, InteractionType } from 'discord-api-types/v10';
import {
  type Claimed,
  claimInteractions,
  keepAnswers,
  type SealedAnswer,
  sealedAnswerOf,
  takeInteractionOver,
  type Unclaimed,
} from '../domain/discord/interactions.ts';
import { personOf } from '../domain/discord/persons.ts';
import { type NewIntent, saveIntent } from '../domain/discord/upload-intents.ts';
import { coalesce } from '../platform/database/coalesce.ts';
import { sqlStateOf } from '../platform/database/database-pool.ts';
import { createTextSealer } from '../platform/keys/text-sealer.ts';
import { type Act, sendLate, toDeferral, toResponse } from './answers.ts';
import type { Answer } from './command.ts';
import { createDispatcher, type DispatcherDeps, failure } from './dispatch.ts';
import { type Caller, callerOf, type Interaction } from './interaction.ts';

/**
 * Answers each interaction in time and once. When Discord delivers it again, to any node, the same answer is sent again
 * (docs/decisions/014).
 */

export interface BotTimes {
  /**
   * Discord, Receiving and Responding: "you must send an initial response within 3 seconds of receiving the event. If
   * the 3 second deadline is exceeded, the token will be invalidated." The rest of the 3 seconds is for the network.
   */
  readonly deferAfterMs: number;
  /** A node that has neither answered nor deferred by then counts as dead. */
  readonly takeOverAfterMs: number;
  /** How often a node looks for another node's answer. */
  readonly pollMs: number;
  /** How long the work after an answer waits for the answer to be sent: as long as a signature is valid. */
  readonly keepUnsentMs: number;
  /** How long close() waits for the work after answers. */
  readonly closeWithinMs: number;
}
export const BOT_TIMES: BotTimes = {
  deferAfterMs: 2000,
  takeOverAfterMs: 5000,
  pollMs: 100,
  keepUnsentMs: 10 * 60_000,
  closeWithinMs: 10_000,
};

/** An answer to send, and what to call once it is sent. */
export interface Reply {
  /** JSON, the same bytes for each delivery of the interaction. */
  readonly body: string;
  /** Starts the work after the answer; later calls do nothing. */
  readonly sent: () => void;
}

export interface Bot {
  /** @throws request.invalid without a user, or for another interaction of the same id */
  reply(interaction: Interaction): Promise<Reply>;
  /** Waits for the work after answers that have been sent. */
  close(): Promise<void>;
}

/** SQLSTATE classes of statements that were rolled back because of one item: bad values, constraints, deadlocks. */
const REFUSED = /^(22|23|40)/;
const COALESCING = { max: 100, isUndone: (error: unknown) => REFUSED.test(sqlStateOf(error)) };

const nothing = () => undefined;
const toReply = (response: APIInteractionResponse): Reply => ({ body: JSON.stringify(response), sent: nothing });
/**
 * Discord, Interactions Overview: "Your app is expected to acknowledge the request by returning a `200` response with a
 * `PONG` payload (which has the same `type: 1`)."
 */
const PONG = toReply({ type: InteractionResponseType.Pong });

/** Stored answers hold grants and links, so they are sealed under the interaction's token, which is never stored. */
const sealerOf = ({ token }: Caller) => createTextSealer(Buffer.from(token), 'interaction answer');

export function createBot(deps: DispatcherDeps, times: BotTimes = BOT_TIMES): Bot {
  const { db, rest, report } = deps.bot;
  const dispatcher = createDispatcher(deps);
  const claimInteraction = coalesce((all: readonly Unclaimed[]) => claimInteractions(db, all), COALESCING);
  const keepAnswer = coalesce((all: readonly SealedAnswer[]) => keepAnswers(db, all), COALESCING);
  /** This node's answers that are being made or have not been sent yet. */
  const underWay = new Map<string, Promise<Reply>>();
  const following = new Set<Promise<void>>();

  /** Waits for the claim to make the answer, or for another node's answer. */
  async function claimOrRead(caller: Caller): Promise<Claimed | string> {
    const { interaction_id, discord_id } = caller;
    for (;;) {
      // Claim in each round: if the sweep purged the row, there is no answer to wait for.
      const first = await claimInteraction({ id: interaction_id, discord_id });
      if (first) return first;
      const sealed = await sealedAnswerOf(db, interaction_id);
      if (sealed !== null) return readAnswer(sealed, caller);
      const claim = await takeInteractionOver(db, interaction_id, times.takeOverAfterMs);
      if (claim) return { claim, ...(await personOf(db, discord_id)) };
      await sleep(times.pollMs);
    }
  }

  function readAnswer(sealed: string, caller: Caller): string {
    const body = sealerOf(caller).open(sealed, caller.interaction_id);
    if (body === null) throw new AppError('request.invalid', { message: 'another interaction of this id' });
    return body;
  }

  /**
   * Stores an answer. A node that has lost its claim sends the other's answer, and leaves the work after it to the
   * other.
   */
  async function keep(
    caller: Caller,
    { claim }: Claimed,
    { body, intent }: { body: string; intent: NewIntent | undefined },
  ): Promise<{ body: string; isOwn: boolean }> {
    const { interaction_id } = caller;
    const sealed_answer = sealerOf(caller).seal(body, interaction_id);
    if (await keepAnswer({ id: interaction_id, claim, sealed_answer, intent })) return { body, isOwn: true };
    const others = await sealedAnswerOf(db, interaction_id);
    return { body: others === null ? body : readAnswer(others, caller), isOwn: false };
  }

  /** Stores the intent of a deferred answer before the answer is sent. */
  async function withIntent(answer: Answer, caller: Caller): Promise<Answer> {
    try {
      if (answer.intent) await saveIntent(db, answer.intent);
      return answer;
    } catch (error) {
      report(error);
      return failure(caller);
    }
  }

  /**
   * The work after an answer. It starts once the answer is sent: before that Discord has no message to edit or follow.
   */
  function follow(act: Act, caller: Caller, coming: Promise<Answer>, isLate: boolean): () => void {
    const afterSending = async () => {
      const answer = isLate ? await withIntent(await coming, caller) : await coming;
      if (isLate) await sendLate(rest, answer, act, caller);
      await answer.afterwards?.();
    };
    let isSent = false;
    return () => {
      if (isSent) return;
      isSent = true;
      const work: Promise<void> = afterSending()
        .catch(report)
        .finally(() => following.delete(work));
      following.add(work);
    };
  }

  async function perform(act: Act, caller: Caller): Promise<Reply> {
    const startedMs = performance.now();
    const claimed = await claimOrRead(caller);
    if (typeof claimed === 'string') return { body: claimed, sent: nothing };
    const coming = dispatcher.answer(act, caller, claimed);
    const leftMs = Math.max(0, times.deferAfterMs - (performance.now() - startedMs));
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(late.resolve, leftMs, null);
    const first = await Promise.race([coming, late.promise]);
    clearTimeout(timer);
    const response = first ? toResponse(first, act, caller) : toDeferral(act);
    const made = { body: JSON.stringify(response), intent: first?.intent };
    const { body, isOwn } = await keep(caller, claimed, made).catch((error) => {
      report(error);
      // Without the stored intent, the answer's link would open nothing.
      return made.intent
        ? { body: JSON.stringify(toResponse(failure(caller), act, caller)), isOwn: false }
        : { body: made.body, isOwn: true };
    });
    return { body, sent: isOwn ? follow(act, caller, coming, first === null) : nothing };
  }

  function performOnce(act: Act, caller: Caller): Promise<Reply> {
    const key = `${caller.interaction_id} ${caller.token}`;
    const known = underWay.get(key);
    if (known) return known;
    const performed = perform(act, caller).then(({ body, sent }) => {
      const late = setTimeout(() => underWay.delete(key), times.keepUnsentMs).unref();
      const sentOnce = () => {
        clearTimeout(late);
        underWay.delete(key);
        sent();
      };
      return { body, sent: sentOnce };
    });
    underWay.set(key, performed);
    performed.catch(() => underWay.delete(key));
    return performed;
  }

  async function reply(interaction: Interaction): Promise<Reply> {
    if (interaction.type === InteractionType.Ping) return PONG;
    const caller = callerOf(interaction);
    if (caller === null) throw new AppError('request.invalid', { message: 'user: missing' });
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      const choices = [...(await dispatcher.suggest(interaction, caller))];
      return toReply({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
    }
    try {
      return await performOnce(interaction, caller);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Without a database nothing has happened and nothing is stored: the next delivery may succeed.
      report(error);
      return toReply(toResponse(failure(caller), interaction, caller));
    }
  }

  return {
    reply,
    async close() {
      const ended = Promise.allSettled(following);
      await Promise.race([ended, sleep(times.closeWithinMs, undefined, { ref: false })]);
    },
  };
}
