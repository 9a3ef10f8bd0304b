import type { APIEmbed, APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Author, ChatEvent, ChatMessage } from '../chat/chat-entities.ts';
import type { Room } from './world.ts';

const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Discord's ids (snowflakes): the time in their upper bits, each greater than the one before. */
export function createSnowflakes(now: () => number): () => string {
  let last = 0n;
  return () => {
    const id = BigInt(Math.max(0, now() - DISCORD_EPOCH_MS)) << 22n;
    last = id > last ? id : last + 1n;
    return String(last);
  };
}

/** By which installations an application is in a conversation: `authorizing_integration_owners`. */
export type Owners = Readonly<Record<string, string>>;

/** A message as the sandbox keeps it. */
export interface StoredMessage {
  readonly id: string;
  readonly room: Room;
  readonly channelId: string;
  readonly author: Author;
  /** The one persona who sees it; null for all in the channel. It never changes: ephemerality sticks. */
  readonly viewer: string | null;
  readonly timestamp: string;
  readonly used: ChatMessage['used'];
  readonly owners: Owners;
  content: string;
  embeds: readonly APIEmbed[];
  components: readonly APIMessageTopLevelComponent[];
  editedTimestamp: string | null;
  state: ChatMessage['state'];
  /** Cards of links, which are shown for as long as their link is in the message. */
  cards: readonly APIEmbed[];
}

export type MessageContent = Partial<Pick<StoredMessage, 'content' | 'embeds' | 'components'>>;
type NewMessage = Pick<StoredMessage, 'room' | 'channelId' | 'author' | 'viewer'> &
  Partial<Pick<StoredMessage, 'used' | 'owners' | 'state'>> &
  MessageContent;

const toChatMessage = (message: StoredMessage): ChatMessage => ({
  id: message.id,
  channel_id: message.channelId,
  author: message.author,
  content: message.content,
  embeds: [...message.embeds, ...message.cards.filter(({ url }) => url && message.content.includes(url))],
  components: message.components,
  timestamp: message.timestamp,
  edited_timestamp: message.editedTimestamp,
  is_ephemeral: message.viewer !== null,
  used: message.used,
  state: message.state,
});

export type Listener = (persona: string, event: ChatEvent) => void;

/** The messages of all channels, and the subscribers to them. `now` is in milliseconds since 1970. */
export function createMessages(now: () => number, newId: () => string) {
  const messages = new Map<string, StoredMessage>();
  const listeners = new Set<Listener>();

  function tell(persona: string, event: ChatEvent) {
    for (const listener of listeners) listener(persona, event);
  }
  function tellViewers({ viewer, room }: StoredMessage, event: ChatEvent) {
    for (const name of viewer === null ? room.memberNames : [viewer]) tell(name, event);
  }
  const isSeenBy = (persona: string, { viewer, room }: StoredMessage) =>
    room.memberNames.includes(persona) && (viewer === null || viewer === persona);

  /** Changes a message and tells its viewers, unless it has been dismissed. */
  function change(message: StoredMessage, changes: Partial<StoredMessage>) {
    Object.assign(message, changes);
    if (messages.has(message.id)) tellViewers(message, { kind: 'message', message: toChatMessage(message) });
  }

  return {
    add(given: NewMessage): StoredMessage {
      const message: StoredMessage = {
        used: null,
        owners: {},
        state: 'sent',
        content: '',
        embeds: [],
        components: [],
        ...given,
        id: newId(),
        timestamp: new Date(now()).toISOString(),
        editedTimestamp: null,
        cards: [],
      };
      messages.set(message.id, message);
      change(message, {});
      return message;
    },
    change,
    /** What isn't given stays. An answer that was promised is no edit. */
    edit(message: StoredMessage, content: MessageContent) {
      const editedTimestamp = message.state === 'thinking' ? null : new Date(now()).toISOString();
      change(message, { ...content, state: 'sent', editedTimestamp });
    },
    remove(message: StoredMessage) {
      messages.delete(message.id);
      tellViewers(message, { kind: 'removed', channel_id: message.channelId, id: message.id });
    },
    find: (id: string) => messages.get(id),
    /** @returns undefined for a message that this person doesn't see */
    findFor(persona: string, id: string) {
      const message = messages.get(id);
      return message && isSeenBy(persona, message) ? message : undefined;
    },
    /** What a persona sees of a channel, oldest first. */
    seenBy: (persona: string, channelId: string): ChatMessage[] =>
      [...messages.values()]
        .filter((message) => message.channelId === channelId && isSeenBy(persona, message))
        .map(toChatMessage),
    toChatMessage,
    tell,
    subscribe(listener: Listener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
export type Messages = ReturnType<typeof createMessages>;
