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
} from '../domain/interactions.ts';
import { personOf } from '../domain/persons.ts';
import { type NewIntent, saveIntent } from '../domain/upload-intents.ts';
import { sqlStateOf } from '../platform/database-pool.ts';
import { gathered } from '../platform/gathered.ts';
import { createTextSealer } from '../platform/text-sealer.ts';
import { type ActsDeps, createActs, failure } from './acts.ts';
import { type Act, sendLate, toDeferral, toResponse } from './answers.ts';
import type { Answer } from './command.ts';
import { type Caller, callerOf, type Interaction } from './interaction.ts';

/**
 * Answers interactions in time, and each of them once, however often it comes and to whichever node: the same answer
 * goes out again (docs/decisions/014).
 */

export interface BotTimes {
  /** Discord gives up after three seconds, the way there and back included. */
  readonly deferAfterMs: number;
  /** A node that has not answered by then, not even that it will, is not there any more. */
  readonly takeOverAfterMs: number;
  /** How often whoever waits for another node's answer looks. */
  readonly pollMs: number;
  /** How long what follows an answer waits for the answer to leave; a signature is not good for longer. */
  readonly keepUnsentMs: number;
  /** How long the end of the process waits for what follows answers. */
  readonly closeWithinMs: number;
}
export const BOT_TIMES: BotTimes = {
  deferAfterMs: 2000,
  takeOverAfterMs: 5000,
  pollMs: 100,
  keepUnsentMs: 10 * 60_000,
  closeWithinMs: 10_000,
};

/** An answer to send, and who to tell once it has left. */
export interface Reply {
  /** JSON, the same to the byte each time that the interaction comes. */
  readonly body: string;
  /** Sets off what follows the answer, the first time that it is called. */
  readonly sent: () => void;
}

export interface Bot {
  /** @throws request.invalid for what nobody can have done */
  reply(interaction: Interaction): Promise<Reply>;
  /** Waits for what follows answers that have been sent. */
  close(): Promise<void>;
}

/** What the database refuses for one of many items, and has undone: bad values, constraints, deadlocks. */
const REFUSED = /^(22|23|40)/;
const GATHERING = { max: 100, isUndone: (error: unknown) => REFUSED.test(sqlStateOf(error)) };

const nothing = () => undefined;
const toReply = (response: APIInteractionResponse): Reply => ({ body: JSON.stringify(response), sent: nothing });
const PONG = toReply({ type: InteractionResponseType.Pong });

/** Grants and links in answers are at rest only under the interaction's token, which is kept nowhere. */
const sealerOf = ({ token }: Caller) => createTextSealer(Buffer.from(token), 'interaction answer');

export function createBot(deps: ActsDeps, times: BotTimes = BOT_TIMES): Bot {
  const { db, rest, report } = deps.bot;
  const acts = createActs(deps);
  const claimInteraction = gathered((all: readonly Unclaimed[]) => claimInteractions(db, all), GATHERING);
  const keepAnswer = gathered((all: readonly SealedAnswer[]) => keepAnswers(db, all), GATHERING);
  /** Answers of this node that are being made, or whose first copy has not left yet. */
  const underWay = new Map<string, Promise<Reply>>();
  const following = new Set<Promise<void>>();

  /** The answer of before, or the claim to make it, as soon as there is either. */
  async function claimOrRead(caller: Caller): Promise<Claimed | string> {
    const { interaction_id, discord_id } = caller;
    for (;;) {
      // Each time: a row that the sweep has taken meanwhile must keep nobody waiting for ever.
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

  /** Whose answer goes out; who has lost the claim leaves what follows an answer to the one who took it over. */
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

  /** An answer behind a deferral, whose intent is stored first. */
  async function withIntent(answer: Answer, caller: Caller): Promise<Answer> {
    try {
      if (answer.intent) await saveIntent(db, answer.intent);
      return answer;
    } catch (error) {
      report(error);
      return failure(caller);
    }
  }

  /** Runs once the answer has left, and never before: Discord knows of no message to edit or to follow until then. */
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
    const coming = acts.answer(act, caller, claimed);
    const leftMs = Math.max(0, times.deferAfterMs - (performance.now() - startedMs));
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(late.resolve, leftMs, null);
    const first = await Promise.race([coming, late.promise]);
    clearTimeout(timer);
    const response = first ? toResponse(first, act, caller) : toDeferral(act);
    const made = { body: JSON.stringify(response), intent: first?.intent };
    const { body, isOwn } = await keep(caller, claimed, made).catch((error) => {
      report(error);
      // A link to an intent that is not stored would open nothing.
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
      const choices = [...(await acts.suggest(interaction, caller))];
      return toReply({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
    }
    try {
      return await performOnce(interaction, caller);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Without a database nothing has happened and nothing is kept: the next delivery may do better.
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
