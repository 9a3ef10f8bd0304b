import {
  checkAnswer,
  checkApplicationEdit,
  checkCommands,
  checkFollowUp,
  checkInteraction,
  checkInteractionResponse,
  checkMessageEdit,
  checkReplyTo,
} from './check.ts';
import { eventProblems } from './interaction.ts';

/** Checks everything that Discord, or the sandbox, and an application send to each other. */

/** A request and its answer, as a proxy between the two sees them. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly sent: string;
  readonly answer: string;
}

/** Text that is no JSON is a problem of its own, wherever JSON belongs. */
function parse(text: string): { readonly body: unknown; readonly problems: readonly string[] } {
  if (text === '') return { body: null, problems: [] };
  try {
    return { body: JSON.parse(text), problems: [] };
  } catch {
    return { body: null, problems: ['/: is no JSON'] };
  }
}

const checkNothing = (body: unknown) => (body === null ? [] : ['/: must be empty']);

type Check = (body: unknown) => string[];
const SENT: readonly (readonly [method: string, path: RegExp, check: Check])[] = [
  ['PUT', /\/applications\/\d+\/commands$/, checkCommands],
  ['PATCH', /\/applications\/@me$/, checkApplicationEdit],
  ['POST', /\/interactions\/\d+\/[^/]+\/callback$/, checkInteractionResponse],
  ['POST', /\/webhooks\/\d+\/[^/]+$/, checkFollowUp],
  ['PATCH', /\/webhooks\/\d+\/[^/]+\/messages\/[^/]+$/, checkMessageEdit],
];

/** Leaves the token out of a path: it says nothing in a failed test. */
const withoutToken = (path: string) => path.replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/]+/, '$1…');

const named = (what: string, { method, path, status }: Exchange, problems: readonly string[]) =>
  problems.map((problem) => `${method} ${withoutToken(path)} (${status}), ${what}: ${problem}`);

/**
 * Checks what an application asked of the API, and the answer. OAuth 2 has an RFC of its own, and is passed over.
 * @returns the problems, a line each, with method, path and status before them
 */
export function checkAsked(exchange: Exchange): string[] {
  const { method, path, status } = exchange;
  if (/\/oauth2\//.test(path)) return [];
  const [sent, answer] = [parse(exchange.sent), parse(exchange.answer)];
  const [, , check] = SENT.find(([on, at]) => on === method && at.test(path)) ?? [];
  const isBodiless = method === 'GET' || method === 'DELETE';
  const sentProblems = check ?? (isBodiless ? checkNothing : () => ['/: what is sent here is not known']);
  return [
    ...named('sent', exchange, [...sent.problems, ...sentProblems(sent.body)]),
    ...named('answer', exchange, [...answer.problems, ...checkAnswer(method, path, status, answer.body)]),
  ];
}

/** Checks what an application was told, and its answer. @returns the problems, a line each */
export function checkTold(exchange: Exchange): string[] {
  const [sent, answer] = [parse(exchange.sent), parse(exchange.answer)];
  const isEvent = exchange.path.endsWith('/events');
  const sentProblems = isEvent ? eventProblems(sent.body) : checkInteraction(sent.body);
  const told = named('sent', exchange, [...sent.problems, ...sentProblems]);
  // A forged one is refused, which is all that its sender looks at.
  if (exchange.status === 401) return told;
  const [expected, check] = isEvent
    ? [204, checkNothing]
    : [200, (body: unknown) => [...checkInteractionResponse(body), ...checkReplyTo(sent.body, body)]];
  const status = exchange.status === expected ? [] : [`/: is answered by ${expected}`];
  return [...told, ...named('answer', exchange, [...status, ...answer.problems, ...check(answer.body)])];
}
