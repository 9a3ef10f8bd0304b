import {
  checkAnswer,
  checkCommands,
  checkFollowUp,
  checkInteractionResponse,
  checkMessageEdit,
} from '@satchel/discord-schema/check';
import type { Exchange, TappedSite } from './discord-traffic.ts';

/** Holds what bot and sandbox have said to each other to Discord's own schema and rules. */

const parsed = (text: string): unknown => (text === '' ? null : JSON.parse(text));

/** What the bot sends to the API that is more than a question, by route. Signing in is OAuth's matter, not the bot's. */
const SENT: readonly [method: string, path: RegExp, check: (body: unknown) => readonly string[]][] = [
  ['PUT', /\/applications\/\d+\/commands$/, checkCommands],
  ['PATCH', /\/webhooks\/\d+\/[^/]+\/messages\/[^/]+$/, checkMessageEdit],
  ['POST', /\/webhooks\/\d+\/[^/]+$/, checkFollowUp],
];
const IS_OAUTH = /^\/api(\/v10)?\/(oauth2\/|users\/@me$)/;

/** The token in a path is no news to whoever reads a failed test. */
const named = ({ method, path, status }: Exchange, problem: string) =>
  `${method} ${path.replace(/(\/webhooks\/\d+\/)[^/]+/, '$1…')} (${status}): ${problem}`;

function apiProblems(exchange: Exchange): string[] {
  const { method, path, status, sent, answer } = exchange;
  const check = SENT.find(([sentMethod, sentPath]) => sentMethod === method && sentPath.test(path))?.[2];
  const problems = [
    ...(check?.(parsed(sent)) ?? []).map((problem) => `sent ${problem}`),
    ...checkAnswer(method, path, status, parsed(answer)).map((problem) => `answered ${problem}`),
  ];
  return problems.map((problem) => named(exchange, problem));
}

function interactionProblems(exchange: Exchange): string[] {
  const { path, status, answer } = exchange;
  if (path === '/discord/events' && status === 204) return [];
  // What a probe with a bad signature has to get; it is no answer to an interaction.
  if (status === 401) return [];
  const problems = status === 200 ? checkInteractionResponse(parsed(answer)) : ['is no answer to an interaction'];
  return problems.map((problem) => named(exchange, problem));
}

/** Every problem of all that has been said so far. */
export const trafficProblems = ({ fromDiscord, toDiscord }: TappedSite): string[] => [
  ...fromDiscord.flatMap(interactionProblems),
  ...toDiscord.filter(({ path }) => !IS_OAUTH.test(path)).flatMap(apiProblems),
];
