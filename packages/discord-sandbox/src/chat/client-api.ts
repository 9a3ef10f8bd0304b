import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../personas/personas.ts';
import type { Chat } from './chat-entities.ts';
import { ChatError } from './chat-error.ts';
import type { EventStreams } from './event-streams.ts';
import type { Installations } from './installations.ts';

export interface ClientApiDeps {
  readonly chat: Chat;
  readonly streams: EventStreams;
  readonly installations: Installations;
  readonly clientId: string;
}

const persona = z.string().refine((name) => findPersona(name) !== undefined);
const id = z.string().regex(/^\d{1,20}$/);
const ByPersona = z.object({ persona });
const InChannel = z.object({ persona, channel: id });
const OnMessage = z.object({ persona, message: id });
const InModal = z.object({ persona, modal: z.string().min(1).max(100) });

const options = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Words = z.strictObject({ content: z.string() });
const Command = z.strictObject({ name: z.string(), options });
const Typed = z.strictObject({ name: z.string(), options, focused: z.string() });
const Click = z.strictObject({ custom_id: z.string(), values: z.array(z.string()).optional() });
const Submission = z.strictObject({ fields: z.record(z.string(), z.string()) });
const Stream = z.object({ as: z.union([persona, z.array(persona).max(personas.length)]) });

const describe = (persona: Persona) => ({
  persona: persona.name,
  id: persona.user.id,
  name: nameOf(persona),
  username: persona.user.username,
  about: persona.about,
  avatar_url: avatarPath(persona, 128),
});

const read = <T>(schema: z.ZodType<T>, given: unknown): T => {
  const reading = schema.safeParse(given);
  if (reading.success) return reading.data;
  throw new ChatError('Not what this address takes.');
};

/** What the page asks of the chat, in JSON: reading, and acting as one of the personas. */
export function registerChatApi(app: FastifyInstance, { chat, streams, ...install }: ClientApiDeps) {
  const inChannel = ({ params }: FastifyRequest) => read(InChannel, params);

  app.get('/chat/api/personas', () => personas.map(describe));
  app.get('/chat/api/events', (request, reply) => {
    streams.open(reply, [read(Stream, request.query).as].flat());
  });
  app.get('/chat/api/:persona/places', ({ params }) => chat.placesOf(read(ByPersona, params).persona));
  app.get('/chat/api/:persona/channels/:channel/messages', (request) => {
    const { persona, channel } = inChannel(request);
    return chat.messagesIn(persona, channel);
  });
  app.get('/chat/api/:persona/channels/:channel/commands', (request) => {
    const { persona, channel } = inChannel(request);
    return chat.commandsIn(persona, channel);
  });
  registerActs(app, chat, inChannel);
  registerInstallations(app, install);
}

type InChannelOf = (request: FastifyRequest) => z.infer<typeof InChannel>;

function registerActs(app: FastifyInstance, chat: Chat, inChannel: InChannelOf) {
  app.post('/chat/api/:persona/channels/:channel/messages', async (request, reply) => {
    const { persona, channel } = inChannel(request);
    return reply.code(201).send(chat.say(persona, channel, read(Words, request.body).content));
  });
  app.post('/chat/api/:persona/channels/:channel/commands', async (request, reply) => {
    const { persona, channel } = inChannel(request);
    await chat.runCommand(persona, channel, read(Command, request.body));
    return reply.code(204).send();
  });
  app.post('/chat/api/:persona/channels/:channel/autocomplete', (request) => {
    const { persona, channel } = inChannel(request);
    return chat.autocomplete(persona, channel, read(Typed, request.body));
  });
  app.post('/chat/api/:persona/messages/:message/clicks', async (request, reply) => {
    const { persona, message } = read(OnMessage, request.params);
    const { custom_id, values } = read(Click, request.body);
    await chat.click(persona, message, values === undefined ? { custom_id } : { custom_id, values });
    return reply.code(204).send();
  });
  app.post('/chat/api/:persona/modals/:modal', async (request, reply) => {
    const { persona, modal } = read(InModal, request.params);
    await chat.submit(persona, modal, read(Submission, request.body).fields);
    return reply.code(204).send();
  });
  app.delete('/chat/api/:persona/messages/:message', (request, reply) => {
    const { persona, message } = read(OnMessage, request.params);
    chat.dismiss(persona, message);
    return reply.code(204).send();
  });
}

/** Which applications a persona has, and their removal: the settings of the chat's page. */
function registerInstallations(
  app: FastifyInstance,
  { installations, clientId }: Pick<ClientApiDeps, 'installations' | 'clientId'>,
) {
  app.get('/chat/api/:persona/installations', async (request, reply) => {
    const who = ByPersona.safeParse(request.params);
    if (!who.success) return reply.callNotFound();
    const query = new URLSearchParams({ client_id: clientId, scope: 'bot applications.commands' });
    return { targets: installations.targetsOf(who.data.persona), add_url: `/oauth2/authorize?${query}` };
  });
  app.delete('/chat/api/:persona/installations', async (request, reply) => {
    const who = ByPersona.safeParse(request.params);
    if (!who.success) return reply.callNotFound();
    await installations.deauthorize(who.data.persona);
    return reply.code(204).send();
  });
}
