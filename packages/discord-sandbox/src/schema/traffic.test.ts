import { expect, test } from 'vitest';
import { act, MESSAGE, ping } from './test-interactions.ts';
import { checkAsked, checkTold, type Exchange } from './traffic.ts';

const edit = (over: Partial<Exchange> = {}): Exchange => ({
  method: 'PATCH',
  path: '/api/v10/webhooks/845027738276462632/A_TOKEN/messages/@original',
  status: 200,
  sent: JSON.stringify({ content: 'Hi', allowed_mentions: { parse: [] } }),
  answer: JSON.stringify(MESSAGE),
  ...over,
});
const told = (sent: object, answer: object, over: Partial<Exchange> = {}): Exchange => ({
  method: 'POST',
  path: '/discord/interactions',
  status: 200,
  sent: JSON.stringify(sent),
  answer: JSON.stringify(answer),
  ...over,
});
const HELLO = { type: 4, data: { content: 'Hi', allowed_mentions: { parse: [] } } };

test('what is well asked and answered has no problem', () => {
  expect(checkAsked(edit())).toEqual([]);
  expect(checkAsked(edit({ method: 'GET', sent: '' }))).toEqual([]);
  expect(checkAsked(edit({ path: '/api/v10/oauth2/token', method: 'POST', sent: 'grant_type=a' }))).toEqual([]);
  const settings = { interactions_endpoint_url: 'https://a.example/discord/interactions', event_webhooks_status: 2 };
  const refused = JSON.stringify({ message: '401: Unauthorized', code: 0 });
  const path = '/api/v10/applications/@me';
  expect(checkAsked(edit({ path, sent: JSON.stringify(settings), status: 401, answer: refused }))).toEqual([]);
});

test.each<[string, Exchange, RegExp]>([
  ['what was sent', edit({ sent: '{"content":"Hi"}' }), /, sent: .* lacks allowed_mentions/],
  ['what was answered', edit({ answer: '{}' }), /, answer: .*: lacks id/],
  ['what is no JSON', edit({ answer: '<html>' }), /answer: .*is no JSON/],
  ['a body where none belongs', edit({ method: 'GET' }), /sent: .*must be empty/],
  ['a body of an unknown route', edit({ method: 'PUT' }), /sent: .*not known/],
  [
    'a setting that there is none of',
    edit({ path: '/api/v10/applications/@me', sent: '{"webhook":1}' }),
    /has no webhook/,
  ],
  [
    'commands that are none',
    edit({ method: 'PUT', path: '/api/v10/applications/845027738276462632/commands' }),
    /sent: .*must be array/,
  ],
  [
    'an answer by callback that is none',
    edit({ method: 'POST', path: '/api/v10/interactions/1/A_TOKEN/callback' }),
    /sent: .*is of no answer/,
  ],
  [
    'a further message that may ping',
    edit({ method: 'POST', path: '/api/v10/webhooks/1/A_TOKEN', sent: '{"content":"Hi"}' }),
    /sent: .*lacks allowed_mentions/,
  ],
])('of what is asked, it finds %s', (_name, exchange, expected) => {
  const problems = checkAsked(exchange).join('\n');
  expect(problems).toMatch(expected);
  expect(problems).not.toContain('A_TOKEN');
});

test('what is well told and answered has no problem', () => {
  expect(checkTold(told(ping(), { type: 1 }))).toEqual([]);
  expect(checkTold(told(act(), HELLO))).toEqual([]);
  expect(checkTold(told(act(), { error: {} }, { status: 401 }))).toEqual([]);
  const event = { version: 1, application_id: '845027738276462632', type: 0 };
  expect(checkTold(told(event, {}, { path: '/discord/events', status: 204, answer: '' }))).toEqual([]);
});

test.each<[string, Exchange, RegExp]>([
  ['an interaction that is none', told({ type: 2 }, HELLO), /sent: .*lacks channel/],
  ['an answer that is none', told(act(), { type: 4 }), /answer: .*says nothing/],
  ['an answer to something else', told(act(), { type: 1 }), /answer: .*1 answers no 2/],
  ['another status', told(act(), HELLO, { status: 500 }), /answered by 200/],
  ['a forged one that is none', told({ type: 2 }, {}, { status: 401 }), /sent: .*lacks channel/],
  [
    'an event with an answer',
    told({ type: 0 }, { ok: true }, { path: '/discord/events' }),
    /answered by 204[\s\S]*must be empty/,
  ],
])('of what is told, it finds %s', (_name, exchange, expected) => {
  expect(checkTold(exchange).join('\n')).toMatch(expected);
});
