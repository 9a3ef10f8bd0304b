import { expect, test } from 'vitest';
import { APPLICATION_ID, GENERAL, PRIVATE_CHAT, READING_ROOM, startBot } from './test-bot.ts';

const HELLO = { name: 'hello', options: {} };
const COMMANDS = `/applications/${APPLICATION_ID}/commands`;
const dmOf = (chat: { placesOf(persona: string): readonly { kind: string; id: string }[] }, persona: string) =>
  chat.placesOf(persona).find(({ kind }) => kind === 'bot_dm')?.id ?? '';

test('people see the servers and chats that they are in', async () => {
  const { chat } = await startBot();
  const seen = (persona: string) => chat.placesOf(persona).map(({ kind, name }) => `${kind} ${name}`);
  expect(seen('mika')).toEqual(['server Brass Lantern', 'server Quiet Library', 'bot_dm Satchel', 'private Jonas']);
  expect(seen('jonas')).toContain('private Mika');
  expect(seen('lena')).toEqual(['server Brass Lantern', 'bot_dm Satchel']);
  expect(seen('otto')).toEqual(['server Quiet Library', 'bot_dm Satchel']);
  for (const channel of [READING_ROOM, PRIVATE_CHAT, dmOf(chat, 'mika'), 'nowhere']) {
    expect(() => chat.messagesIn('lena', channel)).toThrow('You are not in that channel.');
    expect(() => chat.say('lena', channel, 'Hello?')).toThrow('You are not in that channel.');
    await expect(chat.runCommand('lena', channel, HELLO)).rejects.toThrow('You are not in that channel.');
  }
  expect(() => chat.placesOf('nobody')).toThrow('There is nobody called nobody here.');
});

test('a message reaches everybody in its channel, with at most 2,000 characters', async () => {
  const { chat, events } = await startBot();
  chat.say('mika', PRIVATE_CHAT, 'Hi Jonas');
  expect(events.map(({ persona }) => persona)).toEqual(['mika', 'jonas']);
  expect(chat.messagesIn('jonas', PRIVATE_CHAT)).toMatchObject([
    { content: 'Hi Jonas', author: { name: 'Mika', is_bot: false }, is_ephemeral: false, used: null },
  ]);
  expect(() => chat.say('mika', GENERAL, ' ')).toThrow();
  expect(() => chat.say('mika', GENERAL, 'x'.repeat(2001))).toThrow();
  expect(chat.say('mika', GENERAL, 'x'.repeat(2000)).content).toHaveLength(2000);
});

test('where a command was used, and by which installation, is said as Discord says it', async () => {
  const { chat, application } = await startBot();
  for (const channel of [GENERAL, READING_ROOM, PRIVATE_CHAT, dmOf(chat, 'mika')]) {
    await chat.runCommand('mika', channel, HELLO);
  }
  const mika = '9001934617452871681';
  expect(application.received.map(({ body }) => [body.context, body.authorizing_integration_owners])).toEqual([
    [0, { '0': '9131000000000000001', '1': mika }],
    [0, { '1': mika }],
    [2, { '1': mika }],
    [1, { '0': '0', '1': mika }],
  ]);
  expect(application.received.map(({ body }) => [body.member?.user.id ?? null, body.user?.id ?? null])).toEqual([
    [mika, null],
    [mika, null],
    [null, mika],
    [null, mika],
  ]);
  const useExternalApps = (at: number) => (BigInt(application.received[at]?.body.member.permissions) >> 50n) & 1n;
  expect([useExternalApps(0), useExternalApps(1)]).toEqual([1n, 0n]);
});

test('where members may not use external apps, what theirs says is theirs alone, also what follows', async () => {
  const { chat, call, tokenPath } = await startBot();
  await chat.runCommand('mika', READING_ROOM, HELLO);
  await call('POST', tokenPath(), { content: 'More' });
  expect(chat.messagesIn('mika', READING_ROOM)).toMatchObject([{ is_ephemeral: true }, { is_ephemeral: true }]);
  expect(chat.messagesIn('jonas', READING_ROOM)).toEqual([]);
  await chat.runCommand('otto', READING_ROOM, HELLO);
  expect(chat.messagesIn('jonas', READING_ROOM)).toMatchObject([{ content: 'Hello', is_ephemeral: false }]);
});

test('a server that has added the application hears it', async () => {
  const { chat, bot } = await startBot();
  expect(bot.installations.targetsOf('otto')).toMatchObject([
    { kind: 'server', name: 'Quiet Library', is_installed: false },
    { kind: 'account', is_installed: true },
  ]);
  expect(() => bot.installations.install('mika', '9132000000000000001')).toThrow('You can’t add applications there.');
  bot.installations.install('otto', '9132000000000000001');
  await chat.runCommand('mika', READING_ROOM, HELLO);
  expect(chat.messagesIn('jonas', READING_ROOM)).toMatchObject([{ is_ephemeral: false }]);
});

test('commands are offered by their contexts and by where the application is installed', async () => {
  const { chat, asBot, bot } = await startBot();
  const command = (name: string, contexts: number[], integration_types: number[]) => ({
    name,
    description: 'd',
    contexts,
    integration_types,
  });
  await asBot('PUT', COMMANDS, [
    command('anywhere', [0, 1, 2], [0, 1]),
    command('guild-only', [0], [0, 1]),
    command('dm-only', [1], [0, 1]),
    command('by-server', [0, 1, 2], [0]),
    command('by-person', [0, 1, 2], [1]),
  ]);
  const offered = (channel: string) => chat.commandsIn('mika', channel).map(({ name }) => name);
  expect(offered(GENERAL)).toEqual(['anywhere', 'guild-only', 'by-server', 'by-person']);
  expect(offered(READING_ROOM)).toEqual(['anywhere', 'guild-only', 'by-person']);
  expect(offered(PRIVATE_CHAT)).toEqual(['anywhere', 'by-person']);
  expect(offered(dmOf(chat, 'mika'))).toEqual(['anywhere', 'dm-only', 'by-server', 'by-person']);
  await bot.installations.deauthorize('mika');
  expect(offered(GENERAL)).toEqual(['anywhere', 'guild-only', 'by-server']);
  expect(offered(READING_ROOM)).toEqual([]);
  expect(offered(PRIVATE_CHAT)).toEqual([]);
  await expect(chat.runCommand('mika', PRIVATE_CHAT, { name: 'anywhere', options: {} })).rejects.toThrow(
    'There is no command /anywhere here.',
  );
});

test('commands are offered in the language of who asks', async () => {
  const { chat, asBot } = await startBot();
  const choice = { name: 'Day', name_localizations: { de: 'Tag' }, value: 'day' };
  const expires = {
    type: 3,
    name: 'expires',
    description: 'When',
    description_localizations: { de: 'Wann' },
    choices: [choice],
  };
  const localized = { description_localizations: { de: 'Lädt hoch' } };
  await asBot('PUT', COMMANDS, [{ name: 'upload', description: 'Uploads', ...localized, options: [expires] }]);
  expect(chat.commandsIn('mika', GENERAL)).toMatchObject([
    { name: 'upload', description: 'Uploads', options: [{ description: 'When', choices: [{ name: 'Day' }] }] },
  ]);
  expect(chat.commandsIn('jonas', GENERAL)).toMatchObject([
    { name: 'upload', description: 'Lädt hoch', options: [{ description: 'Wann', choices: [{ name: 'Tag' }] }] },
  ]);
});

test('options are sent with their types, and people by their ids', async () => {
  const { chat, application } = await startBot();
  const jonas = '9018264905173434370';
  const options = { what: 'maps', count: 5, loud: true, with: jonas, size: 'big' };
  await chat.runCommand('mika', GENERAL, { name: 'find', options });
  expect(application.received[0]?.body.data).toMatchObject({
    options: [
      { name: 'what', type: 3, value: 'maps' },
      { name: 'count', type: 4, value: 5 },
      { name: 'loud', type: 5, value: true },
      { name: 'with', type: 6, value: jonas },
      { name: 'size', type: 3, value: 'big' },
    ],
  });
});

test.each([
  ['a missing required option', {}],
  ['an unknown option', { what: 'a', where: 'b' }],
  ['a text too long', { what: 'x'.repeat(11) }],
  ['a number too small', { what: 'a', count: 0 }],
  ['half a number', { what: 'a', count: 1.5 }],
  ['a text for a number', { what: 'a', count: '1' }],
  ['a text for a truth', { what: 'a', loud: 'yes' }],
  ['nobody', { what: 'a', with: '1' }],
  ['none of the choices', { what: 'a', size: 'small' }],
])('a command with %s is not sent', async (_case, options) => {
  const { chat, application } = await startBot();
  await expect(chat.runCommand('mika', GENERAL, { name: 'find', options })).rejects.toThrow();
  expect(application.received).toEqual([]);
});
