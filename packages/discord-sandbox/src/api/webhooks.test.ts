import { expect, onTestFinished, test, vi } from 'vitest';
import { GENERAL, startBot } from './test-bot.ts';

const HELLO = { name: 'hello', options: {} };
const deferral = (flags?: number) => () => ({ body: { type: 5, ...(flags !== undefined && { data: { flags } }) } });

async function startDeferred(flags?: number) {
  const bot = await startBot();
  bot.application.handler = deferral(flags);
  await bot.chat.runCommand('mika', GENERAL, HELLO);
  return bot;
}

test('the flags of the deferral, not later ones, decide whether the answer is ephemeral', async () => {
  const openly = await startDeferred();
  expect(openly.chat.messagesIn('jonas', GENERAL)).toMatchObject([{ state: 'thinking', is_ephemeral: false }]);
  const edited = await openly.call('PATCH', openly.tokenPath('/messages/@original'), { content: 'Hi', flags: 64 });
  expect(edited.body).toMatchObject({ content: 'Hi', flags: 0, edited_timestamp: null });
  expect(openly.chat.messagesIn('jonas', GENERAL)).toMatchObject([{ state: 'sent', content: 'Hi' }]);

  const secretly = await startDeferred(64);
  expect(secretly.chat.messagesIn('jonas', GENERAL)).toEqual([]);
  expect((await secretly.call('POST', secretly.tokenPath(), { content: 'Hi' })).body.flags).toBe(64);
  expect(secretly.chat.messagesIn('mika', GENERAL)).toMatchObject([{ content: 'Hi', is_ephemeral: true }]);
  expect(secretly.chat.messagesIn('jonas', GENERAL)).toEqual([]);
});

test('after the answer a message that follows is one of its own, and what was dismissed is not edited', async () => {
  const { chat, call, tokenPath } = await startDeferred(64);
  await call('PATCH', tokenPath('/messages/@original'), { content: 'First' });
  await call('POST', tokenPath(), { content: 'Second' });
  expect(chat.messagesIn('jonas', GENERAL).map(({ content }) => content)).toEqual(['Second']);
  expect(chat.messagesIn('mika', GENERAL).map(({ content }) => content)).toEqual(['First', 'Second']);
  chat.dismiss('mika', chat.messagesIn('mika', GENERAL)[0]?.id ?? '');
  const gone = { status: 404, body: { message: 'Unknown Message', code: 10_008 } };
  expect(await call('PATCH', tokenPath('/messages/@original'), { content: 'a' })).toMatchObject(gone);
});

test('a wrong body is told to who sent it, and can be looked up afterwards', async () => {
  const { call, tokenPath, lastProblem } = await startDeferred();
  const body = { content: 'a'.repeat(2001) };
  const { status, body: answer } = await call('PATCH', tokenPath('/messages/@original'), body);
  const message = 'must NOT have more than 2000 characters';
  const errors = { content: { _errors: [{ code: 'INVALID', message }] } };
  expect([status, answer]).toEqual([400, { message: 'Invalid Form Body', code: 50_035, errors }]);
  expect(lastProblem()).toMatchObject({
    what: 'PATCH /api/v10/webhooks/:applicationId/:token/messages/@original: 50035 Invalid Form Body',
    errors,
  });
});

test('a token is good for 15 minutes', async () => {
  const { call, tokenPath, advance } = await startDeferred();
  advance(15 * 60_000 - 1);
  expect((await call('PATCH', tokenPath('/messages/@original'), { content: 'In time' })).status).toBe(200);
  advance(1);
  const over = { status: 401, body: { message: 'Invalid Webhook Token', code: 50_027 } };
  expect(await call('PATCH', tokenPath('/messages/@original'), { content: 'Late' })).toMatchObject(over);
  expect(await call('POST', tokenPath(), { content: 'Late' })).toMatchObject(over);
  expect((await call('POST', '/webhooks/100000000000000001/unknown', { content: 'a' })).body.code).toBe(10_015);
});

test.each([
  ['no JSON', '{"content":', 'application/json', { status: 400, code: 50_109 }],
  ['a form', 'content=a', 'application/x-www-form-urlencoded', { status: 400, code: 50_109 }],
])('%s is refused in the words of Discord', async (_case, text, type, { status, code }) => {
  const { origin, tokenPath } = await startDeferred();
  const headers = { 'content-type': type };
  const response = await fetch(`${origin}/api/v10${tokenPath()}`, { method: 'POST', body: text, headers });
  expect([response.status, ((await response.json()) as { code: number }).code]).toEqual([status, code]);
});

test('an answer that was promised and never came has failed when its token is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { chat, call, tokenPath } = await startDeferred(64);
  expect((await call('PATCH', tokenPath('/messages/@original'), {})).body.code).toBe(50_006);
  vi.advanceTimersByTime(15 * 60_000 - 1);
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ state: 'thinking' }]);
  vi.advanceTimersByTime(1);
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([
    { state: 'failed', content: 'The application did not respond' },
  ]);
});

test('what answers a click by an update later is the message that was clicked on', async () => {
  const { chat, application, call, tokenPath } = await startBot();
  const button = { type: 2, style: 1, label: 'Go', custom_id: 'go' };
  application.handler = ({ type }) =>
    type === 2
      ? { body: { type: 4, data: { content: 'Go?', components: [{ type: 1, components: [button] }] } } }
      : { body: { type: 6 } };
  await chat.runCommand('mika', GENERAL, HELLO);
  const id = chat.messagesIn('mika', GENERAL)[0]?.id ?? '';
  await chat.click('jonas', id, { custom_id: 'go' });
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ content: 'Go?', edited_timestamp: null }]);
  const { body } = await call('PATCH', tokenPath('/messages/@original'), { content: 'Gone' });
  expect(body).toMatchObject({ id, content: 'Gone', components: [{ components: [{ custom_id: 'go' }] }] });
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ id, content: 'Gone' }]);
  expect(chat.messagesIn('mika', GENERAL)[0]?.edited_timestamp).not.toBeNull();
});

test('link cards come in after their message, and go with their link', async () => {
  const { chat, application, call, tokenPath, events } = await startBot();
  const content = 'https://a.example/1 https://b.example/2';
  application.handler = () => ({ body: { type: 4, data: { content, embeds: [{ title: 'Own' }] } } });
  await chat.runCommand('mika', GENERAL, HELLO);
  const titles = () => chat.messagesIn('mika', GENERAL)[0]?.embeds.map(({ title }) => title);
  const attach = (title: string, url: string) =>
    chat.attachCards(chat.messagesIn('mika', GENERAL)[0]?.id ?? '', [{ title, url }]);
  attach('One', 'https://a.example/1');
  attach('Two', 'https://b.example/2');
  expect(titles()).toEqual(['Own', 'One', 'Two']);
  expect(events.at(-1)).toMatchObject({ event: { kind: 'message', message: { embeds: [{}, {}, { title: 'Two' }] } } });
  await call('PATCH', tokenPath('/messages/@original'), { content: 'Only https://b.example/2' });
  expect(titles()).toEqual(['Own', 'Two']);
  // It was still being fetched when its link went.
  attach('One', 'https://a.example/1');
  expect(titles()).toEqual(['Own', 'Two']);
});
