import type { APIEmbed } from 'discord-api-types/v10';
import { el, picture, pictureAddress } from '../dom.ts';
import { markdownLine, markdownView, type Names, outsideLink } from './markdown-view.ts';

const colourText = (colour: number) => `#${colour.toString(16).padStart(6, '0')}`;

const linked = (text: Node[], url: string | undefined, className: string) =>
  url === undefined ? el('span', { class: className }, ...text) : outsideLink(url, `${className} link`, ...text);

/** An embed, be it the application's or the card of a link. */
export function embedView(embed: APIEmbed, names: Names): HTMLElement {
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
