import { describe, expect, test } from 'vitest';
import { checkAnswer } from './check.ts';
import { MESSAGE } from './test-interactions.ts';

const API = '/api/v10';
const COMMANDS = `${API}/applications/845027738276462632/commands`;
const ORIGINAL = `${API}/webhooks/845027738276462632/token/messages/@original`;
const COMMAND = {
  id: '771825006014889984',
  application_id: '845027738276462632',
  version: '771825006014889985',
  default_member_permissions: null,
  type: 1,
  name: 'share',
  description: 'Shares a folder',
};
const form = (errors?: unknown) => ({
  code: 50_035,
  message: 'Invalid Form Body',
  ...(errors !== undefined && { errors }),
});
const detail = (code: unknown, message: unknown = 'This field is required') => ({
  name: { _errors: [{ code, message }] },
});

test.each<[string, readonly string[]]>([
  ['a message', checkAnswer('PATCH', ORIGINAL, 200, MESSAGE)],
  ['a further message', checkAnswer('POST', `${API}/webhooks/845027738276462632/token`, 200, MESSAGE)],
  [
    'a message without the version of the API in its path',
    checkAnswer('GET', ORIGINAL.replace('/v10', ''), 200, MESSAGE),
  ],
  ['that a message is gone', checkAnswer('DELETE', ORIGINAL, 204, null)],
  ['a list of commands', checkAnswer('PUT', COMMANDS, 200, [COMMAND])],
  ['an acknowledgement', checkAnswer('POST', `${API}/interactions/1/token/callback`, 204, '')],
  ['a refusal', checkAnswer('PATCH', ORIGINAL, 404, { code: 10_008, message: 'Unknown Message' })],
  ['a refusal of a body', checkAnswer('PUT', COMMANDS, 400, form({ 0: detail('BASE_TYPE_REQUIRED') }))],
  [
    'a rate limit',
    checkAnswer('PATCH', ORIGINAL, 429, {
      message: 'You are being rate limited.',
      code: 0,
      retry_after: 0.5,
      global: false,
    }),
  ],
])('is answered as Discord does: %s', (_name, problems) => {
  expect(problems).toEqual([]);
});

describe('is not answered as Discord does:', () => {
  test.each<[string, readonly string[], string]>([
    ['half a message', checkAnswer('PATCH', ORIGINAL, 200, { ...MESSAGE, author: undefined }), '/: lacks author'],
    [
      'a message with an author of no id',
      checkAnswer('PATCH', ORIGINAL, 200, { ...MESSAGE, author: { ...MESSAGE.author, id: 1 } }),
      '/author/id: must be string',
    ],
    ['no message', checkAnswer('PATCH', ORIGINAL, 200, null), '/: must be object'],
    ['one command where a list belongs', checkAnswer('PUT', COMMANDS, 200, COMMAND), '/: must be array'],
    [
      'a command without id',
      checkAnswer('PUT', COMMANDS, 200, [COMMAND, { ...COMMAND, id: undefined }]),
      '/1: lacks id',
    ],
    ['an acknowledgement with words', checkAnswer('DELETE', ORIGINAL, 204, { ok: true }), '/: must be empty'],
    [
      'a status of no such answer',
      checkAnswer('PATCH', ORIGINAL, 202, MESSAGE),
      '/: Discord does not answer this by 202',
    ],
    [
      'a route that there is none of',
      checkAnswer('GET', '/api/v10/nothing', 200, {}),
      '/: Discord does not answer this by 200',
    ],
    ['a refusal without a code', checkAnswer('PATCH', ORIGINAL, 404, { message: 'Unknown' }), '/: lacks code'],
    ['a refusal by words alone', checkAnswer('PATCH', ORIGINAL, 404, 'Not found'), '/: lacks message'],
    [
      'a refused body that is not told of',
      checkAnswer('PUT', COMMANDS, 400, form()),
      '/: lacks errors, which say where the body is wrong',
    ],
    ['a refused body by another status', checkAnswer('PUT', COMMANDS, 422, form({})), '/: 50035 with the status 422'],
    ['details of nothing', checkAnswer('PUT', COMMANDS, 400, form({ name: {} })), '/errors/name: says nothing'],
    [
      'a detail with a number',
      checkAnswer('PUT', COMMANDS, 400, form(detail(1))),
      '/errors/name/_errors/0/code: is no code',
    ],
    [
      'a detail without words',
      checkAnswer('PUT', COMMANDS, 400, form(detail('A_CODE', ''))),
      '/errors/name/_errors/0: lacks message',
    ],
    [
      'details that are no list',
      checkAnswer('PUT', COMMANDS, 400, form({ _errors: {} })),
      '/errors/_errors: must be array',
    ],
    [
      'a rate limit that does not say how long',
      checkAnswer('PATCH', ORIGINAL, 429, { code: 0, message: 'Wait', global: false }),
      '/: lacks retry_after',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });
});
