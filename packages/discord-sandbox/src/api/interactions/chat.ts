import type { Chat, ChatMessage } from '../../chat/chat-entities.ts';
import { ChatError } from '../../chat/chat-error.ts';
import { authorOf, personaOf, placesOf, roomOf } from '../world/world.ts';
import { createDispatch, type DispatchDeps, offeredIn, visibleTo } from './dispatch.ts';
import { inLanguage } from './offered-commands.ts';

const MAX_CONTENT = 2000;

function say({ messages }: DispatchDeps, persona: string, channelId: string, given: string): ChatMessage {
  const room = roomOf(persona, channelId);
  const content = given.trim();
  if (content === '' || [...content].length > MAX_CONTENT) throw new ChatError(`From 1 to ${MAX_CONTENT} characters.`);
  const author = authorOf(personaOf(persona));
  const message = messages.add({ room, author, viewer: null, used: null, origin: null, state: 'sent', content });
  return messages.toChatMessage(message);
}

function dismiss(deps: DispatchDeps, persona: string, messageId: string) {
  const message = visibleTo(deps, persona, messageId);
  if (message.viewer === null) throw new ChatError('Others see that message, too.');
  deps.messages.remove(message);
}

/** The chat of the sandbox, as its people use it. */
export function createChat(deps: DispatchDeps): Chat {
  const { messages, bot } = deps;
  return {
    ...createDispatch(deps),
    placesOf: (persona) => placesOf(persona, bot),
    messagesIn: (persona, channelId) => messages.seenBy(persona, roomOf(persona, channelId).channelId),
    commandsIn: (persona, channelId) =>
      offeredIn(deps, persona, roomOf(persona, channelId)).map(({ command }) =>
        inLanguage(command, personaOf(persona).user.locale),
      ),
    say: (persona, channelId, content) => say(deps, persona, channelId, content),
    dismiss: (persona, messageId) => dismiss(deps, persona, messageId),
    attachCards(messageId, embeds) {
      const message = messages.find(messageId);
      if (message !== undefined) messages.attachCards(message, embeds);
    },
    subscribe: (persona, listener) => messages.subscribe(personaOf(persona).name, listener),
  };
}
