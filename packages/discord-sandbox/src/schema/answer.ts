import { fieldsIn, isGiven, numberIn, textIn } from './json.ts';
import { problemsBySchema } from './schema.ts';

/** What an application is answered by Discord's API, by route and status. */

type Shape = { readonly schema: string; readonly isList?: boolean } | 'nothing';

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answers: Readonly<Record<number, Shape>>;
}

const ID = '(\\d+)';
const TOKEN = '([^/]+)';
const MESSAGE_ID = '(@original|\\d+)';
const at = (path: string) => new RegExp(`^/api(/v10)?${path}$`);
const one = (schema: string): Shape => ({ schema });
const list = (schema: string): Shape => ({ schema, isList: true });

const APPLICATION = { 200: one('PrivateApplicationResponse') };
const COMMAND = 'ApplicationCommandResponse';
const MESSAGE = { 200: one('MessageResponse') };
const COMMANDS_PATH = at(`/applications/${ID}/commands`);
const COMMAND_PATH = at(`/applications/${ID}/commands/${ID}`);
const MESSAGE_PATH = at(`/webhooks/${ID}/${TOKEN}/messages/${MESSAGE_ID}`);

const ROUTES: readonly Route[] = [
  { method: 'GET', path: at('/applications/@me'), answers: APPLICATION },
  { method: 'PATCH', path: at('/applications/@me'), answers: APPLICATION },
  { method: 'GET', path: COMMANDS_PATH, answers: { 200: list(COMMAND) } },
  { method: 'PUT', path: COMMANDS_PATH, answers: { 200: list(COMMAND) } },
  { method: 'POST', path: COMMANDS_PATH, answers: { 200: one(COMMAND), 201: one(COMMAND) } },
  { method: 'GET', path: COMMAND_PATH, answers: { 200: one(COMMAND) } },
  { method: 'PATCH', path: COMMAND_PATH, answers: { 200: one(COMMAND) } },
  { method: 'DELETE', path: COMMAND_PATH, answers: { 204: 'nothing' } },
  {
    method: 'POST',
    path: at(`/interactions/${ID}/${TOKEN}/callback`),
    answers: { 200: one('InteractionCallbackResponse'), 204: 'nothing' },
  },
  { method: 'GET', path: at('/users/@me'), answers: { 200: one('UserPIIResponse') } },
  { method: 'GET', path: at('/users/@me/guilds'), answers: { 200: list('MyGuildResponse') } },
  { method: 'POST', path: at(`/webhooks/${ID}/${TOKEN}`), answers: MESSAGE },
  { method: 'GET', path: MESSAGE_PATH, answers: MESSAGE },
  { method: 'PATCH', path: MESSAGE_PATH, answers: MESSAGE },
  { method: 'DELETE', path: MESSAGE_PATH, answers: { 204: 'nothing' } },
];

const INVALID_FORM_BODY = 50035;

/**
 * A body of an error. Its tree of details is checked by hand: the published schema has their codes as numbers, but they
 * are words such as BASE_TYPE_REQUIRED.
 */
function* errorProblems(status: number, body: unknown): Generator<string> {
  const { errors, ...rest } = fieldsIn(body);
  yield* problemsBySchema(status === 429 ? 'RatelimitedResponse' : 'Error', rest, 'open');
  if (numberIn(rest.code) === INVALID_FORM_BODY) {
    if (status !== 400) yield `/: ${INVALID_FORM_BODY} with the status ${status}`;
    if (!isGiven(errors)) yield '/: lacks errors, which say where the body is wrong';
  }
  if (isGiven(errors)) yield* detailProblems(errors, '/errors');
}

function* detailProblems(value: unknown, at: string): Generator<string> {
  const { _errors: own, ...inner } = fieldsIn(value);
  if (own === undefined && Object.keys(inner).length === 0) yield `${at}: says nothing`;
  if (own !== undefined && !Array.isArray(own)) yield `${at}/_errors: must be array`;
  for (const [index, error] of (Array.isArray(own) ? own : []).entries()) {
    const { code, message } = fieldsIn(error);
    if (!/^[A-Z][A-Z0-9_]+$/.test(textIn(code))) yield `${at}/_errors/${index}/code: is no code`;
    if (textIn(message) === '') yield `${at}/_errors/${index}: lacks message`;
  }
  for (const [key, each] of Object.entries(inner)) yield* detailProblems(each, `${at}/${key}`);
}

function bodyProblems(shape: Shape, body: unknown): string[] {
  if (shape === 'nothing') return isGiven(body) && body !== '' ? ['/: must be empty'] : [];
  const { schema, isList = false } = shape;
  if (!isList) return problemsBySchema(schema, body, 'open');
  if (!Array.isArray(body)) return ['/: must be array'];
  return body.flatMap((each, index) => problemsBySchema(schema, each, 'open', `/${index}`));
}

export function answerProblems(method: string, path: string, status: number, body: unknown): string[] {
  if (status >= 400) return [...errorProblems(status, body)];
  const route = ROUTES.find((each) => each.method === method && each.path.test(path));
  const shape = route?.answers[status];
  if (shape === undefined) return [`/: Discord does not answer this by ${status}`];
  return bodyProblems(shape, body);
}
