import { answerProblems } from './answer.ts';
import { commandsProblems } from './command-rules.ts';
import { interactionProblems } from './interaction.ts';
import { fieldsIn, isGiven, lengthOf, listIn, numberIn, textIn } from './json.ts';
import { EPHEMERAL, flagsOf, messageProblems, modalProblems } from './message-rules.ts';
import { problemsBySchema } from './schema.ts';

/**
 * Checks of what the bot sends to Discord and of what it is answered there, by Discord's published schema and by the
 * rules that it has in words only. They know nothing of the bot and of the sandbox: both are held to them. Each returns the problems, none if all is well.
 */

/** The type of an answer to an interaction. */
const PONG = 1;
const MESSAGE = 4;
const DEFERRED_MESSAGE = 5;
const DEFERRED_UPDATE = 6;
const UPDATE = 7;
const CHOICES = 8;
const MODAL = 9;

const SCHEMA_OF_TYPE: Readonly<Record<number, string>> = {
  [PONG]: 'PongInteractionCallbackRequest',
  [MESSAGE]: 'CreateMessageInteractionCallbackRequest',
  [DEFERRED_MESSAGE]: 'CreateMessageInteractionCallbackRequest',
  [DEFERRED_UPDATE]: 'UpdateMessageInteractionCallbackRequest',
  [UPDATE]: 'UpdateMessageInteractionCallbackRequest',
  [CHOICES]: 'ApplicationCommandAutocompleteCallbackRequest',
  [MODAL]: 'ModalInteractionCallbackRequest',
};

/** The body of PUT /applications/{id}/commands. */
export function checkCommands(body: unknown): string[] {
  if (!Array.isArray(body)) return ['/: must be array'];
  const bySchema = body.flatMap((command, index) =>
    problemsBySchema('ApplicationCommandUpdateRequest', command, 'strict', `/${index}`),
  );
  return [...bySchema, ...commandsProblems(body)];
}

/** The body of PATCH /applications/@me. */
export const checkApplicationEdit = (body: unknown): string[] =>
  problemsBySchema('ApplicationFormPartial', body, 'strict');

/** What Discord sends to the endpoint of interactions. */
export const checkInteraction = (body: unknown): string[] => interactionProblems(body);

const ANSWERS_OF: Readonly<Record<number, readonly number[]>> = {
  1: [PONG],
  2: [MESSAGE, DEFERRED_MESSAGE, MODAL],
  3: [MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL],
  4: [CHOICES],
  5: [MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE],
};

/** Whether an interaction may be answered so. */
export function checkReplyTo(interaction: unknown, response: unknown): string[] {
  const { type: asked, message } = fieldsIn(interaction);
  const answered = numberIn(fieldsIn(response).type) ?? 0;
  const isOfUpdate = answered === UPDATE || answered === DEFERRED_UPDATE;
  if (!ANSWERS_OF[numberIn(asked) ?? 0]?.includes(answered)) return [`/type: ${answered} answers no ${asked}`];
  return isOfUpdate && !isGiven(message) ? ['/type: there is no message to update'] : [];
}

/** An answer to an interaction: the body of the endpoint's response, or of the callback's request. */
export function checkInteractionResponse(body: unknown): string[] {
  const type = numberIn(fieldsIn(body).type);
  const schema = type === undefined ? undefined : SCHEMA_OF_TYPE[type];
  if (type === undefined || schema === undefined) return ['/type: is of no answer that the bot gives'];
  return [...problemsBySchema(schema, body, 'strict'), ...responseProblems(type, fieldsIn(body).data)];
}

function* responseProblems(type: number, data: unknown): Generator<string> {
  const hasData = isGiven(data);
  if (type === MESSAGE || type === UPDATE || type === CHOICES) {
    if (!hasData) yield '/: lacks data';
  }
  if (type === DEFERRED_UPDATE && hasData) yield '/: a deferred update has no data';
  if (type === MESSAGE) yield* messageProblems(data, 'new', '/data');
  if (type === UPDATE) yield* messageProblems(data, 'edit', '/data');
  if (type === MODAL) yield* modalProblems(data, '/data');
  if (type === DEFERRED_MESSAGE) yield* deferProblems(data);
  if (type === CHOICES) yield* choiceProblems(data);
}

/** Whether others see what is to come is all that can be said beforehand; its components can't be of version 2 yet. */
function* deferProblems(data: unknown): Generator<string> {
  for (const key of Object.keys(fieldsIn(data))) if (key !== 'flags') yield `/data: a deferred message has no ${key}`;
  const forbidden = flagsOf(fieldsIn(data)) & ~EPHEMERAL;
  if (forbidden !== 0) yield `/data/flags: ${forbidden} is not for a deferred message`;
}

function* choiceProblems(data: unknown): Generator<string> {
  if (!Array.isArray(fieldsIn(data).choices)) yield '/data: lacks choices';
  for (const [index, { value }] of listIn(fieldsIn(data).choices).entries()) {
    if (lengthOf(textIn(value)) > 100) yield `/data/choices/${index}/value: longer than 100`;
  }
}

/** The body of PATCH /webhooks/{application}/{token}/messages/…: a reply that is edited. */
export function checkMessageEdit(body: unknown): string[] {
  const bySchema = problemsBySchema('IncomingWebhookUpdateRequestPartial', body, 'strict');
  return [...bySchema, ...messageProblems(body, 'edit')];
}

/** The body of POST /webhooks/{application}/{token}: a further message. */
export function checkFollowUp(body: unknown): string[] {
  return [...problemsBySchema('IncomingWebhookInteractionRequest', body, 'strict'), ...messageProblems(body, 'new')];
}

/**
 * What Discord's API answers an application.
 * @param path without its query
 * @param body parsed, and null or '' where there is none
 */
export const checkAnswer = (method: string, path: string, status: number, body: unknown): string[] =>
  answerProblems(method, path, status, body);
