import type { APIEmbed } from 'discord-api-types/v10';
import type { ChatMessage } from '../../chat-entities.ts';
import { el, icon, picture, pictureAddress } from '../dom.ts';
import { type ComponentContext, componentViews } from './components-view.ts';
import { markdownLine, markdownView, type Names, outsideLink } from './markdown-view.ts';
import { sentText } from './times.ts';

/** An embed, be it the application's or the card of a link. */
function embedView({ title, description, url, provider, thumbnail, image, footer, color }: APIEmbed, names: Names) {
  const titled = title === undefined ? [] : markdownLine(title, names);
  const view = el(
    'div',
    { class: 'embed', role: 'group', 'aria-label': title ?? provider?.name ?? 'Embed' },
    el(
      'div',
      { class: 'embed-text' },
      provider?.name !== undefined && el('p', { class: 'provider' }, provider.name),
      title !== undefined &&
        el('p', { class: 'embed-title' }, url === undefined ? titled : outsideLink(url, 'link', ...titled)),
      description !== undefined && el('div', { class: 'said' }, ...markdownView(description, names)),
      footer !== undefined && el('p', { class: 'provider' }, footer.text),
    ),
    thumbnail !== undefined && picture(thumbnail.url, 80, 'thumbnail'),
    image !== undefined &&
      el('img', { class: 'embed-image', src: pictureAddress(image.url), alt: '', loading: 'lazy' }),
  );
  if (color !== undefined) view.style.setProperty('--edge-colour', `#${color.toString(16).padStart(6, '0')}`);
  return view;
}

export interface MessageContext extends ComponentContext {
  readonly names: Names;
  readonly failure: string | undefined;
  readonly onDismiss: () => void;
}

const failedView = (text: string, role?: 'alert') => el('p', { class: 'failed', role }, icon('warning'), text);

function usedView({ used }: ChatMessage) {
  if (used === null) return null;
  const command = el('span', { class: 'mention' }, `/${used.command}`);
  return el('p', { class: 'used' }, picture(used.by.avatar_url, 16), el('b', {}, used.by.name), ' used ', command);
}

function headView({ author, timestamp }: ChatMessage) {
  return el(
    'p',
    { class: 'head' },
    el('b', { class: author.is_bot ? 'author bot' : 'author' }, author.name),
    author.is_bot && el('span', { class: 'app-badge' }, 'APP'),
    el('time', { class: 'sent', datetime: timestamp }, sentText(timestamp, new Date())),
  );
}

function contentView({ state, author, content, edited_timestamp: edited }: ChatMessage, { names }: MessageContext) {
  if (state === 'thinking') {
    const dots = el('span', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i'));
    return el('p', { class: 'thinking' }, dots, `${author.name} is thinking…`);
  }
  if (state === 'failed') return failedView(content);
  const blocks = content === '' ? [] : markdownView(content, names);
  if (edited !== null) {
    const mark = el('span', { class: 'sent', title: sentText(edited, new Date()) }, ' (edited)');
    if (blocks.length === 0) blocks.push(el('p'));
    blocks.at(-1)?.append(mark);
  }
  return el('div', { class: 'said' }, ...blocks);
}

const privacyView = ({ onDismiss }: MessageContext) =>
  el(
    'p',
    { class: 'only-you' },
    icon('eye'),
    'Only you can see this · ',
    el('button', { class: 'as-link', onclick: onDismiss }, 'Dismiss message'),
  );

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
    picture(message.author.avatar_url, 40),
    el(
      'div',
      { class: 'body' },
      headView(message),
      contentView(message, context),
      ...message.embeds.map((embed) => embedView(embed, context.names)),
      ...componentViews(message.components, context),
      failure !== undefined && failedView(failure, 'alert'),
      message.is_ephemeral && privacyView(context),
    ),
  );
}
