import {
  checkFollowUp,
  checkInteractionResponse,
  checkMessageEdit,
  checkReplyTo,
} from '@satchel/discord-sandbox/schema/check';
import {
  InteractionContextType,
  InteractionType,
  PermissionFlagsBits,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
  type RESTPostAPIWebhookWithTokenJSONBody,
} from 'discord-api-types/v10';
import type { DiscordRest } from '../../../src/platform/discord/discord-rest.ts';
import { idOf, type TestApp } from '../test-app.ts';
import { signedHeaders } from './discord-keys.ts';

/**
 * Uses the bot as Discord does: by signed interactions over HTTP, with a fake of Discord's API that records the bot's
 * calls.
 *
 *     const said = recordRest();
 *     const app = await createTestApp({ deps: { discordRest: said.rest } });
 *     const { body } = await command(app, 'mika', 'list', { page: 2 }, { guild_id: '42' });
 *     await click(app, 'mika', customId('delete', 'yes', folderId));
 *     await submit(app, 'mika', customId('share', 'extend', folderId), { hours: '3' });
 *     await said.until(1); // what runs after the answer
 *
 * People are named as they sign in (`app.signIn('mika')`): the same name is the same Discord account.
 *
 * Every answer and call of the bot is checked against Discord's published schema and rules
 * (`@satchel/discord-sandbox/schema`): what Discord would refuse fails the test.
 */

/** @throws if there are problems */
function refuse(problems: readonly string[], said: unknown): void {
  if (problems.length === 0) return;
  throw new Error(`Discord would not take this:\n${problems.join('\n')}\n${JSON.stringify(said, null, 1)}`);
}

type Values = Readonly<Record<string, string | number | boolean>>;

/** Where and how a person uses the bot. */
export interface Place {
  /** A server; without it, direct messages with the bot. */
  readonly guild_id?: string;
  /** A private chat with others. */
  readonly isPrivateChat?: boolean;
  /** Discord's, such as `de` or `es-ES`. */
  readonly locale?: string;
  /** False: a person's own app, in a server that forbids external apps. */
  readonly mayUseExternalApps?: boolean;
  /** What the person may do in the server, beside using external apps. */
  readonly permissions?: bigint;
  readonly channel_id?: string;
  /** The interaction's id; a new one each time if left out. */
  readonly id?: string;
  readonly token?: string;
}

/** The answer; `data` is the message or form, for every type of answer. */
export interface BotAnswer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as Discord's JSON
  readonly body: any;
  /** The interaction's token, by which the bot can edit its answer. */
  readonly token: string;
}

let count = 0;
const nextId = () => String(1_300_000_000_000_000_000n + BigInt(Date.now() % 1_000_000) * 1_000_000n + BigInt(++count));
const SERVER_APP = { '0': '1', '1': '2' };

/** An interaction in Discord's words. */
export function makeInteraction(app: TestApp, as: string, rest: object, place: Place = {}) {
  const { guild_id, locale = 'en-US', mayUseExternalApps = true, id = nextId(), token = `token-of-${id}` } = place;
  const directContext = place.isPrivateChat ? InteractionContextType.PrivateChannel : InteractionContextType.BotDM;
  const user = { id: idOf(as), username: as, discriminator: '0', global_name: null, avatar: null };
  const { permissions = 0n, channel_id = '900000000000000001' } = place;
  const all = permissions | (mayUseExternalApps ? PermissionFlagsBits.UseExternalApps : 0n);
  const member = { user, permissions: String(all), roles: [] };
  return {
    version: 1,
    id,
    application_id: app.config.discord.clientId,
    token,
    locale,
    channel_id,
    context: guild_id === undefined ? directContext : InteractionContextType.Guild,
    authorizing_integration_owners: mayUseExternalApps ? SERVER_APP : { '1': user.id },
    ...(guild_id === undefined ? { user } : { guild_id, member }),
    ...rest,
  };
}

/** Sends a body to the bot like Discord, signed unless the headers say otherwise. */
export async function send(app: TestApp, body: string, headers: Record<string, string> = signedHeaders(body)) {
  const response = await fetch(`${app.baseUrl}/discord/interactions`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

async function interact(app: TestApp, as: string, rest: object, place?: Place): Promise<BotAnswer> {
  const interaction = makeInteraction(app, as, rest, place);
  const { status, text } = await send(app, JSON.stringify(interaction));
  const body = text === '' ? null : JSON.parse(text);
  if (status === 200) refuse([...checkInteractionResponse(body), ...checkReplyTo(interaction, body)], body);
  return { status, text, body, token: interaction.token };
}

const STRING = 3;
const INTEGER = 4;
const BOOLEAN = 5;
const typeOf = (value: string | number | boolean) =>
  typeof value === 'string' ? STRING : typeof value === 'number' ? INTEGER : BOOLEAN;
const toOptions = (options: Values, focused?: string) =>
  Object.entries(options).map(([name, value]) => ({
    name,
    value,
    type: typeOf(value),
    ...(name === focused && { focused: true }),
  }));

export const commandBody = (name: string, options: Values = {}) => ({
  type: InteractionType.ApplicationCommand,
  data: { id: '7', type: 1, name, options: toOptions(options) },
});

/** Uses a slash command. */
export const command = (app: TestApp, as: string, name: string, options: Values = {}, place?: Place) =>
  interact(app, as, commandBody(name, options), place);

/** Types into the option `focused` and returns the suggestions. */
export const autocomplete = (
  app: TestApp,
  as: string,
  name: string,
  { options, focused }: { options: Values; focused: string },
  place?: Place,
) =>
  interact(
    app,
    as,
    {
      type: InteractionType.ApplicationCommandAutocomplete,
      data: { id: '7', type: 1, name, options: toOptions(options, focused) },
    },
    place,
  );

const MESSAGE = { id: '910000000000000001', content: '', embeds: [], components: [] };

/** Clicks a button, or chooses `values` in a select. */
export const click = (
  app: TestApp,
  as: string,
  custom_id: string,
  { values, ...place }: Place & { values?: string[] } = {},
) =>
  interact(
    app,
    as,
    {
      type: InteractionType.MessageComponent,
      message: MESSAGE,
      data: { custom_id, component_type: values ? 3 : 2, ...(values && { values }) },
    },
    place,
  );

/** Fills in a form that a click on a message opened. */
export const submit = (
  app: TestApp,
  as: string,
  custom_id: string,
  fields: Readonly<Record<string, string>>,
  place?: Place,
) =>
  interact(
    app,
    as,
    {
      type: InteractionType.ModalSubmit,
      message: MESSAGE,
      data: {
        custom_id,
        components: Object.entries(fields).map(([name, value], index) => ({
          type: 18,
          id: index + 1,
          component: { type: 4, id: index + 100, custom_id: name, value },
        })),
      },
    },
    place,
  );

/** The bot's own calls to Discord; the token of a channel's webhook is `id/token`. */
export interface Said {
  readonly what: 'editReply' | 'followUp' | 'post';
  readonly token: string;
  readonly message: RESTPatchAPIWebhookWithTokenMessageJSONBody & RESTPostAPIWebhookWithTokenJSONBody;
}

/**
 * Checks a message as `platform/discord/discord-rest` sends it: as JSON, without pings. The bot catches errors of its
 * calls and continues, so a problem is thrown outside of any call, where it fails the test run.
 */
function refuseSaid({ what, message }: Said): void {
  const sent = { ...JSON.parse(JSON.stringify(message)), allowed_mentions: { parse: [] } };
  const problems = what === 'editReply' ? checkMessageEdit(sent) : checkFollowUp(sent);
  queueMicrotask(() => refuse(problems, sent));
}

/** A fake of Discord's API that records calls. `until(n)` waits for the n-th call. */
export function recordRest(onCall: (said: Said) => Promise<void> | void = () => undefined) {
  const all: Said[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const record =
    (what: Said['what']) =>
    async (token: string, message: Said['message']): Promise<void> => {
      const said = { what, token, message };
      refuseSaid(said);
      await onCall(said);
      all.push(said);
      for (const { count: wanted, resolve } of waiting) if (all.length >= wanted) resolve();
    };
  const post = record('post');
  const rest: DiscordRest = {
    editReply: record('editReply'),
    followUp: record('followUp'),
    post: ({ id, token }, content) => post(`${id}/${token}`, { content }),
  };
  const until = (wanted: number) =>
    new Promise<void>((resolve) => {
      if (all.length >= wanted) resolve();
      else waiting.push({ count: wanted, resolve });
    });
  return { rest, all, until };
}
