import type { FastifyReply } from 'fastify';
import { personas } from '../personas/personas.ts';
import type { Chat, ChatEvent } from './chat-entities.ts';

const BEAT_MS = 20_000;

/** Hands the chat's events to the pages that are open. `onEvent` hears each of them, too. */
export function createEventStreams(chat: Chat, onEvent: (event: ChatEvent) => void) {
  const streams = new Set<{ names: readonly string[]; reply: FastifyReply }>();

  function tell(persona: string, event: ChatEvent) {
    const data = JSON.stringify({ persona, event });
    for (const { names, reply } of streams) {
      if (names.includes(persona)) reply.raw.write(`data: ${data}\n\n`);
    }
    onEvent(event);
  }

  const unsubscribers = personas.map(({ name }) => chat.subscribe(name, (event) => tell(name, event)));
  const beat = setInterval(() => {
    for (const { reply } of streams) reply.raw.write(':\n\n');
  }, BEAT_MS);
  beat.unref();

  return {
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
