import { type APIEmbed, type APIMessageTopLevelComponent, ComponentType, MessageFlags } from 'discord-api-types/v10';
import { rows, v2Components } from './component-rules.ts';
import { emptyMessage } from './discord-error.ts';
import { embeds } from './embed-rules.ts';
import {
  all,
  boolean,
  checkForm,
  choice,
  fault,
  inside,
  integer,
  isObject,
  list,
  model,
  objectsIn,
  type Path,
  type Rule,
  snowflake,
  text,
} from './form.ts';
import type { MessageContent, StoredMessage } from './messages.ts';

const MAX_CONTENT = 2000;
/** What may be set of a message's flags; the others Discord ignores. */
const SETTABLE =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2;

/** Naming whom one may mention, and all of their kind as well, contradict each other. */
const mentionsAgree: Rule = (value, spot) => {
  if (!isObject(value) || !Array.isArray(value.parse)) return;
  for (const kind of ['users', 'roles'] as const) {
    const named = value[kind];
    if (!value.parse.includes(kind) || !Array.isArray(named) || named.length === 0) continue;
    const said = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
    fault(spot, 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', said);
  }
};
const allowedMentions = all(
  model({
    optional: {
      parse: list(choice('users', 'roles', 'everyone'), { max: 3 }),
      users: list(snowflake, { max: 100 }),
      roles: list(snowflake, { max: 100 }),
      replied_user: boolean,
    },
  }),
  mentionsAgree,
);

const noFiles: Rule = (value, spot) => {
  for (const at of objectsIn(value).keys()) {
    fault(inside(spot, at), 'ATTACHMENT_NOT_FOUND', 'Attachment data not found');
  }
};

const common = { tts: boolean, flags: integer({ min: 0 }), allowed_mentions: allowedMentions, attachments: noFiles };
const classic = model({ optional: { ...common, content: text({ max: MAX_CONTENT }), embeds, components: rows } });

const legacyFields: Rule = (value, spot) => {
  if (!isObject(value)) return;
  for (const name of ['content', 'embeds', 'poll', 'sticker_ids']) {
    const given = value[name];
    if (given === undefined || given === null || given === '' || (Array.isArray(given) && given.length === 0)) continue;
    fault(
      inside(spot, name),
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
    );
  }
};
const withComponentsV2 = all(model({ optional: { ...common, components: v2Components } }), legacyFields);

const keepsV2: Rule = (value, spot) => {
  if (!isObject(value) || typeof value.flags !== 'number') return;
  if ((value.flags & MessageFlags.IsComponentsV2) !== 0) return;
  const said = 'The IS_COMPONENTS_V2 flag cannot be removed from a message';
  fault(inside(spot, 'flags'), 'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG', said);
};

const isV2 = (flags: unknown) => typeof flags === 'number' && (flags & MessageFlags.IsComponentsV2) !== 0;

function ruleFor(body: unknown, edited: StoredMessage | null): Rule {
  if (edited !== null && isV2(edited.flags)) return all(withComponentsV2, keepsV2);
  return isObject(body) && isV2(body.flags) ? withComponentsV2 : classic;
}

interface Numbered {
  readonly type?: ComponentType;
  readonly id?: number;
  readonly min_values?: number | null;
  readonly max_values?: number | null;
  readonly components?: readonly Numbered[];
  readonly component?: Numbered;
  readonly accessory?: Numbered;
}

const childrenOf = ({ components = [], component, accessory }: Numbered): readonly Numbered[] => [
  ...components,
  ...(component ? [component] : []),
  ...(accessory ? [accessory] : []),
];
const idsIn = (parts: readonly Numbered[]): readonly number[] =>
  parts.flatMap((part) => [part.id ?? 0, ...idsIn(childrenOf(part))]);

const SELECTS: ReadonlySet<unknown> = new Set([
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
]);

/** Components as Discord keeps them: those without an id get one, in their order, and selects say how many to choose. */
export function numbered<T>(given: readonly T[]): readonly T[] {
  const taken = new Set(idsIn(given as readonly Numbered[]));
  let last = 0;
  const nextId = () => {
    do last += 1;
    while (taken.has(last));
    return last;
  };
  const number = (part: Numbered): Numbered => ({
    ...part,
    id: part.id || nextId(),
    ...(SELECTS.has(part.type) && { min_values: part.min_values ?? 1, max_values: part.max_values ?? 1 }),
    ...(part.components && { components: part.components.map(number) }),
    ...(part.component && { component: number(part.component) }),
    ...(part.accessory && { accessory: number(part.accessory) }),
  });
  return (given as readonly Numbered[]).map(number) as readonly unknown[] as readonly T[];
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

/** @throws DiscordError: 50035 with what is wrong, 50006 for a message without anything */
export function readNewMessage(body: unknown, path: Path = []): MessageContent {
  checkForm(body, ruleFor(body, null), path);
  const content = contentOf(body as Body);
  if (isEmpty(content)) throw emptyMessage();
  return content;
}

/** @throws DiscordError likewise, for the message as it would then be */
export function readEdit(body: unknown, edited: StoredMessage, path: Path = []): MessageContent {
  checkForm(body, ruleFor(body, edited), path);
  const content = contentOf(body as Body);
  // A message that becomes one of components v2 gives up what such a message can't have.
  const isBecomingV2 = isV2(content.flags) && !isV2(edited.flags);
  const whole = isBecomingV2 ? { content: '', embeds: [], ...content } : content;
  if (isEmpty({ content: edited.content, embeds: edited.embeds, components: edited.components, ...whole })) {
    throw emptyMessage();
  }
  return whole;
}
