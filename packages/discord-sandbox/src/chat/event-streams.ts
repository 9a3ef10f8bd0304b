import type { FastifyReply } from 'fastify';
import { personas } from '../personas/personas.ts';
import type { Chat, ChatEvent } from './chat-entities.ts';

const BEAT_MS = 20_000;

/** How the page hears of an event. `seq` orders it among the answers that say up to which event they know. */
export interface StreamedEvent {
  readonly seq: number;
  readonly persona: string;
  readonly event: ChatEvent;
}

/** Numbers the chat's events and hands them to the pages that are open. `onEvent` hears each of them, too. */
export function createEventStreams(chat: Chat, onEvent: (event: ChatEvent) => void) {
  let seq = 0;
  const streams = new Set<{ names: readonly string[]; reply: FastifyReply }>();

  function tell(persona: string, event: ChatEvent) {
    seq += 1;
    const data = JSON.stringify({ seq, persona, event } satisfies StreamedEvent);
    for (const { names, reply } of streams) {
      if (names.includes(persona)) reply.raw.write(`id: ${seq}\ndata: ${data}\n\n`);
    }
    onEvent(event);
  }

  const unsubscribers = personas.map(({ name }) => chat.subscribe(name, (event) => tell(name, event)));
  const beat = setInterval(() => {
    for (const { reply } of streams) reply.raw.write(':\n\n');
  }, BEAT_MS);
  beat.unref();

  return {
    /** Everything up to this number is in what the chat says now. */
    lastSeq: () => seq,
    /** Server-sent events of several personas in one stream: a browser has few connections to a host. */
    open(reply: FastifyReply, names: readonly string[]) {
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      reply.raw.write('retry: 1000\n\n');
      const stream = { names, reply };
      streams.add(stream);
      reply.raw.on('close', () => streams.delete(stream));
    },
    close() {
      clearInterval(beat);
      for (const unsubscribe of unsubscribers) unsubscribe();
      for (const { reply } of streams) reply.raw.end();
      streams.clear();
    },
  };
}

export type EventStreams = ReturnType<typeof createEventStreams>;
