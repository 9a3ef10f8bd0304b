import { expect, test } from 'vitest';
import { APPLICATION_ID, GENERAL, startBot } from './test-bot.ts';

const privately = (data: object) => ({ body: { type: 4, data: { ...data, flags: 64 } } });
const say = (text: string) => [{ type: 1, components: [{ type: 2, style: 1, label: text, custom_id: text }] }];

test('a command reaches the application as Discord sends it, and its answer is in the channel', async () => {
  const { chat, application, events } = await startBot();
  await chat.runCommand('mika', GENERAL, { name: 'hello', options: {} });

  const [{ body, headers, isSigned }] = application.received as [(typeof application.received)[0]];
  expect(isSigned).toBe(true);
  expect(headers['user-agent']).toBe('Discord-Interactions/1.0 (+https://discord.com)');
  expect(body).toMatchObject({
    id: expect.stringMatching(/^\d{17,20}$/),
    application_id: APPLICATION_ID,
    type: 2,
    version: 1,
    context: 0,
    guild_id: '310000000000000001',
    locale: 'en-US',
    authorizing_integration_owners: { '0': '310000000000000001', '1': '201934617452871681' },
    data: { name: 'hello', type: 1 },
    member: { user: { id: '201934617452871681', username: 'mika.sandbox' } },
  });
  expect(body).not.toHaveProperty('user');
  const [message] = chat.messagesIn('jonas', GENERAL);
  expect(message).toMatchObject({ content: 'Hello', state: 'sent', is_ephemeral: false, used: { command: 'hello' } });
  expect(events.map(({ persona, event }) => [persona, event.kind])).toEqual([
    ['mika', 'message'],
    ['jonas', 'message'],
    ['lena', 'message'],
  ]);
});

test('an ephemeral answer is seen by one person, and edited by the token of its interaction', async () => {
  const { chat, application, call } = await startBot();
  application.handler = () => privately({ content: 'Psst' });
  await chat.runCommand('mika', GENERAL, { name: 'hello', options: {} });
  expect(chat.messagesIn('jonas', GENERAL)).toEqual([]);
  const token = application.received[0]?.body.token;
  const path = `/webhooks/${APPLICATION_ID}/${token}/messages/@original`;
  const edited = await call('PATCH', path, { content: 'Louder' });
  expect(edited.body).toMatchObject({ content: 'Louder', flags: 64 });
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ content: 'Louder', is_ephemeral: true }]);
});

test('a button, a modal and its submission make one conversation', async () => {
  const { chat, application, events } = await startBot();
  application.handler = ({ type }) => {
    if (type === 2) return { body: { type: 4, data: { content: 'Go?', components: say('go') } } };
    if (type === 5) return { body: { type: 7, data: { content: 'Gone', components: [] } } };
    const field = { type: 4, custom_id: 'why', style: 1, label: 'Why', max_length: 5 };
    return {
      body: { type: 9, data: { custom_id: 'form', title: 'Why', components: [{ type: 1, components: [field] }] } },
    };
  };
  await chat.runCommand('mika', GENERAL, { name: 'hello', options: {} });
  const [message] = chat.messagesIn('mika', GENERAL);
  await chat.click('jonas', message?.id ?? '', { custom_id: 'go' });
  const modal = events.flatMap(({ event }) => (event.kind === 'modal' ? [event.modal] : []))[0];
  await chat.submit('jonas', modal?.id ?? '', { why: 'fun' });
  expect(application.received[2]?.body).toMatchObject({
    type: 5,
    member: { user: { username: 'jonas.sandbox' } },
    message: { id: message?.id, content: 'Go?' },
    data: { custom_id: 'form', components: [{ type: 1, components: [{ type: 4, custom_id: 'why', value: 'fun' }] }] },
  });
  expect(chat.messagesIn('lena', GENERAL)).toMatchObject([{ content: 'Gone', components: [] }]);
});
