/** The part of Discord's markdown that messages here are made of, as nodes: what shows them makes elements of these. */

export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly has_card: boolean }
  | { readonly kind: 'person' | 'channel'; readonly id: string }
  | { readonly kind: 'time'; readonly at_s: number; readonly is_relative: boolean };

interface Rule {
  readonly pattern: RegExp;
  /** @returns null where the text only looks like it */
  readonly make: (match: RegExpExecArray, before: string) => Inline | null;
}

const span =
  (kind: 'bold' | 'italic') =>
  ([, inner = '']: RegExpExecArray): Inline => ({ kind, children: parseInline(inner) });

/** An address as far as it goes: a full stop or a bracket after it belongs to the sentence. */
function trimUrl(url: string): string {
  const trimmed = url.replace(/[.,:;!?"']+$/, '');
  const isOpen = trimmed.endsWith(')') && trimmed.split('(').length < trimmed.split(')').length;
  return isOpen ? trimUrl(trimmed.slice(0, -1)) : trimmed;
}

const link = (url: string, has_card: boolean, text = url): Inline | null =>
  URL.canParse(url)
    ? { kind: 'link', url, children: text === url ? [{ kind: 'text', text }] : parseInline(text), has_card }
    : null;

const isWordBefore = (before: string) => /\w$/.test(before);

/** In the order in which they are tried at each place; all are sticky. */
const rules: readonly Rule[] = [
  { pattern: /\\([^A-Za-z0-9\s])/y, make: ([, text = '']) => ({ kind: 'text', text }) },
  { pattern: /`([^`]+)`/y, make: ([, text = '']) => ({ kind: 'code', text }) },
  {
    pattern: /<t:(-?\d{1,12}):([fR])>/y,
    make: ([, at, style]) => ({ kind: 'time', at_s: Number(at), is_relative: style === 'R' }),
  },
  { pattern: /<@(\d{1,20})>/y, make: ([, id = '']) => ({ kind: 'person', id }) },
  { pattern: /<#(\d{1,20})>/y, make: ([, id = '']) => ({ kind: 'channel', id }) },
  { pattern: /<(https?:\/\/[^\s<>]+)>/y, make: ([, url = '']) => link(url, false) },
  { pattern: /\[([^[\]\\]+)\]\((https?:\/\/[^\s()<>]+)\)/y, make: ([, text, url = '']) => link(url, true, text) },
  {
    pattern: /https?:\/\/[^\s<>]+/y,
    make: ([url], before) => (isWordBefore(before) ? null : link(trimUrl(url), true)),
  },
  { pattern: /\*\*((?:\\.|[^\\])+?)\*\*(?!\*)/sy, make: span('bold') },
  { pattern: /\*(?![\s*])((?:\*\*|\\.|[^\\*])+?)(?<!\s)\*(?!\*)/sy, make: span('italic') },
  {
    pattern: /_((?:__|\\.|[^\\_])+?)_(?!\w)/sy,
    make: (match, before) => (isWordBefore(before) ? null : span('italic')(match)),
  },
];

function matchAt(text: string, position: number): { node: Inline; length: number } | null {
  for (const { pattern, make } of rules) {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    // A rule may parse what is inside, with these same patterns: their place is set again each time.
    const node = match === null ? null : make(match, text.slice(Math.max(0, position - 1), position));
    if (match === null || node === null) continue;
    // A bare link may be shorter than what its pattern found.
    return { node, length: node.kind === 'link' && match[0].startsWith('http') ? node.url.length : match[0].length };
  }
  return null;
}

export function parseInline(text: string): Inline[] {
  const nodes: Inline[] = [];
  for (let position = 0; position < text.length; ) {
    const { node, length } = matchAt(text, position) ?? {
      node: { kind: 'text', text: text[position] ?? '' },
      length: 1,
    };
    const last = nodes.at(-1);
    if (node.kind === 'text' && last?.kind === 'text')
      nodes.splice(-1, 1, { kind: 'text', text: last.text + node.text });
    else nodes.push(node);
    position += length;
  }
  return nodes;
}

const linksOf = (nodes: readonly Inline[]): string[] =>
  nodes.flatMap((node) => {
    if (node.kind === 'link') return node.has_card ? [node.url] : [];
    return 'children' in node ? linksOf(node.children) : [];
  });

/** The addresses in a message that a card may be made of: not those in code, nor in angle brackets. */
export const linksIn = (text: string): string[] => [...new Set(linksOf(parseInline(text)))];
