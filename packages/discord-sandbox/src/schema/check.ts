import { InteractionResponseType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { commandsInWords, type Fields, fieldsIn, messageInWords, modalInWords } from './rules.ts';
import { lineOf, problemsBySchema } from './schema.ts';

/**
 * Checks of what an application sends to Discord, by Discord's published schema and by the rules that Discord has in words
 * only. Each returns the problems, a short line each with its place, and none if all is well. `checkInteractionResponse`,
 * `checkMessageEdit` and `checkFollowUp` add what Satchel demands: no message mentions a person so that Discord pings them, and
 * a secret stands only in a message for one reader.
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

/** What a message is sent as. */
type Sent = 'new' | 'edit';
const SCHEMA_OF_MESSAGE = { new: 'IncomingWebhookInteractionRequest', edit: 'IncomingWebhookUpdateRequestPartial' };

/** A message by a webhook, or what changes one. */
export const messageProblems = (body: unknown, sent: Sent): string[] => [
  ...problemsBySchema(SCHEMA_OF_MESSAGE[sent], body),
  ...messageInWords(body, ''),
];

/** The body of PATCH /applications/@me. */
export const checkApplicationEdit = (body: unknown): string[] => problemsBySchema('ApplicationFormPartial', body);

/** The body of PUT /applications/{id}/commands. */
export function checkCommands(body: unknown): string[] {
  if (!Array.isArray(body)) return ['/: must be array'];
  const bySchema = body.flatMap((command, index) =>
    problemsBySchema('ApplicationCommandUpdateRequest', command, `/${index}`),
  );
  return [...bySchema, ...commandsInWords(body)];
}

/**
 * Whether the type of an answer fits its interaction. A modal's submission updates a message only where it came from one.
 * @param interaction as Discord sends it, with `message` if it is about one
 */
export function checkReplyTo(interaction: unknown, response: unknown): string[] {
  const { type: asked, message } = fieldsIn(interaction);
  const answered = Number(fieldsIn(response).type);
  const needsMessage = answered === UPDATE || answered === DEFERRED_UPDATE;
  const isTaken = ANSWERS_OF[Number(asked)]?.includes(answered) && (message || !needsMessage);
  return isTaken ? [] : [`/type: ${answered} answers no ${asked}`];
}

const isPrivate = ({ flags }: Fields): boolean => (Number(flags) & MessageFlags.Ephemeral) !== 0;

/** An answer to an interaction. */
export function answerProblems(body: unknown): string[] {
  const { type, data } = fieldsIn(body);
  const schema = SCHEMA_OF_TYPE[Number(type)];
  if (schema === undefined) return ['/type: is of no answer that the bot gives'];
  const isMessage = type === MESSAGE || type === UPDATE;
  return [
    ...problemsBySchema(schema, body),
    ...(isMessage && !data ? ['/: lacks data'] : []),
    ...(isMessage ? messageInWords(data, '/data') : []),
    ...(type === MODAL ? modalInWords(data, '/data') : []),
  ];
}

const isEmpty = (value: unknown) => !value || String(value).trim() === '';

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
  // Who sees a message was settled when it was sent.
  if (sent === 'edit' && isPrivate(message)) yield lineOf(`${at}/flags`, 'an edit can’t hide a message');
  if (sent === 'edit' || isPrivate(message)) return;
  // A key or a grant stands after the `#` of an address: only who is meant to have it may see it.
  if (/https?:\/\/[^\s"\\)>]*#\w/.test(JSON.stringify(message))) {
    yield lineOf(at, 'everybody sees an address with a secret after its #');
  }
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
