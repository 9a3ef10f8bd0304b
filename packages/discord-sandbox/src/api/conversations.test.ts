import { expect, test } from 'vitest';
import { APPLICATION_ID, GENERAL, type Handler, startBot } from './test-bot.ts';

const say = (data: object) => ({ body: { type: 4, data } });
const privately = (data: object) => say({ ...data, flags: 64 });
const buttons = (...names: string[]) => [
  { type: 1, components: names.map((name) => ({ type: 2, style: 1, label: name, custom_id: name })) },
];
const HELLO = { name: 'hello', options: {} };
const whenAllowed = () => {
  let allow = () => {};
  const allowed = new Promise<void>((resolve) => {
    allow = resolve;
  });
  return { allow: () => allow(), allowed };
};

test('a command reaches the application as Discord sends it, and its answer is in the channel', async () => {
  const { chat, application, events } = await startBot();
  await chat.runCommand('mika', GENERAL, HELLO);

  const [{ body, headers, isSigned }] = application.received as [(typeof application.received)[0]];
  expect(isSigned).toBe(true);
  expect(headers['user-agent']).toBe('Discord-Interactions/1.0 (+https://discord.com)');
  expect(body).toMatchObject({
    id: expect.stringMatching(/^\d{17,20}$/),
    application_id: APPLICATION_ID,
    type: 2,
    context: 0,
    guild_id: '9131000000000000001',
    locale: 'en-US',
    authorizing_integration_owners: { '0': '9131000000000000001', '1': '9001934617452871681' },
    data: { name: 'hello', type: 1 },
    member: { user: { id: '9001934617452871681', username: 'mika.sandbox' } },
  });
  expect(chat.messagesIn('jonas', GENERAL)).toMatchObject([
    { content: 'Hello', state: 'sent', is_ephemeral: false, used: { command: 'hello', by: { name: 'Mika' } } },
  ]);
  expect(events.map(({ persona, event }) => [persona, event.kind])).toEqual([
    ['mika', 'message'],
    ['jonas', 'message'],
    ['ava', 'message'],
    ['lena', 'message'],
  ]);
});

test('an ephemeral answer is seen by one person, who alone can dismiss it', async () => {
  const { chat, application, events } = await startBot();
  application.handler = () => privately({ content: 'Psst', components: buttons('more') });
  await chat.runCommand('mika', GENERAL, HELLO);
  const [message] = chat.messagesIn('mika', GENERAL);
  expect(message).toMatchObject({ content: 'Psst', is_ephemeral: true });
  expect(chat.messagesIn('jonas', GENERAL)).toEqual([]);
  expect(events.map(({ persona }) => persona)).toEqual(['mika']);
  const id = message?.id ?? '';
  await expect(chat.click('jonas', id, { custom_id: 'more' })).rejects.toThrow('There is no such message.');
  expect(() => chat.dismiss('jonas', id)).toThrow('There is no such message.');
  chat.dismiss('mika', id);
  expect(chat.messagesIn('mika', GENERAL)).toEqual([]);
  expect(events.at(-1)).toEqual({ persona: 'mika', event: { kind: 'removed', channel_id: GENERAL, id } });
});

test('what was dismissed while its button was still working does not come back', async () => {
  const { chat, application, events } = await startBot();
  application.handler = ({ type, message }) => {
    if (type === 2) return privately({ content: 'Psst', components: buttons('more') });
    chat.dismiss('mika', message.id);
    return { body: { type: 7, data: { content: 'More' } } };
  };
  await chat.runCommand('mika', GENERAL, HELLO);
  await chat.click('mika', chat.messagesIn('mika', GENERAL)[0]?.id ?? '', { custom_id: 'more' });
  expect(events.map(({ event }) => event.kind)).toEqual(['message', 'removed']);
});

test('a button, a modal and its submission make one conversation', async () => {
  const { chat, application, events } = await startBot();
  const field = { type: 4, custom_id: 'why', style: 1, max_length: 5 };
  const form = { custom_id: 'form', title: 'Why', components: [{ type: 18, label: 'Why', component: field }] };
  const answers: Record<number, unknown> = {
    2: { type: 4, data: { content: 'Go?', components: buttons('go') } },
    3: { type: 9, data: form },
    5: { type: 7, data: { content: 'Gone', components: [] } },
  };
  application.handler = ({ type }) => ({ body: answers[type] });
  await chat.runCommand('mika', GENERAL, HELLO);
  const [message] = chat.messagesIn('mika', GENERAL);
  await chat.click('jonas', message?.id ?? '', { custom_id: 'go' });
  const modal = events.flatMap(({ event }) => (event.kind === 'modal' ? [event.modal] : []))[0];
  await expect(chat.submit('mika', modal?.id ?? '', { why: 'fun' })).rejects.toThrow('not open');
  await expect(chat.submit('jonas', modal?.id ?? '', { why: 'too long' })).rejects.toThrow('characters');
  await expect(chat.submit('jonas', modal?.id ?? '', {})).rejects.toThrow('required');
  await chat.submit('jonas', modal?.id ?? '', { why: 'fun' });
  expect(application.received[2]?.body).toMatchObject({
    type: 5,
    member: { user: { username: 'jonas.sandbox' } },
    message: { id: message?.id, content: 'Go?' },
    data: { custom_id: 'form', components: [{ type: 18, component: { type: 4, custom_id: 'why', value: 'fun' } }] },
  });
  expect(chat.messagesIn('lena', GENERAL)).toMatchObject([{ content: 'Gone', components: [] }]);
  await expect(chat.submit('jonas', modal?.id ?? '', { why: 'fun' })).rejects.toThrow('not open');
});

test('a form that came to nothing stays open to be sent again, until another one opens', async () => {
  const { chat, application, events } = await startBot();
  const field = { type: 4, custom_id: 'why', style: 1 };
  const form = { custom_id: 'form', title: 'Why', components: [{ type: 18, label: 'Why', component: field }] };
  let status = 500;
  application.handler = ({ type }) =>
    type === 2 ? { body: { type: 9, data: form } } : { status, body: { type: 4, data: { content: 'Thanks' } } };
  const opened = () => events.flatMap(({ event }) => (event.kind === 'modal' ? [event.modal.id] : []));
  const submit = (id = '') => chat.submit('mika', id, { why: 'fun' });
  await chat.runCommand('mika', GENERAL, HELLO);
  await chat.runCommand('mika', GENERAL, HELLO);
  const [first, second] = opened();
  await expect(submit(first)).rejects.toThrow('not open');
  await expect(submit(second)).rejects.toThrow('Something went wrong. Try again.');
  status = 200;
  await submit(second);
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ content: 'Thanks' }]);
  expect(events.map(({ event }) => event.kind)).not.toContain('failure');
});

test('a select menu sends the one that was chosen', async () => {
  const { chat, application } = await startBot();
  const options = ['a', 'b', 'c'].map((value) => ({ label: value, value }));
  const menu = { type: 3, custom_id: 'menu', options };
  application.handler = ({ type }) =>
    type === 2 ? say({ components: [{ type: 1, components: [menu] }] }) : { body: { type: 6 } };
  await chat.runCommand('mika', GENERAL, HELLO);
  const id = chat.messagesIn('mika', GENERAL)[0]?.id ?? '';
  await chat.click('mika', id, { custom_id: 'menu', values: ['c'] });
  expect(application.received[1]?.body.data).toMatchObject({ component_type: 3, values: ['c'] });
  for (const values of [[], ['a', 'b'], ['d']]) {
    await expect(chat.click('mika', id, { custom_id: 'menu', values })).rejects.toThrow();
  }
  expect(application.received).toHaveLength(2);
});

test.each<[string, Handler]>([
  ['an error', () => ({ status: 500, body: {} })],
  ['no JSON', () => ({ text: 'Hello' })],
  ['JSON that does not say so', () => ({ contentType: 'text/plain', body: { type: 4, data: { content: 'a' } } })],
  ['nothing to say', () => say({})],
  ['a field too long', () => say({ content: 'a'.repeat(2001) })],
])('an endpoint that answers with %s has failed, and what was wrong can be looked up', async (_case, handler) => {
  const { chat, application, lastProblem, origin } = await startBot();
  application.handler = handler;
  await chat.runCommand('mika', GENERAL, HELLO);
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([
    { state: 'failed', content: 'The application did not respond', used: { command: 'hello' } },
  ]);
  expect(chat.messagesIn('jonas', GENERAL)).toEqual([]);
  expect(lastProblem()?.what).toMatch(/^hello: /);
  expect(await (await fetch(`${origin}/sandbox/problems`)).json()).toHaveLength(1);
});

test('an answer after the limit is none, and its token says nothing', async () => {
  const { chat, application, call, tokenPath, events, lastProblem } = await startBot({ answerLimitMs: 60 });
  const { allow, allowed } = whenAllowed();
  application.handler = async () => {
    await allowed;
    return say({ content: 'Sorry, late' });
  };
  await chat.runCommand('mika', GENERAL, HELLO);
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ state: 'failed' }]);
  expect(lastProblem()?.what).toBe('hello: there was no answer within 60 ms.');
  allow();
  expect(await call('POST', tokenPath(), { content: 'Late' })).toMatchObject({ status: 404, body: { code: 10_015 } });
  expect(chat.messagesIn('mika', GENERAL)).toHaveLength(1);
  expect(events.filter(({ event }) => event.kind === 'message')).toHaveLength(1);
});

test('a click and a suggestion that come to nothing are told to who waited', async () => {
  const { chat, application, events } = await startBot();
  application.handler = ({ type }) =>
    type === 2 ? say({ content: 'Go?', components: buttons('go') }) : { status: 404 };
  await chat.runCommand('mika', GENERAL, HELLO);
  const id = chat.messagesIn('mika', GENERAL)[0]?.id ?? '';
  await chat.click('mika', id, { custom_id: 'go' });
  const typed = { name: 'find', options: { what: 'x' }, focused: 'what' };
  expect(await chat.autocomplete('mika', GENERAL, typed)).toEqual([]);
  expect(events.flatMap(({ event }) => (event.kind === 'failure' ? [event] : []))).toEqual([
    { kind: 'failure', channel_id: GENERAL, message_id: id, text: 'This interaction failed' },
    { kind: 'failure', channel_id: GENERAL, message_id: null, text: 'Loading options failed' },
  ]);
});

test('suggestions are of the option that is typed into', async () => {
  const { chat, application } = await startBot();
  const choices = [{ name: 'One', value: 'one' }];
  application.handler = () => ({ body: { type: 8, data: { choices } } });
  const typed = { name: 'find', options: { what: 'o' }, focused: 'what' };
  expect(await chat.autocomplete('mika', GENERAL, typed)).toEqual(choices);
  expect(application.received[0]?.body.data.options).toEqual([{ name: 'what', type: 3, value: 'o', focused: true }]);
});

// By type of the interaction: what may answer it, of all the types that there are.
const DATA: Record<number, object> = {
  4: { content: 'a' },
  7: { content: 'b' },
  8: { choices: [] },
  9: {
    custom_id: 'f',
    title: 'F',
    components: [{ type: 18, label: 'L', component: { type: 4, custom_id: 'x', style: 1 } }],
  },
};
test('only what fits an interaction answers it', async () => {
  const { chat, application, lastProblem, events } = await startBot();
  const first = say({ content: 'Go?', components: buttons('go') });
  application.handler = () => first;
  await chat.runCommand('mika', GENERAL, HELLO);
  const id = chat.messagesIn('mika', GENERAL)[0]?.id ?? '';

  async function accepted(wanted: number, act: () => Promise<unknown>): Promise<number[]> {
    const taken: number[] = [];
    for (const type of [1, 4, 5, 6, 7, 8, 9, 10, 12]) {
      const problem = lastProblem();
      application.handler = (interaction) =>
        interaction.type === wanted ? { body: { type, data: DATA[type] } } : { body: { type: 9, data: DATA[9] } };
      await act();
      if (lastProblem() === problem) taken.push(type);
      else expect(lastProblem()?.errors).toHaveProperty('type');
    }
    return taken;
  }
  const submitLast = () => {
    const modals = events.flatMap(({ event }) => (event.kind === 'modal' ? [event.modal] : []));
    const submitted = chat.submit('mika', modals.at(-1)?.id ?? '', { x: 'y' });
    return submitted.catch((error: Error) => expect(error.message).toBe('Something went wrong. Try again.'));
  };
  const typed = { name: 'find', options: {}, focused: 'what' };
  expect(await accepted(2, () => chat.runCommand('mika', GENERAL, HELLO))).toEqual([4, 5, 9]);
  expect(await accepted(3, () => chat.click('mika', id, { custom_id: 'go' }))).toEqual([4, 5, 6, 7, 9]);
  expect(await accepted(4, () => chat.autocomplete('mika', GENERAL, typed))).toEqual([8]);
  expect(
    await accepted(5, () => chat.click('mika', id, { custom_id: 'go' }).then(submitLast)),
    'of a modal that a button opened',
  ).toEqual([4, 5, 6, 7]);
  expect(
    await accepted(5, () => chat.runCommand('mika', GENERAL, HELLO).then(submitLast)),
    'of a modal that a command opened',
  ).toEqual([4, 5]);
});
