/** The part of Discord's markdown that messages here are made of, as nodes: what shows them makes elements of these. */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bold' | 'italic'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly has_card: boolean }
  | { readonly kind: 'mention'; readonly of: 'person' | 'channel'; readonly id: string }
  | { readonly kind: 'command'; readonly name: string }
  | { readonly kind: 'time'; readonly at_s: number; readonly style: TimeStyle };

export type TimeStyle = 'f' | 'F' | 'R';

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

const link = (url: string, has_card: boolean): Inline | null =>
  URL.canParse(url) ? { kind: 'link', url, children: [{ kind: 'text', text: url }], has_card } : null;

const isWordBefore = (before: string) => /\w$/.test(before);

/** In the order in which they are tried at each place; all are sticky. */
const rules: readonly Rule[] = [
  { pattern: /\\([^A-Za-z0-9\s])/y, make: ([, text = '']) => ({ kind: 'text', text }) },
  // Backticks with nothing after them are looked at once, not for each length that they could be split into.
  {
    pattern: /(?=`+[^`])(`+)([\s\S]*?[^`])\1(?!`)/y,
    make: ([, , text = '']) => ({ kind: 'code', text: text.trim() || text }),
  },
  {
    pattern: /<t:(-?\d{1,13})(?::([fFR]))?>/y,
    make: ([, at, style = 'f']) => ({ kind: 'time', at_s: Number(at), style: style as TimeStyle }),
  },
  { pattern: /<@!?(\d{1,20})>/y, make: ([, id = '']) => ({ kind: 'mention', of: 'person', id }) },
  { pattern: /<#(\d{1,20})>/y, make: ([, id = '']) => ({ kind: 'mention', of: 'channel', id }) },
  { pattern: /<\/([\w -]{1,100}):\d{1,20}>/y, make: ([, name = '']) => ({ kind: 'command', name }) },
  { pattern: /<(https?:\/\/[^\s<>]+)>/y, make: ([, url = '']) => link(url, false) },
  {
    pattern: /\[((?:\\.|[^[\]\\])+)\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?\)/y,
    make: ([whole, text = '', url = '']) =>
      URL.canParse(url) ? { kind: 'link', url, children: parseInline(text), has_card: !whole.includes('(<') } : null,
  },
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

/** How much of the source a node took: a bare link may be shorter than what its pattern found. */
const takenBy = (node: Inline, match: RegExpExecArray) =>
  node.kind === 'link' && match[0].startsWith('http') ? node.url.length : match[0].length;

function matchAt(text: string, position: number): { node: Inline; length: number } | null {
  for (const { pattern, make } of rules) {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    // A rule may parse what is inside, with these same patterns: their place is set again each time.
    const node = match === null ? null : make(match, text.slice(Math.max(0, position - 1), position));
    if (match !== null && node !== null) return { node, length: takenBy(node, match) };
  }
  return null;
}

export function parseInline(text: string): Inline[] {
  const nodes: Inline[] = [];
  const addText = (more: string) => {
    const last = nodes.at(-1);
    if (last?.kind === 'text') nodes[nodes.length - 1] = { kind: 'text', text: last.text + more };
    else nodes.push({ kind: 'text', text: more });
  };
  for (let position = 0; position < text.length; ) {
    const found = matchAt(text, position);
    if (found === null) addText(text[position] ?? '');
    else if (found.node.kind === 'text') addText(found.node.text);
    else nodes.push(found.node);
    position += found?.length ?? 1;
  }
  return nodes;
}

function linksOf(nodes: readonly Inline[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'link') return node.has_card ? [node.url] : [];
    return 'children' in node ? linksOf(node.children) : [];
  });
}

/** The addresses in a message that a card may be made of: not those in code, nor in angle brackets. */
export function linksIn(text: string): string[] {
  return [...new Set(linksOf(parseInline(text)))];
}
