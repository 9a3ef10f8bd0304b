import type { APIEmbed } from 'discord-api-types/v10';
import type { ChatMessage } from '../../chat-entities.ts';
import { el, icon, picture, pictureAddress } from '../dom.ts';
import { type ComponentContext, componentViews } from './components-view.ts';
import { markdownLine, markdownView, type Names, outsideLink } from './markdown-view.ts';
import { sentText } from './times.ts';

const colourText = (colour: number) => `#${colour.toString(16).padStart(6, '0')}`;

const linked = (text: Node[], url: string | undefined, className: string) =>
  url === undefined ? el('span', { class: className }, ...text) : outsideLink(url, `${className} link`, ...text);

/** An embed, be it the application's or the card of a link. */
function embedView(embed: APIEmbed, names: Names): HTMLElement {
  const { title, description, url, provider, thumbnail, image, color } = embed;
  const text = el(
    'div',
    { class: 'embed-text' },
    provider?.name !== undefined && el('p', { class: 'provider' }, provider.name),
    title !== undefined && el('p', { class: 'embed-title' }, linked(markdownLine(title, names), url, 'title')),
    description !== undefined && el('div', { class: 'embed-description said' }, ...markdownView(description, names)),
  );
  const view = el(
    'div',
    { class: 'embed', role: 'group', 'aria-label': title ?? provider?.name ?? 'Embed' },
    text,
    thumbnail !== undefined && picture(thumbnail.url, 80, 'thumbnail'),
    image !== undefined &&
      el('img', { class: 'embed-image', src: pictureAddress(image.url), alt: '', loading: 'lazy' }),
  );
  if (color !== undefined) view.style.setProperty('--edge-colour', colourText(color));
  return view;
}

export interface MessageContext extends ComponentContext {
  readonly names: Names;
  readonly failure: string | undefined;
  readonly onDismiss: () => void;
}

const appBadge = () => el('span', { class: 'app-badge' }, 'APP');

function usedView({ used }: ChatMessage) {
  if (used === null) return null;
  return el(
    'p',
    { class: 'used' },
    icon('turn'),
    picture(used.by.avatar_url, 16),
    el('b', {}, used.by.name),
    ' used ',
    el('span', { class: 'mention' }, `/${used.command.replace(/^\//, '')}`),
  );
}

function headView({ author, timestamp }: ChatMessage) {
  return el(
    'p',
    { class: 'head' },
    el('b', { class: author.is_bot ? 'author bot' : 'author' }, author.name),
    author.is_bot && appBadge(),
    el('time', { class: 'sent', datetime: timestamp }, sentText(timestamp, new Date())),
  );
}

function contentView(message: ChatMessage, context: MessageContext) {
  if (message.state === 'thinking') {
    return el(
      'p',
      { class: 'thinking' },
      el('span', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i')),
      `${message.author.name} is thinking…`,
    );
  }
  if (message.state === 'failed') {
    return el('p', { class: 'failed' }, icon('warning'), message.content || 'The application did not respond');
  }
  const blocks = message.content === '' ? [] : markdownView(message.content, context.names);
  if (message.edited_timestamp !== null) {
    const edited = el('span', { class: 'edited', title: sentText(message.edited_timestamp, new Date()) }, '(edited)');
    const last = blocks.at(-1);
    if (last?.tagName === 'P') last.append(' ', edited);
    else blocks.push(el('p', {}, edited));
  }
  return blocks.length === 0 ? null : el('div', { class: 'said' }, ...blocks);
}

function privacyView({ onDismiss }: MessageContext) {
  return el(
    'p',
    { class: 'only-you' },
    icon('eye'),
    'Only you can see this · ',
    el('button', { type: 'button', class: 'as-link', onclick: onDismiss }, 'Dismiss message'),
  );
}

/** One message: an article by the name of its author. */
export function messageView(message: ChatMessage, context: MessageContext): HTMLElement {
  const { failure } = context;
  return el(
    'article',
    {
      class: message.is_ephemeral ? 'message private' : 'message',
      'aria-label': message.author.name,
      'data-id': message.id,
      tabindex: -1,
    },
    usedView(message),
    el('div', { class: 'portrait' }, picture(message.author.avatar_url, 40)),
    el(
      'div',
      { class: 'body' },
      headView(message),
      contentView(message, context),
      ...message.embeds.map((embed) => embedView(embed, context.names)),
      ...componentViews(message.components, context),
      failure !== undefined && el('p', { class: 'failed', role: 'alert' }, icon('warning'), failure),
      message.is_ephemeral && privacyView(context),
    ),
  );
}
