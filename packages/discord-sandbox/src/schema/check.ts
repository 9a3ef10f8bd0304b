import { answerProblems } from './answer.ts';
import { linesBy } from './faults.ts';
import { interactionProblems } from './interaction.ts';
import { fieldsIn, isGiven, numberIn } from './json.ts';
import { commandDemands, flagsOf, messageDemands, modalDemands } from './own-demands.ts';
import { commandsInWords } from './rules/command-rules.ts';
import { messageInWords, type Sent } from './rules/message-rules.ts';
import {
  answersTo,
  CHOICES,
  DEFERRED_MESSAGE,
  DEFERRED_UPDATE,
  EPHEMERAL,
  MESSAGE,
  MODAL,
  modalInWords,
  PONG,
  UPDATE,
} from './rules/reply-rules.ts';
import { problemsBySchema } from './schema.ts';

/**
 * Checks of what an application sends to Discord and of what it is answered there, by Discord's published schema, by the
 * rules that it has in words only, and by what is demanded beyond these (`own-demands`). Each returns the problems, a
 * short line each with its place, and none if all is well.
 */

const SCHEMA_OF_TYPE: Readonly<Record<number, string>> = {
  [PONG]: 'PongInteractionCallbackRequest',
  [MESSAGE]: 'CreateMessageInteractionCallbackRequest',
  [DEFERRED_MESSAGE]: 'CreateMessageInteractionCallbackRequest',
  [DEFERRED_UPDATE]: 'UpdateMessageInteractionCallbackRequest',
  [UPDATE]: 'UpdateMessageInteractionCallbackRequest',
  [CHOICES]: 'ApplicationCommandAutocompleteCallbackRequest',
  [MODAL]: 'ModalInteractionCallbackRequest',
};

/** Checks the body of PUT /applications/{id}/commands. @returns the problems, a line each; none if all is well */
export function checkCommands(body: unknown): string[] {
  if (!Array.isArray(body)) return ['/: must be array'];
  const bySchema = body.flatMap((command, index) =>
    problemsBySchema('ApplicationCommandUpdateRequest', command, 'strict', `/${index}`),
  );
  return [...bySchema, ...linesBy(commandsInWords, body), ...commandDemands(body)];
}

/** Checks the body of PATCH /applications/@me. @returns the problems, a line each */
export const checkApplicationEdit = (body: unknown): string[] =>
  problemsBySchema('ApplicationFormPartial', body, 'strict');

/** Checks what Discord sends to the endpoint of interactions. @returns the problems, a line each */
export const checkInteraction = (body: unknown): string[] => interactionProblems(body);

/** Checks whether the type of an answer fits its interaction. @returns the problem as a line, or none */
export function checkReplyTo(interaction: unknown, response: unknown): string[] {
  const { type: asked, message } = fieldsIn(interaction);
  const kind = numberIn(asked) ?? 0;
  const answered = numberIn(fieldsIn(response).type) ?? 0;
  if (answersTo(kind, isGiven(message)).includes(answered)) return [];
  const isOfUpdate = answersTo(kind, true).includes(answered);
  return [isOfUpdate ? '/type: there is no message to update' : `/type: ${answered} answers no ${asked}`];
}

const messageProblems = (data: unknown, sent: Sent, path: readonly string[] = []): string[] => [
  ...linesBy(messageInWords, data, path),
  ...messageDemands(data, sent, path.map((key) => `/${key}`).join('')),
];

/**
 * Checks an answer to an interaction: the body of the endpoint's response, or of the callback's request.
 * @returns the problems, a line each
 */
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
  if (type === MESSAGE) yield* messageProblems(data, 'new', ['data']);
  if (type === UPDATE) yield* messageProblems(data, 'edit', ['data']);
  if (type === MODAL) yield* [...linesBy(modalInWords, data, ['data']), ...modalDemands(data, '/data')];
  if (type === DEFERRED_MESSAGE) yield* deferProblems(data);
  if (type === CHOICES && !Array.isArray(fieldsIn(data).choices)) yield '/data: lacks choices';
}

/** Whether others see what is to come is all that can be said beforehand; its components can't be of version 2 yet. */
function* deferProblems(data: unknown): Generator<string> {
  for (const key of Object.keys(fieldsIn(data))) if (key !== 'flags') yield `/data: a deferred message has no ${key}`;
  const forbidden = flagsOf(fieldsIn(data)) & ~EPHEMERAL;
  if (forbidden !== 0) yield `/data/flags: ${forbidden} is not for a deferred message`;
}

/** Checks the body of PATCH /webhooks/{application}/{token}/messages/…, an edit. @returns the problems, a line each */
export function checkMessageEdit(body: unknown): string[] {
  const bySchema = problemsBySchema('IncomingWebhookUpdateRequestPartial', body, 'strict');
  return [...bySchema, ...messageProblems(body, 'edit')];
}

/** Checks the body of POST /webhooks/{application}/{token}, a further message. @returns the problems, a line each */
export function checkFollowUp(body: unknown): string[] {
  return [...problemsBySchema('IncomingWebhookInteractionRequest', body, 'strict'), ...messageProblems(body, 'new')];
}

/**
 * Checks what Discord's API answers an application.
 * @param path without its query
 * @param body parsed, and null or '' where there is none
 * @returns the problems, a line each
 */
export const checkAnswer = (method: string, path: string, status: number, body: unknown): string[] =>
  answerProblems(method, path, status, body);
