import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { avatarPath, findPersona, nameOf, personas } from '../personas/personas.ts';
import { type Chat, ChatError, type ChatEvent, type Installations } from './chat-entities.ts';

export interface PageApiDeps {
  readonly chat: Chat;
  readonly installations: Installations;
  readonly clientId: string;
}

const options = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Words = z.strictObject({ content: z.string() });
const Command = z.strictObject({ name: z.string(), options });
const Typed = Command.extend({ focused: z.string() });
const Click = z.strictObject({ custom_id: z.string(), values: z.array(z.string()).default([]) });
const Submission = z.strictObject({ fields: z.record(z.string(), z.string()) });

function read<T>(schema: z.ZodType<T>, { body }: FastifyRequest): T {
  const reading = schema.safeParse(body);
  if (reading.success) return reading.data;
  throw new ChatError('Not what this address takes.');
}

/** Who there is, as the page shows them. */
export const profiles = personas.map((persona) => ({
  persona: persona.name,
  id: persona.user.id,
  name: nameOf(persona),
  username: persona.user.username,
  about: persona.about,
  avatar_url: avatarPath(persona),
}));

/** Hands the chat's events to the pages that are open. */
function createEventStreams({ subscribe }: Chat) {
  const streams = new Set<{ readonly names: readonly string[]; readonly reply: FastifyReply }>();
  const unsubscribe = subscribe((persona: string, event: ChatEvent) => {
    const data = JSON.stringify({ persona, event });
    for (const { names, reply } of streams) if (names.includes(persona)) reply.raw.write(`data: ${data}\n\n`);
  });

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
      unsubscribe();
      for (const { reply } of streams) reply.raw.end();
    },
  };
}

interface ByPersona {
  readonly Params: { readonly persona: string; readonly id: string };
}

/** What the page asks of the chat, in JSON: reading, and acting as one of the personas. The chat checks the addresses. */
export function registerPageApi(app: FastifyInstance, { chat, installations, clientId }: PageApiDeps) {
  const base = '/chat/api/:persona';
  const channel = `${base}/channels/:id`;
  const streams = createEventStreams(chat);
  app.addHook('preClose', async () => streams.close());

  app.get('/chat/api/personas', () => profiles);
  app.get<{ Querystring: { readonly as?: string | string[] } }>('/chat/api/events', ({ query: { as = [] } }, reply) => {
    const names = [as].flat();
    const isKnown = names.length > 0 && names.every((name) => findPersona(name) !== undefined);
    if (!isKnown) throw new ChatError('Unknown persona.');
    streams.open(reply, names);
  });
  app.get<ByPersona>(`${base}/places`, ({ params }) => chat.placesOf(params.persona));
  app.get<ByPersona>(`${channel}/messages`, ({ params }) => chat.messagesIn(params.persona, params.id));
  app.get<ByPersona>(`${channel}/commands`, ({ params }) => chat.commandsIn(params.persona, params.id));

  app.post<ByPersona>(`${channel}/messages`, async (request, reply) => {
    const { persona, id } = request.params;
    return reply.code(201).send(chat.say(persona, id, read(Words, request).content));
  });
  app.post<ByPersona>(`${channel}/commands`, async (request, reply) => {
    await chat.runCommand(request.params.persona, request.params.id, read(Command, request));
    return reply.code(204).send();
  });
  app.post<ByPersona>(`${channel}/autocomplete`, (request) =>
    chat.autocomplete(request.params.persona, request.params.id, read(Typed, request)),
  );
  app.post<ByPersona>(`${base}/messages/:id/clicks`, async (request, reply) => {
    await chat.click(request.params.persona, request.params.id, read(Click, request));
    return reply.code(204).send();
  });
  app.post<ByPersona>(`${base}/modals/:id`, async (request, reply) => {
    await chat.submit(request.params.persona, request.params.id, read(Submission, request).fields);
    return reply.code(204).send();
  });
  app.delete<ByPersona>(`${base}/messages/:id`, (request, reply) => {
    chat.dismiss(request.params.persona, request.params.id);
    return reply.code(204).send();
  });
  // Where a persona has the application, and its removal: the settings of the chat's page.
  app.get<ByPersona>(`${base}/installations`, ({ params }) => {
    const query = new URLSearchParams({ client_id: clientId, scope: 'bot applications.commands' });
    return { targets: installations.targetsOf(params.persona), add_url: `/oauth2/authorize?${query}` };
  });
  app.delete<ByPersona>(`${base}/installations`, async ({ params }, reply) => {
    await installations.deauthorize(params.persona);
    return reply.code(204).send();
  });
}
