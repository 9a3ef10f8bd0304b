import type { ChatEvent, ChatMessage } from '../../chat-entities.ts';

/** What the page knows of one channel. */
export interface ChannelLog {
  readonly messages: readonly ChatMessage[];
  /** What came of clicks that came to nothing, by the message that was clicked on. */
  readonly failures: Readonly<Record<string, string>>;
}

export const emptyLog: ChannelLog = { messages: [], failures: {} };

/** Ids grow with time, and are numbers too large to be read as such. */
const isBefore = (one: string, other: string) =>
  one.length === other.length ? one < other : one.length < other.length;

function put(messages: readonly ChatMessage[], message: ChatMessage): ChatMessage[] {
  if (messages.some(({ id }) => id === message.id)) {
    return messages.map((known) => (known.id === message.id ? message : known));
  }
  const position = messages.findLastIndex(({ id }) => isBefore(id, message.id)) + 1;
  return messages.toSpliced(position, 0, message);
}

function without(failures: ChannelLog['failures'], messageId: string): ChannelLog['failures'] {
  const { [messageId]: _gone, ...rest } = failures;
  return rest;
}

/** The log after an event; events of other channels, and what is no message, leave it as it is. */
export function applyEvent(log: ChannelLog, channelId: string, event: ChatEvent): ChannelLog {
  switch (event.kind) {
    case 'message':
      if (event.message.channel_id !== channelId) return log;
      return { messages: put(log.messages, event.message), failures: without(log.failures, event.message.id) };
    case 'removed':
      if (event.channel_id !== channelId) return log;
      return {
        messages: log.messages.filter(({ id }) => id !== event.id),
        failures: without(log.failures, event.id),
      };
    case 'failure':
      if (event.channel_id !== channelId || event.message_id === null) return log;
      return { ...log, failures: { ...log.failures, [event.message_id]: event.text } };
    case 'modal':
      return log;
  }
}

export const forgetFailure = (log: ChannelLog, messageId: string): ChannelLog =>
  messageId in log.failures ? { ...log, failures: without(log.failures, messageId) } : log;

interface Heard {
  readonly seq: number;
  readonly event: ChatEvent;
}

/** What the channel holds, and the events on top that it doesn't hold yet: those that came while it was asked for. */
export function logFrom(
  snapshot: { readonly seq: number; readonly messages: readonly ChatMessage[] },
  channelId: string,
  heard: readonly Heard[],
  failures: ChannelLog['failures'] = {},
): ChannelLog {
  return heard
    .filter(({ seq }) => seq > snapshot.seq)
    .reduce((log, { event }) => applyEvent(log, channelId, event), { messages: snapshot.messages, failures });
}

const TOGETHER_MS = 7 * 60 * 1000;

/** Whether it goes on where the one before it stopped: same author, soon after, no command. */
export function continuesFrom(before: ChatMessage | undefined, message: ChatMessage): boolean {
  if (before === undefined || message.used !== null || message.state !== 'sent') return false;
  if (before.author.id !== message.author.id || before.is_ephemeral || message.is_ephemeral) return false;
  return Date.parse(message.timestamp) - Date.parse(before.timestamp) < TOGETHER_MS;
}
