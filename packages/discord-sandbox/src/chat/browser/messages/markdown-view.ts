import { el } from '../dom.ts';
import { type Inline, parseInline } from './markdown.ts';
import { timeText } from './times.ts';

/** Whom ids in a text mean. */
export interface Names {
  readonly person: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

const REFRESH_MS = 15_000;

function timeView(at_s: number, style: Extract<Inline, { kind: 'time' }>['style']) {
  const isValid = timeText(at_s, 'F', 0) !== 'Invalid date';
  const attributes = isValid ? { datetime: new Date(at_s * 1000).toISOString(), title: timeText(at_s, 'F', 0) } : {};
  const relative = style === 'R' ? { 'data-at': at_s } : {};
  return el('time', { class: 'stamp', ...attributes, ...relative }, timeText(at_s, style, Date.now() / 1000));
}

/** "In 2 hours" doesn't stay true: the page rewrites all of them from time to time. */
export function keepTimesFresh(): void {
  setInterval(() => {
    for (const stamp of document.querySelectorAll<HTMLTimeElement>('time[data-at]')) {
      const text = timeText(Number(stamp.dataset.at), 'R', Date.now() / 1000);
      if (stamp.textContent !== text) stamp.textContent = text;
    }
  }, REFRESH_MS);
}

export const outsideLink = (url: string, className: string, ...children: readonly (Node | string)[]) =>
  el('a', { href: url, class: className, target: '_blank', rel: 'noopener noreferrer' }, ...children);

const TAGS = { bold: 'strong', italic: 'em' } as const;

function inlineView(node: Inline, names: Names): Node {
  switch (node.kind) {
    case 'text':
      return document.createTextNode(node.text);
    case 'code':
      return el('code', {}, node.text);
    case 'link':
      return outsideLink(node.url, 'link', ...inlineViews(node.children, names));
    case 'time':
      return timeView(node.at_s, node.style);
    case 'command':
      return el('span', { class: 'mention' }, `/${node.name}`);
    case 'mention':
      return node.of === 'person'
        ? el('span', { class: 'mention' }, `@${names.person(node.id) ?? 'unknown-user'}`)
        : el('span', { class: 'mention' }, `#${names.channel(node.id) ?? 'unknown'}`);
    default:
      return el(TAGS[node.kind], {}, ...inlineViews(node.children, names));
  }
}

const inlineViews = (nodes: readonly Inline[], names: Names): Node[] => nodes.map((node) => inlineView(node, names));

/** A paragraph for each line. */
export const markdownView = (text: string, names: Names): HTMLElement[] =>
  text.split('\n').map((line) => el('p', {}, ...markdownLine(line, names)));

/** A title or a label: one line. */
export const markdownLine = (text: string, names: Names): Node[] => inlineViews(parseInline(text), names);
