import { randomBytes } from 'node:crypto';
import {
  type APIApplicationCommand,
  type APIInteractionResponse,
  type APIInteractionResponseCallbackData,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { type Author, type Chat, ChatError, type OpenModal, type OptionValues } from '../chat/chat-entities.ts';
import { answerProblems, checkReplyTo, messageProblems } from '../schema/check.ts';
import type { Application } from './application.ts';
import { clickToSend, fieldsToSend, inLanguage, offeredIn, optionsToSend, optionsTyped } from './client-rules.ts';
import type { Delivered, Endpoint } from './endpoint.ts';
import { type Act, apiMessageOf, type Interaction, interactionFrame } from './entities.ts';
import type { MessageContent, Messages, StoredMessage } from './messages.ts';
import { checkBody, DiscordError, type Problems, unknownWebhook, unreadableBody } from './problems.ts';
import { authorOf, permissionsOf, personaOf, placesOf, roomOf } from './world.ts';

const MAX_CONTENT = 2000;
const TOKEN_LIFE_MS = 15 * 60_000;
const NO_ANSWER = 'The application did not respond';

/** The fields that an answer sets: null empties a field, and a field that the answer leaves out keeps its content. */
const contentOf = ({ content, embeds, components }: APIInteractionResponseCallbackData): MessageContent => ({
  ...(content !== undefined && { content: (content ?? '').trim() }),
  ...(embeds !== undefined && { embeds: embeds ?? [] }),
  ...(components !== undefined && { components: components ?? [] }),
});

/** @throws DiscordError 50006 for a message without anything */
function refuseEmpty({ content = '', embeds = [], components = [] }: MessageContent) {
  if (content !== '' || embeds.length > 0 || components.length > 0) return;
  throw new DiscordError(400, 50_006, 'Cannot send an empty message');
}

/** Parses what an HTTP response says, in Discord's words where it can't be. */
function parseAnswer({ contentType, text }: NonNullable<Delivered>): unknown {
  if (!/^application\/json\b/i.test(contentType)) {
    throw new DiscordError(400, 0, `The answer is no JSON: its content-type is “${contentType}”.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableBody();
  }
}

const isPrivate = ({ flags }: APIInteractionResponseCallbackData) => (Number(flags) & MessageFlags.Ephemeral) !== 0;

export interface ConversationsDeps {
  readonly application: Application;
  readonly endpoint: Endpoint;
  readonly messages: Messages;
  readonly problems: Problems;
  readonly newId: () => string;
  readonly now: () => number;
}

/** What people do with the application, and what it says: each act is an interaction, and its answers are messages. */
export function createConversations(deps: ConversationsDeps) {
  const { application, endpoint, messages, problems, newId, now } = deps;
  const bot: Author = { id: application.id, name: 'Satchel', avatar_url: '/icon.svg', is_bot: true };
  const byToken = new Map<string, Interaction>();
  /** A person has one form open at a time. */
  const forms = new Map<string, { readonly open: OpenModal; readonly from: Interaction }>();

  function say(interaction: Interaction, data: APIInteractionResponseCallbackData, isThinking = false): StoredMessage {
    const { type, persona, room, channelId, owners, commandName } = interaction;
    const content = contentOf(data);
    if (!isThinking) refuseEmpty(content);
    // In a server, a person's own app is heard by all only where that person may use external apps.
    const isHeard = '0' in owners || (permissionsOf(persona, room) & PermissionFlagsBits.UseExternalApps) !== 0n;
    const isFirst = type === InteractionType.ApplicationCommand && interaction.answeredBy === null;
    return messages.add({
      ...content,
      room,
      channelId,
      author: bot,
      viewer: isPrivate(data) || !isHeard ? persona : null,
      used: isFirst ? { by: authorOf(personaOf(persona)), command: commandName ?? '' } : null,
      owners,
      state: isThinking ? 'thinking' : 'sent',
    });
  }

  function edit(message: StoredMessage, data: APIInteractionResponseCallbackData): StoredMessage {
    const content = contentOf(data);
    refuseEmpty({ content: message.content, embeds: message.embeds, components: message.components, ...content });
    messages.edit(message, content);
    return message;
  }

  function think(interaction: Interaction, data: APIInteractionResponseCallbackData): StoredMessage {
    const message = say(interaction, data, true);
    setTimeout(() => {
      if (message.state === 'thinking') messages.change(message, { state: 'failed', content: NO_ANSWER });
    }, TOKEN_LIFE_MS).unref();
    return message;
  }

  /** Carries out an answer. @returns the message that the answer is, or that it changes @throws DiscordError */
  function apply(interaction: Interaction, answer: APIInteractionResponse): StoredMessage | null {
    const { source } = interaction;
    switch (answer.type) {
      case InteractionResponseType.ChannelMessageWithSource:
        return say(interaction, answer.data);
      case InteractionResponseType.DeferredChannelMessageWithSource:
        return think(interaction, answer.data ?? {});
      case InteractionResponseType.DeferredMessageUpdate:
        return source;
      case InteractionResponseType.UpdateMessage:
        return source && edit(source, answer.data ?? {});
      case InteractionResponseType.ApplicationCommandAutocompleteResult:
        interaction.choices = answer.data.choices ?? [];
        return null;
      case InteractionResponseType.Modal: {
        const open = { id: newId(), modal: answer.data };
        forms.set(interaction.persona, { open, from: interaction });
        messages.tell(interaction.persona, { kind: 'modal', modal: open });
        return null;
      }
      default:
        return null;
    }
  }

  const note = ({ commandName, type }: Interaction, text: string, error?: DiscordError) =>
    problems.note(`${commandName ?? `interaction of type ${type}`}: ${text}`, error?.errors);

  /** @returns whether the application answered, in time and as it must */
  async function ask(interaction: Interaction, data: object): Promise<boolean> {
    const { interactions_endpoint_url: url } = application.settings;
    if (url === null) {
      note(interaction, 'the application has no interactions endpoint.');
      return false;
    }
    const { type, source } = interaction;
    const message = source && { message: apiMessageOf(source, application.id) };
    const frame = interactionFrame(interaction, application.id);
    const limitMs = endpoint.answerLimitMs;
    const delivered = await endpoint.post('interactions', url, { ...frame, ...message, data }, { limitMs });
    if (delivered?.status !== 200) {
      const late = `there was no answer within ${limitMs} ms.`;
      note(interaction, delivered ? `the endpoint answered with status ${delivered.status}.` : late);
      return false;
    }
    try {
      const answer = parseAnswer(delivered);
      checkBody([...checkReplyTo({ type, message: source }, answer), ...answerProblems(answer)]);
      interaction.original = apply(interaction, answer as APIInteractionResponse);
      interaction.answeredBy = (answer as APIInteractionResponse).type;
      return true;
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      note(interaction, `${error.code} ${error.message}`, error);
      return false;
    }
  }

  function open(act: Act): Interaction {
    const id = newId();
    // Discord's tokens are this, too, and no promise: an opaque text of some 200 characters.
    const token = Buffer.from(`interaction:${id}:${randomBytes(96).toString('base64url')}`).toString('base64url');
    const interaction = { ...act, id, token, createdAt: now(), answeredBy: null, original: null, choices: [] };
    byToken.set(token, interaction);
    return interaction;
  }

  type Given = { readonly name: string; readonly options: OptionValues };

  /** An act with a command: it is used, or one of its options is typed into. */
  function openCommand(type: InteractionType, persona: string, channelId: string, name: string) {
    const room = roomOf(persona, channelId);
    const offered = offeredIn(application, personaOf(persona), room).find(({ command }) => command.name === name);
    if (offered === undefined) throw new ChatError(`There is no command /${name} here.`);
    const { command, owners } = offered;
    return { command, act: { type, persona, room, channelId, owners, commandName: name, source: null } };
  }
  const commandData = ({ id, name, type }: APIApplicationCommand, options: readonly object[]) => ({
    id,
    name,
    type,
    options,
  });

  async function runCommand(persona: string, channelId: string, { name, options }: Given) {
    const { command, act } = openCommand(InteractionType.ApplicationCommand, persona, channelId, name);
    const sent = optionsToSend(command, options);
    if (await ask(open(act), commandData(command, sent))) return;
    messages.add({
      room: act.room,
      channelId,
      author: bot,
      viewer: persona,
      used: { by: authorOf(personaOf(persona)), command: name },
      state: 'failed',
      content: NO_ANSWER,
    });
  }

  async function autocomplete(persona: string, channelId: string, typed: Given & { readonly focused: string }) {
    const type = InteractionType.ApplicationCommandAutocomplete;
    const { command, act } = openCommand(type, persona, channelId, typed.name);
    const options = optionsTyped(command, typed.options, typed.focused);
    const interaction = open(act);
    if (!(await ask(interaction, commandData(command, options)))) {
      const text = 'Loading options failed';
      messages.tell(persona, { kind: 'failure', channel_id: channelId, message_id: null, text });
    }
    return interaction.choices;
  }

  function visibleTo(persona: string, messageId: string): StoredMessage {
    const message = messages.findFor(persona, messageId);
    if (message === undefined) throw new ChatError('There is no such message.');
    return message;
  }

  const click: Chat['click'] = async (persona, messageId, component) => {
    const source = visibleTo(persona, messageId);
    const { room, channelId } = source;
    const data = clickToSend(source.components, component);
    // Every person who clicks uses the message's installations, and the one that the server has now.
    const owners = { ...source.owners, ...(application.isAt(room.id) && { '0': room.id }) };
    const type = InteractionType.MessageComponent;
    if (await ask(open({ type, persona, room, channelId, owners, commandName: null, source }), data)) return;
    const text = 'This interaction failed';
    messages.tell(persona, { kind: 'failure', channel_id: channelId, message_id: messageId, text });
  };

  /** A form that the application did not accept stays open, and can be sent again. */
  const submit: Chat['submit'] = async (persona, modalId, fields) => {
    const form = forms.get(persona);
    if (form?.open.id !== modalId) throw new ChatError('That form is not open any more.');
    const data = fieldsToSend(form.open.modal, fields);
    const { room, channelId, owners, source } = form.from;
    const type = InteractionType.ModalSubmit;
    const interaction = open({ type, persona, room, channelId, owners, commandName: null, source });
    if (!(await ask(interaction, data))) throw new ChatError('Something went wrong. Try again.');
    forms.delete(persona);
  };

  /** The chat of the sandbox, as its people use it. */
  const chat: Chat = {
    runCommand,
    autocomplete,
    click,
    submit,
    placesOf: (persona) => placesOf(persona, bot),
    messagesIn(persona, channelId) {
      roomOf(persona, channelId);
      return messages.seenBy(persona, channelId);
    },
    commandsIn: (persona, channelId) =>
      offeredIn(application, personaOf(persona), roomOf(persona, channelId)).map(({ command }) =>
        inLanguage(command, personaOf(persona).user.locale),
      ),
    say(persona, channelId, given) {
      const room = roomOf(persona, channelId);
      const content = given.trim();
      if (content === '' || [...content].length > MAX_CONTENT) {
        throw new ChatError(`From 1 to ${MAX_CONTENT} characters.`);
      }
      const author = authorOf(personaOf(persona));
      return messages.toChatMessage(messages.add({ room, channelId, author, viewer: null, content }));
    },
    dismiss(persona, messageId) {
      const message = visibleTo(persona, messageId);
      if (message.viewer === null) throw new ChatError('Others see that message, too.');
      messages.remove(message);
    },
    attachCards(messageId, cards) {
      const message = messages.find(messageId);
      if (message !== undefined) messages.change(message, { cards: [...message.cards, ...cards] });
    },
    subscribe: messages.subscribe,
  };

  /** @throws DiscordError if the token is unknown, has no answer yet, or has expired */
  function answered(token: string): Interaction {
    const interaction = byToken.get(token);
    if (interaction === undefined) throw unknownWebhook();
    if (now() >= interaction.createdAt + TOKEN_LIFE_MS) throw new DiscordError(401, 50_027, 'Invalid Webhook Token');
    // The application can't answer an interaction after three seconds, so its token stays unknown, as before an answer.
    if (interaction.answeredBy === null) throw unknownWebhook();
    return interaction;
  }

  return {
    chat,
    /** A further message by an interaction's token. @throws DiscordError */
    followUp(token: string, body: unknown) {
      const interaction = answered(token);
      checkBody(messageProblems(body, 'new'));
      const data = body as APIInteractionResponseCallbackData;
      // For backwards compatibility the first message after a deferral is the answer that was promised; whether it is
      // ephemeral was said then, and stays.
      const { original } = interaction;
      const message = original?.state === 'thinking' ? edit(original, data) : say(interaction, data);
      return apiMessageOf(message, application.id);
    },
    /** Another text of the answer. @throws DiscordError */
    editOriginal(token: string, body: unknown) {
      const { original, persona } = answered(token);
      const isThere = original !== null && messages.findFor(persona, original.id) !== undefined;
      if (!isThere) throw new DiscordError(404, 10_008, 'Unknown Message');
      checkBody(messageProblems(body, 'edit'));
      return apiMessageOf(edit(original, body as APIInteractionResponseCallbackData), application.id);
    },
  };
}
export type Conversations = ReturnType<typeof createConversations>;
