import { InteractionResponseType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { type Fields, fieldsIn, isGiven, numberIn } from './json.ts';
import { commandsInWords, messageInWords, modalInWords } from './rules.ts';
import { lineOf, problemsBySchema } from './schema.ts';

/**
 * Checks of what an application sends to Discord, by Discord's published schema and by the rules that Discord has in words
 * only. Each returns the problems, a short line each with its place, and none if all is well. The checks whose names begin
 * with `check` add what Satchel demands: no message pings anybody, and nobody but its reader sees a secret.
 */

const {
  ApplicationCommandAutocompleteResult: CHOICES,
  ChannelMessageWithSource: MESSAGE,
  DeferredChannelMessageWithSource: DEFERRED_MESSAGE,
  DeferredMessageUpdate: DEFERRED_UPDATE,
  Modal: MODAL,
  Pong: PONG,
  UpdateMessage: UPDATE,
} = InteractionResponseType;

const SCHEMA_OF_TYPE: Readonly<Record<number, string>> = {
  [PONG]: 'PongInteractionCallbackRequest',
  [MESSAGE]: 'CreateMessageInteractionCallbackRequest',
  [DEFERRED_MESSAGE]: 'CreateMessageInteractionCallbackRequest',
  [DEFERRED_UPDATE]: 'UpdateMessageInteractionCallbackRequest',
  [UPDATE]: 'UpdateMessageInteractionCallbackRequest',
  [CHOICES]: 'ApplicationCommandAutocompleteCallbackRequest',
  [MODAL]: 'ModalInteractionCallbackRequest',
};

const ANSWERS_OF: Readonly<Record<number, readonly number[]>> = {
  [InteractionType.Ping]: [PONG],
  [InteractionType.ApplicationCommand]: [MESSAGE, DEFERRED_MESSAGE, MODAL],
  [InteractionType.MessageComponent]: [MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL],
  [InteractionType.ApplicationCommandAutocomplete]: [CHOICES],
  [InteractionType.ModalSubmit]: [MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE],
};

/** What may answer an interaction of that type. A modal's submission updates a message only where it came from one. */
export function answersTo(type: number, hasMessage: boolean): readonly number[] {
  const answers = ANSWERS_OF[type] ?? [];
  return hasMessage ? answers : answers.filter((answer) => answer !== UPDATE && answer !== DEFERRED_UPDATE);
}

/** What a message is sent as. */
export type Sent = 'new' | 'edit';
const SCHEMA_OF_MESSAGE = { new: 'IncomingWebhookInteractionRequest', edit: 'IncomingWebhookUpdateRequestPartial' };

/** A message by a webhook, or what changes one. */
export const messageProblems = (body: unknown, sent: Sent): string[] => [
  ...problemsBySchema(SCHEMA_OF_MESSAGE[sent], body),
  ...messageInWords(body, ''),
];

/** The body of PATCH /applications/@me. */
export const settingsProblems = (body: unknown): string[] => problemsBySchema('ApplicationFormPartial', body);

/** The body of PUT /applications/{id}/commands. */
export function commandProblems(body: unknown): string[] {
  if (!Array.isArray(body)) return ['/: must be array'];
  const bySchema = body.flatMap((command, index) =>
    problemsBySchema('ApplicationCommandUpdateRequest', command, `/${index}`),
  );
  return [...bySchema, ...commandsInWords(body)];
}

/** An answer to an interaction. */
export function answerProblems(body: unknown): string[] {
  const { type: given, data } = fieldsIn(body);
  const type = numberIn(given) ?? 0;
  const schema = SCHEMA_OF_TYPE[type];
  if (schema === undefined) return ['/type: is of no answer that the bot gives'];
  const needsData = type === MESSAGE || type === UPDATE || type === CHOICES;
  return [
    ...problemsBySchema(schema, body),
    ...(needsData && !isGiven(data) ? ['/: lacks data'] : []),
    ...(type === MESSAGE || type === UPDATE ? messageInWords(data, '/data') : []),
    ...(type === MODAL ? modalInWords(data, '/data') : []),
    ...(type === DEFERRED_MESSAGE ? deferProblems(fieldsIn(data)) : []),
  ];
}

/** Whether others see what is to come is all that can be said beforehand. */
function* deferProblems(data: Fields): Generator<string> {
  for (const key of Object.keys(data)) if (key !== 'flags') yield lineOf('/data', `a deferred message has no ${key}`);
  const forbidden = flagsOf(data) & ~MessageFlags.Ephemeral;
  if (forbidden !== 0) yield lineOf('/data/flags', `${forbidden} is not for a deferred message`);
}

const flagsOf = (message: Fields): number => numberIn(message.flags) ?? 0;

const isEmpty = (value: unknown) =>
  !isGiven(value) || (typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0);

/** A new message has something in it. An edit may leave a part as it is, but must not take all of them away. */
function saysNothing({ content, embeds, components }: Fields, sent: Sent): boolean {
  if (sent === 'new') return [content, embeds, components].every(isEmpty);
  return [content, embeds].every((part) => part !== undefined && isEmpty(part)) && isEmpty(components);
}

function* messageDemands(value: unknown, sent: Sent, at = ''): Generator<string> {
  const message = fieldsIn(value);
  if (saysNothing(message, sent)) yield lineOf(at, 'says nothing');
  // Names of people and folders stand in messages: none may ping anybody.
  if (JSON.stringify(message.allowed_mentions) !== '{"parse":[]}') {
    yield lineOf(at, 'lacks allowed_mentions with an empty parse, so words may ping');
  }
  if (sent === 'edit') {
    // Who sees a message was settled when it was sent.
    if ((flagsOf(message) & MessageFlags.Ephemeral) !== 0) yield lineOf(`${at}/flags`, 'an edit can’t hide a message');
    return;
  }
  if ((flagsOf(message) & MessageFlags.Ephemeral) !== 0) return;
  // A key or a grant stands after the `#` of an address: only who is meant to have it may see it.
  const [address] = /https?:\/\/[^\s"\\)>]*#\w/.exec(JSON.stringify(message)) ?? [];
  if (address !== undefined) yield lineOf(at, 'everybody sees an address with a secret after its #');
}

export const checkCommands = commandProblems;
export const checkApplicationEdit = settingsProblems;

/** Checks whether the type of an answer fits its interaction. */
export function checkReplyTo(interaction: unknown, response: unknown): string[] {
  const { type: asked, message } = fieldsIn(interaction);
  const answered = numberIn(fieldsIn(response).type) ?? 0;
  const isTaken = answersTo(numberIn(asked) ?? 0, isGiven(message)).includes(answered);
  return isTaken ? [] : [`/type: ${answered} answers no ${asked}`];
}

/** Checks an answer to an interaction. */
export function checkInteractionResponse(body: unknown): string[] {
  const { type, data } = fieldsIn(body);
  const demands = type === MESSAGE ? messageDemands(data, 'new', '/data') : [];
  return [...answerProblems(body), ...demands, ...(type === UPDATE ? messageDemands(data, 'edit', '/data') : [])];
}

/** Checks the body of PATCH /webhooks/{application}/{token}/messages/…, an edit. */
export const checkMessageEdit = (body: unknown): string[] => [
  ...messageProblems(body, 'edit'),
  ...messageDemands(body, 'edit'),
];

/** Checks the body of POST /webhooks/{application}/{token}, a further message. */
export const checkFollowUp = (body: unknown): string[] => [
  ...messageProblems(body, 'new'),
  ...messageDemands(body, 'new'),
];
