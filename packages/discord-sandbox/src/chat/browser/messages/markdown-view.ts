import { el } from '../dom.ts';
import { type Inline, parseInline } from './markdown.ts';
import { fullTime, relativeTime } from './times.ts';

/** Whom ids in a text mean. */
export interface Names {
  readonly person: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

const REFRESH_MS = 15_000;

/** "In 2 hours" doesn't stay true: the page rewrites all of them from time to time. */
export function keepTimesFresh(): void {
  setInterval(() => {
    for (const stamp of document.querySelectorAll<HTMLTimeElement>('time[data-at]')) {
      stamp.textContent = relativeTime(Number(stamp.dataset.at), Date.now() / 1000);
    }
  }, REFRESH_MS);
}

export const outsideLink = (url: string, className: string, ...children: readonly (Node | string)[]) =>
  el('a', { href: url, class: className, target: '_blank', rel: 'noopener noreferrer' }, ...children);

function inlineView(node: Inline, names: Names): Node {
  switch (node.kind) {
    case 'text':
      return document.createTextNode(node.text);
    case 'code':
      return el('code', {}, node.text);
    case 'link':
      return outsideLink(node.url, 'link', ...inlineViews(node.children, names));
    case 'time': {
      const { at_s, is_relative } = node;
      const full = fullTime(at_s);
      if (!is_relative) return el('time', {}, full);
      return el('time', { title: full, 'data-at': at_s }, relativeTime(at_s, Date.now() / 1000));
    }
    case 'person':
      return el('span', { class: 'mention' }, `@${names.person(node.id) ?? 'unknown-user'}`);
    case 'channel':
      return el('span', { class: 'mention' }, `#${names.channel(node.id) ?? 'unknown'}`);
    case 'bold':
      return el('strong', {}, ...inlineViews(node.children, names));
    case 'italic':
      return el('em', {}, ...inlineViews(node.children, names));
  }
}

const inlineViews = (nodes: readonly Inline[], names: Names): Node[] => nodes.map((node) => inlineView(node, names));

/** A title or a label: one line. */
export const markdownLine = (text: string, names: Names): Node[] => inlineViews(parseInline(text), names);

/** A paragraph for each line. */
export const markdownView = (text: string, names: Names): HTMLElement[] =>
  text.split('\n').map((line) => el('p', {}, ...markdownLine(line, names)));
