import { describe, expect, test } from 'vitest';
import { checkInteraction, checkReplyTo } from './check.ts';
import { eventProblems } from './interaction.ts';
import { act, clicked, inPrivate, MESSAGE, ping, submitted, typed } from './test-interactions.ts';

type Case = readonly [name: string, problems: readonly string[], expected: string];
const event = (over: object = {}) => ({
  version: 1,
  application_id: '1234560123453231555',
  type: 1,
  event: { type: 'APPLICATION_DEAUTHORIZED', timestamp: '2024-10-18T14:42:53.064834', data: { user: {} } },
  ...over,
});

describe('an interaction as Discord documents it has no problem:', () => {
  test.each<[string, readonly string[]]>([
    ['a ping', checkInteraction(ping())],
    ['a command in a server', checkInteraction(act())],
    ['a command in direct messages', checkInteraction(inPrivate())],
    ['a click', checkInteraction(clicked())],
    ['a choice', checkInteraction(clicked({ component_type: 3, values: ['1'] }))],
    ['what is being typed', checkInteraction(typed())],
    ['a form', checkInteraction(submitted())],
  ])('%s', (_name, problems) => {
    expect(problems).toEqual([]);
  });
});

describe('an interaction that Discord would not send is caught:', () => {
  const { member } = act();
  const data = (over: object) => act({ data: { ...act().data, ...over } });
  test.each<Case>([
    ['of no kind', checkInteraction({ ...ping(), type: 6 }), '/type: is of no interaction'],
    ['no interaction', checkInteraction(null), '/type: is of no interaction'],
    ['a ping without token', checkInteraction(ping({ token: undefined })), '/: lacks token'],
    ['without a version', checkInteraction(act({ version: undefined })), '/: lacks version'],
    ['with a short id', checkInteraction(act({ id: '7' })), '/id: must match pattern "^[1-9]\\d{16,19}$"'],
    ['without a language', checkInteraction(act({ locale: undefined })), '/: lacks locale'],
    [
      'without the application’s rights',
      checkInteraction(act({ app_permissions: undefined })),
      '/: lacks app_permissions',
    ],
    [
      'without a limit of uploads',
      checkInteraction(act({ attachment_size_limit: undefined })),
      '/: lacks attachment_size_limit',
    ],
    ['without a context', checkInteraction(act({ context: undefined })), '/: lacks context'],
    ['in a server, by a user', checkInteraction(act({ member: undefined, user: member.user })), '/: lacks member'],
    [
      'in a server, by a member and a user',
      checkInteraction(act({ user: member.user })),
      '/: has user in the context 0',
    ],
    ['in private, by a member', checkInteraction(inPrivate({ member })), '/: has member in the context 1'],
    ['in private, in a server', checkInteraction(inPrivate({ guild_id: act().guild_id })), '/: has guild_id'],
    ['in a server that is not named', checkInteraction(act({ guild_id: undefined })), '/: lacks guild_id'],
    [
      'in two channels',
      checkInteraction(act({ channel_id: '645027906669510668' })),
      '/channel: is another than channel_id',
    ],
    [
      'without an installation',
      checkInteraction(act({ authorizing_integration_owners: {} })),
      '/authorizing_integration_owners: names no kind of installation',
    ],
    [
      'a member without rights',
      checkInteraction(act({ member: { ...member, permissions: undefined } })),
      '/member: lacks permissions',
    ],
    [
      'a member without a user',
      checkInteraction(act({ member: { ...member, user: undefined } })),
      '/member: lacks user',
    ],
    [
      'a user without an avatar',
      checkInteraction(inPrivate({ user: { ...member.user, avatar: undefined } })),
      '/user: lacks avatar',
    ],
    ['a command without name', checkInteraction(data({ name: undefined })), '/data: lacks name'],
    [
      'an option without kind',
      checkInteraction(data({ options: [{ name: 'folder', value: 'a' }] })),
      '/data/options/0: lacks type',
    ],
    [
      'a person who is not told of',
      checkInteraction(data({ resolved: {} })),
      '/data/resolved: lacks the person of with',
    ],
    ['a command that is being typed', checkInteraction({ ...typed(), type: 2 }), '/data/options: 1 are focused'],
    ['typing into nothing', checkInteraction(act({ type: 4 })), '/data/options: 0 are focused'],
    ['a click on nothing', checkInteraction({ ...clicked(), message: undefined }), '/: lacks message'],
    ['a click on half a message', checkInteraction({ ...clicked(), message: { id: '1' } }), '/message: lacks content'],
    ['a click without custom_id', checkInteraction(clicked({ custom_id: undefined })), '/data: lacks custom_id'],
    ['a button with values', checkInteraction(clicked({ values: ['1'] })), '/data: has values'],
    ['a menu without values', checkInteraction(clicked({ component_type: 3 })), '/data: lacks values'],
    ['a form of nothing', checkInteraction({ ...submitted(), data: { custom_id: 'a' } }), '/data: lacks components'],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });
});

describe('an answer', () => {
  test.each([
    ['a ping', ping(), [1]],
    ['a command', act(), [4, 5, 9]],
    ['a click', clicked(), [4, 5, 6, 7, 9]],
    ['what is being typed', typed(), [8]],
    ['a form that a command opened', submitted(), [4, 5]],
    ['a form that a click opened', { ...submitted(), message: MESSAGE }, [4, 5, 6, 7]],
  ])('to %s is of a kind that may answer it', (_name, interaction, right) => {
    const taken = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter((type) => checkReplyTo(interaction, { type }).length === 0);
    expect(taken).toEqual(right);
  });
});

describe('an event', () => {
  test('as Discord documents it has no problem', () => {
    expect(eventProblems(event())).toEqual([]);
    expect(eventProblems({ version: 1, application_id: '1234560123453231555', type: 0 })).toEqual([]);
  });

  test('that Discord would not send is caught', () => {
    expect(eventProblems(event({ event: undefined }))).toEqual(['/: lacks event']);
    expect(eventProblems(event({ type: 2 }))).toContain('/type: must be one of [0,1]');
    expect(eventProblems(event({ event: { type: 'X' } }))).toContain('/event: lacks timestamp');
    expect(eventProblems(null)).not.toEqual([]);
  });
});
