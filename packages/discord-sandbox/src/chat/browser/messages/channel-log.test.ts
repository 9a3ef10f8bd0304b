import { expect, test } from 'vitest';
import type { ChatMessage } from '../../chat-entities.ts';
import { applyEvent, continuesFrom, emptyLog, forgetFailure, logFrom } from './channel-log.ts';

const mika = { id: '7', name: 'Mika', avatar_url: '/a.png', is_bot: false };
const message = (id: string, changes: Partial<ChatMessage> = {}): ChatMessage => ({
  id,
  channel_id: '1',
  author: mika,
  content: id,
  embeds: [],
  components: [],
  timestamp: '2026-01-01T00:00:00.000Z',
  edited_timestamp: null,
  is_ephemeral: false,
  used: null,
  state: 'sent',
  ...changes,
});
const told = (one: ChatMessage) => ({ kind: 'message', message: one }) as const;
const idsOf = (log: { messages: readonly ChatMessage[] }) => log.messages.map(({ id }) => id);

test('messages stand in the order of their ids, a changed one where it was, and other channels stay out', () => {
  const log = ['9', '11', '10'].reduce((sum, id) => applyEvent(sum, '1', told(message(id))), emptyLog);
  expect(idsOf(log)).toEqual(['9', '10', '11']);
  const changed = applyEvent(log, '1', told(message('10', { content: 'new' })));
  expect(changed.messages.map(({ content }) => content)).toEqual(['9', 'new', '11']);
  expect(applyEvent(log, '1', told(message('12', { channel_id: '2' })))).toBe(log);
  expect(idsOf(applyEvent(log, '1', { kind: 'removed', channel_id: '1', id: '10' }))).toEqual(['9', '11']);
});

test('a failure stays with its message until that changes, or is clicked again', () => {
  const log = applyEvent(emptyLog, '1', told(message('9')));
  const failed = applyEvent(log, '1', {
    kind: 'failure',
    channel_id: '1',
    message_id: '9',
    text: 'This interaction failed',
  });
  expect(failed.failures).toEqual({ 9: 'This interaction failed' });
  expect(forgetFailure(failed, '9').failures).toEqual({});
  expect(applyEvent(failed, '1', told(message('9'))).failures).toEqual({});
});

test('events that arrive before the answer count if the answer does not include them', () => {
  const heard = [
    { seq: 4, event: told(message('9', { content: 'old' })) },
    { seq: 6, event: told(message('9', { content: 'newest' })) },
    { seq: 7, event: told(message('12')) },
  ];
  const log = logFrom({ seq: 5, messages: [message('9', { content: 'new' })] }, '1', heard);
  expect(log.messages.map(({ content }) => content)).toEqual(['newest', '12']);
  const known = logFrom({ seq: 7, messages: [message('9', { content: 'new' })] }, '1', heard);
  expect(known.messages.map(({ content }) => content)).toEqual(['new']);
});

test('a message goes on from the one before it, unless time, author, command or privacy part them', () => {
  const first = message('9');
  expect(continuesFrom(first, message('10'))).toBe(true);
  expect(continuesFrom(undefined, first)).toBe(false);
  expect(continuesFrom(first, message('10', { timestamp: '2026-01-01T00:08:00.000Z' }))).toBe(false);
  expect(continuesFrom(first, message('10', { author: { ...mika, id: '8' } }))).toBe(false);
  expect(continuesFrom(first, message('10', { used: { by: mika, command: 'list' } }))).toBe(false);
  expect(continuesFrom(first, message('10', { is_ephemeral: true }))).toBe(false);
});
