import { type APIEmbed, type APIMessageTopLevelComponent, ComponentType, MessageFlags } from 'discord-api-types/v10';
import type { Component } from '../../chat/chat-entities.ts';
import { emptyMessage } from '../discord-error.ts';
import type { MessageContent, StoredMessage } from '../world/messages.ts';

/** What may be set of a message's flags; the others Discord ignores. */
const SETTABLE = MessageFlags.SuppressEmbeds | MessageFlags.Ephemeral | MessageFlags.SuppressNotifications;

/** A component, and all components within it. */
export const partsWithin = (part: Component): readonly Component[] => [
  part,
  ...[...(part.components ?? []), part.component].flatMap((inner) => (inner ? partsWithin(inner) : [])),
];

/** Components as Discord keeps them: components without an id get one, in their order, and selects say how many to choose. */
export function numbered<T>(given: readonly T[]): readonly T[] {
  const taken = new Set((given as readonly Component[]).flatMap(partsWithin).map(({ id }) => id));
  let last = 0;
  const nextId = () => {
    do last += 1;
    while (taken.has(last));
    return last;
  };
  const number = (part: Component): Component => ({
    ...part,
    id: part.id || nextId(),
    ...(part.type === ComponentType.StringSelect && {
      min_values: part.min_values ?? 1,
      max_values: part.max_values ?? 1,
    }),
    ...(part.components && { components: part.components.map(number) }),
    ...(part.component && { component: number(part.component) }),
  });
  return (given as readonly Component[]).map(number) as readonly unknown[] as readonly T[];
}

interface Body {
  readonly content?: string | null;
  readonly embeds?: readonly APIEmbed[] | null;
  readonly components?: readonly APIMessageTopLevelComponent[] | null;
  readonly flags?: number | null;
}

/** Null takes a field's content away; what isn't named stays as it is. */
const contentOf = ({ content, embeds: cards, components, flags }: Body): MessageContent => ({
  ...(content !== undefined && { content: (content ?? '').trim() }),
  ...(cards !== undefined && { embeds: cards ?? [] }),
  ...(components !== undefined && { components: numbered(components ?? []) }),
  ...(typeof flags === 'number' && { flags: flags & SETTABLE }),
});

const isEmpty = ({ content = '', embeds: cards = [], components = [] }: MessageContent) =>
  content === '' && cards.length === 0 && components.length === 0;

/** @throws DiscordError 50006 for a message without anything */
export function readNewMessage(body: unknown): MessageContent {
  const content = contentOf(body as Body);
  if (isEmpty(content)) throw emptyMessage();
  return content;
}

/** @throws DiscordError likewise, for the message as it would then be */
export function readEdit(body: unknown, { content, embeds, components }: StoredMessage): MessageContent {
  const change = contentOf(body as Body);
  if (isEmpty({ content, embeds, components, ...change })) throw emptyMessage();
  return change;
}
