import { el } from '../dom.ts';
import { type Block, type Inline, parseInline, parseMarkdown } from './markdown.ts';
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

/** "In 2 hours" doesn't stay true: all of the page's are told anew from time to time. */
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

function spoilerView(children: readonly Node[]) {
  const shown = el('span', { class: 'spoiler-text' }, ...children);
  const button = el('button', { type: 'button', class: 'spoiler', 'aria-label': 'Spoiler' }, shown);
  button.addEventListener('click', () => button.replaceWith(shown), { once: true });
  return button;
}

const TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' } as const;

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
    case 'spoiler':
      return spoilerView(inlineViews(node.children, names));
    default:
      return el(TAGS[node.kind], {}, ...inlineViews(node.children, names));
  }
}

const inlineViews = (nodes: readonly Inline[], names: Names): Node[] => nodes.map((node) => inlineView(node, names));

function blockView(block: Block, names: Names): HTMLElement {
  if (block.kind === 'code_block') return el('pre', {}, el('code', {}, block.text));
  const children = inlineViews(block.children, names);
  switch (block.kind) {
    // The page's own headings are above all that is said in it.
    case 'heading':
      return el('p', { class: `said-heading level-${block.level}`, role: 'heading', 'aria-level': 4 }, ...children);
    case 'subtext':
      return el('p', { class: 'subtext' }, ...children);
    case 'quote':
      return el('blockquote', {}, ...children);
    case 'item':
      return el('p', { class: 'item' }, ...children);
    case 'line':
      return el('p', {}, ...children);
  }
}

export const markdownView = (text: string, names: Names): HTMLElement[] =>
  parseMarkdown(text).map((block) => blockView(block, names));

/** A title or a label: one line. */
export const markdownLine = (text: string, names: Names): Node[] => inlineViews(parseInline(text), names);
