import { AppError } from '@satchel/contract/errors';
import { InteractionType } from 'discord-api-types/v10';
import type { Claimed } from '../domain/discord/interactions.ts';
import { personOf, requireNotBanned } from '../domain/discord/persons.ts';
import { type Act, inPrivate } from './answers.ts';
import type { Answer, BotDeps, Choice, Command } from './command.ts';
import { ERROR_TEXTS, sentenceOf } from './error-texts.ts';
import { type Acting, type Caller, fieldsOf, type Interaction, type Typing, valuesOf } from './interaction.ts';

/** Leads an interaction to its command, past rate limits, bans and malformed input. */

/** Limits how much one person asks of the bot. @returns seconds to wait, or 0 */
export type TakeTurn = (what: 'commands' | 'typing', discordId: string) => number;

export interface DispatcherDeps {
  readonly bot: BotDeps;
  readonly commands: readonly Command[];
  readonly takeTurn: TakeTurn;
}

export type Typed = Extract<Interaction, { type: InteractionType.ApplicationCommandAutocomplete }>;

/** Discord's limit. */
const CHOICES_MAX = 25;

/** The answer to an unexpected failure. */
export const failure = ({ language }: Caller): Answer => inPrivate(ERROR_TEXTS[language].generic);

/** People's own words with a `#` may hold a whole link. */
const hasHash = (values: Readonly<Record<string, unknown>>) =>
  Object.values(values).some((value) => typeof value === 'string' && value.includes('#'));

export interface Dispatcher {
  /** The answer. Every failure becomes an answer in words, too. */
  answer(act: Act, caller: Caller, claimed: Claimed): Promise<Answer>;
  /** Suggestions for what is being typed; none after any failure. */
  suggest(typed: Typed, caller: Caller): Promise<readonly Choice[]>;
}

export function createDispatcher({ bot, commands, takeTurn }: DispatcherDeps): Dispatcher {
  const byName = new Map<string, Command>(commands.map((command) => [command.name, command]));

  function requireTurn(what: 'commands' | 'typing', { discord_id }: Caller): void {
    const retry_after_seconds = takeTurn(what, discord_id);
    if (retry_after_seconds > 0) throw new AppError('request.too_many', { retry_after_seconds });
  }

  async function runClick(act: Exclude<Act, { type: InteractionType.ApplicationCommand }>, caller: Acting) {
    const texts = ERROR_TEXTS[caller.language];
    const [name = '', kind = '', ...args] = act.data.custom_id.split(':');
    const clicks = byName.get(name)?.clicks ?? {};
    const handler = Object.hasOwn(clicks, kind) ? clicks[kind] : undefined;
    if (!handler) return inPrivate(texts.unknownClick);
    const isForm = act.type === InteractionType.ModalSubmit;
    const fields = isForm ? fieldsOf(act) : {};
    if (hasHash(fields)) return inPrivate(texts.hash);
    const values = isForm ? [] : (act.data.values ?? []);
    return handler(bot, { ...caller, args, values, fields });
  }

  async function run(act: Act, caller: Caller, { claim: received_at, ...person }: Claimed): Promise<Answer> {
    requireTurn('commands', caller);
    requireNotBanned(person);
    const known: Acting = { ...caller, profile: person.profile, received_at };
    if (act.type !== InteractionType.ApplicationCommand) return runClick(act, known);
    const texts = ERROR_TEXTS[caller.language];
    const command = byName.get(act.data.name);
    if (!command) return inPrivate(texts.unknownCommand);
    const options = valuesOf(act.data.options);
    if (hasHash(options)) return inPrivate(texts.hash);
    return command.run(bot, { ...known, options });
  }

  async function answer(act: Act, caller: Caller, claimed: Claimed): Promise<Answer> {
    try {
      return await run(act, caller, claimed);
    } catch (error) {
      const sentence = sentenceOf(error, caller.language);
      if (sentence !== null) return inPrivate(sentence);
      bot.report(error);
      return failure(caller);
    }
  }

  async function suggest({ data }: Typed, caller: Caller): Promise<readonly Choice[]> {
    const options = valuesOf(data.options);
    const focused = data.options?.find((option) => option.focused)?.name ?? '';
    const autocomplete = byName.get(data.name)?.autocomplete;
    if (!autocomplete || hasHash(options)) return [];
    try {
      requireTurn('typing', caller);
      const person = await personOf(bot.db, caller.discord_id);
      requireNotBanned(person);
      const typing: Typing = { ...caller, profile: person.profile, options, focused };
      return (await autocomplete(bot, typing)).slice(0, CHOICES_MAX);
    } catch (error) {
      if (sentenceOf(error, caller.language) === null) bot.report(error);
      return [];
    }
  }

  return { answer, suggest };
}
