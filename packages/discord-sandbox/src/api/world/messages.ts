import { type APIEmbed, type APIMessageTopLevelComponent, MessageFlags } from 'discord-api-types/v10';
import type { Author, ChatEvent, ChatMessage } from '../../chat/chat-entities.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { Room } from './world.ts';

/** A message as the sandbox keeps it. */
export interface StoredMessage {
  readonly id: string;
  readonly room: Room;
  readonly author: Author;
  /** The one persona who sees it; null for all in the channel. It never changes: ephemerality sticks. */
  readonly viewer: string | null;
  readonly timestamp: string;
  readonly used: ChatMessage['used'];
  /** The interaction that it answers, and by which installations the application is in it. */
  readonly origin: MessageOrigin | null;
  content: string;
  embeds: readonly APIEmbed[];
  components: readonly APIMessageTopLevelComponent[];
  flags: number;
  editedTimestamp: string | null;
  state: ChatMessage['state'];
  /** Cards of links in it. */
  cards: readonly APIEmbed[];
}

export interface MessageOrigin {
  readonly interactionId: string;
  readonly interactionType: number;
  readonly persona: string;
  readonly owners: Readonly<Record<string, string>>;
  /** The message that was clicked on. */
  readonly repliesTo: string | null;
}

export type MessageContent = Partial<Pick<StoredMessage, 'content' | 'embeds' | 'components' | 'flags'>>;
export type NewMessage = Pick<StoredMessage, 'room' | 'author' | 'viewer' | 'used' | 'origin' | 'state'> &
  MessageContent;

const toChatMessage = (message: StoredMessage): ChatMessage => ({
  id: message.id,
  channel_id: message.room.channelId,
  author: message.author,
  content: message.content,
  embeds: [...message.embeds, ...message.cards],
  components: message.components,
  timestamp: message.timestamp,
  edited_timestamp: message.editedTimestamp,
  is_ephemeral: message.viewer !== null,
  used: message.used,
  state: message.state,
});

const isOfLinkIn = ({ content }: StoredMessage, { url }: APIEmbed) => url !== undefined && content.includes(url);

/** Of all channels together; beyond them the oldest goes. */
const MAX_KEPT = 2_000;

type Listener = (event: ChatEvent) => void;

/** The messages of all channels, and the subscribers to them. */
export function createMessages({ now, newId }: { now: () => number; newId: Snowflakes }) {
  const messages = new Map<string, StoredMessage>();
  const listeners = new Map<string, Set<Listener>>();

  function tell(persona: string, event: ChatEvent) {
    for (const listener of listeners.get(persona) ?? []) listener(event);
  }
  function tellViewers({ viewer, room }: StoredMessage, event: ChatEvent) {
    for (const name of viewer === null ? room.memberNames : [viewer]) tell(name, event);
  }
  /** Tells subscribers of a change, unless the message has been dismissed or deleted. */
  function announce(message: StoredMessage) {
    if (messages.has(message.id)) tellViewers(message, { kind: 'message', message: toChatMessage(message) });
  }

  function remove(message: StoredMessage) {
    messages.delete(message.id);
    tellViewers(message, { kind: 'removed', channel_id: message.room.channelId, id: message.id });
  }

  return {
    add(given: NewMessage): StoredMessage {
      const message: StoredMessage = {
        content: '',
        embeds: [],
        components: [],
        flags: 0,
        ...given,
        id: newId(),
        timestamp: new Date(now()).toISOString(),
        editedTimestamp: null,
        cards: [],
      };
      if (message.viewer !== null) message.flags |= MessageFlags.Ephemeral;
      messages.set(message.id, message);
      const [oldest] = messages.values();
      if (messages.size > MAX_KEPT && oldest !== undefined) remove(oldest);
      announce(message);
      return message;
    },
    /** What isn't given stays. */
    edit(message: StoredMessage, { flags, ...content }: MessageContent, { isFirst = false } = {}) {
      Object.assign(message, content);
      message.cards = message.cards.filter((card) => isOfLinkIn(message, card));
      const ephemeral = message.flags & MessageFlags.Ephemeral;
      if (flags !== undefined) message.flags = (flags & ~MessageFlags.Ephemeral) | ephemeral;
      message.state = 'sent';
      if (!isFirst) message.editedTimestamp = new Date(now()).toISOString();
      announce(message);
    },
    fail(message: StoredMessage, text: string) {
      message.state = 'failed';
      message.content = text;
      announce(message);
    },
    attachCards(message: StoredMessage, cards: readonly APIEmbed[]) {
      // Fetching them took a while: the text may have changed since.
      message.cards = [...message.cards, ...cards.filter((card) => isOfLinkIn(message, card))];
      announce(message);
    },
    remove,
    find: (id: string) => messages.get(id),
    /** What a persona sees of a channel, oldest first. */
    seenBy: (persona: string, channelId: string): ChatMessage[] =>
      [...messages.values()]
        .filter(({ room, viewer }) => room.channelId === channelId && (viewer === null || viewer === persona))
        .map(toChatMessage),
    toChatMessage,
    tell,
    subscribe(persona: string, listener: Listener): () => void {
      const known = listeners.get(persona) ?? new Set();
      listeners.set(persona, known.add(listener));
      return () => void known.delete(listener);
    },
  };
}
export type Messages = ReturnType<typeof createMessages>;
