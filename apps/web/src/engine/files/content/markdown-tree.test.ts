import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, type Inline, PIECE_MAX_CHARS } from './markdown-blocks.ts';
import { DEPTH_MAX, linkAddress, PARTS_MAX, readMarkdown } from './markdown-tree.ts';
import { BLOCK_MAX_CHARS } from './text-blocks.ts';

const blocks = (text: string) => readMarkdown(text).sections.flatMap((section) => section.blocks);

test('headings, emphasis, lists, tasks, tables, quotes and code are what they are', () => {
  expect(blocks('# A *b*\n\n`c` ~~d~~ **e**\\\nf &amp; g')).toEqual([
    { tag: 'heading', level: 1, children: ['A ', { tag: 'em', children: ['b'] }] },
    {
      tag: 'paragraph',
      children: [
        { tag: 'code', text: 'c' },
        ' ',
        { tag: 'del', children: ['d'] },
        ' ',
        { tag: 'strong', children: ['e'] },
        { tag: 'br' },
        'f & g',
      ],
    },
  ]);
  const item = (text: string): Block[] => [{ tag: 'paragraph', children: [text] }];
  expect(blocks('3. a\n4. b\n\n---\n\n- [x] c\n- [ ] d')).toEqual([
    {
      tag: 'list',
      start: 3,
      items: [
        { isDone: null, blocks: item('a') },
        { isDone: null, blocks: item('b') },
      ],
    },
    { tag: 'rule' },
    {
      tag: 'list',
      start: null,
      items: [
        { isDone: true, blocks: item('c') },
        { isDone: false, blocks: item('d') },
      ],
    },
  ]);
  expect(blocks('| a | b |\n|---|--:|\n| 1 | 2 |')).toEqual([
    { tag: 'table', align: [null, 'right'], head: [['a'], ['b']], rows: [[['1'], ['2']]] },
  ]);
  expect(blocks('> q\n\n```js\n<b>\n```')).toEqual([
    { tag: 'quote', blocks: [{ tag: 'paragraph', children: ['q'] }] },
    { tag: 'code', text: '<b>' },
  ]);
});

test('markup stays text', () => {
  expect(blocks('<script>alert(1)</script>')).toEqual([{ tag: 'code', text: '<script>alert(1)</script>' }]);
  expect(blocks('a <img src=x onerror=alert(1)> b')).toEqual([
    { tag: 'paragraph', children: ['a ', '<img src=x onerror=alert(1)>', ' b'] },
  ]);
});

test('a picture is its description', () => {
  expect(blocks('![A view](https://evil.example/pixel.png "t")')).toEqual([
    { tag: 'paragraph', children: [{ tag: 'picture', text: 'A view' }] },
  ]);
});

test.each([
  ['https://example.org/a?b#c', 'https://example.org/a?b#c'],
  ['HTTP://example.org', 'http://example.org/'],
  ['mailto:mika@example.org', 'mailto:mika@example.org'],
  ['javascript:alert(1)', null],
  ['JaVaScRiPt:alert(1)', null],
  ['java\tscript:alert(1)', null],
  ['\u0001javascript:alert(1)', null],
  [' https://example.org', null],
  ['data:text/html,x', null],
  ['vbscript:x', null],
  ['blob:https://example.org/1', null],
  ['file:///etc/passwd', null],
  ['//example.org', null],
  ['/profile', null],
  ['#k=secret', null],
  ['https://', null],
  ['mailto:a@b@c', null],
  ['', null],
])('the address %j is a link to %j', (href, expected) => {
  expect(linkAddress(href)).toBe(expected);
});

test('an address that is no link is shown beside its words', () => {
  expect(blocks('[click](javascript:alert(1)) [out](&#106;avascript:x)')).toEqual([
    { tag: 'paragraph', children: ['click', ' (javascript:alert(1))', ' ', 'out', ' (&#106;avascript:x)'] },
  ]);
  expect(blocks('[docs/a.md](docs/a.md)')).toEqual([{ tag: 'paragraph', children: ['docs/a.md'] }]);
  expect(blocks('[out](https://example.org)')).toEqual([
    { tag: 'paragraph', children: [{ tag: 'link', href: 'https://example.org/', children: ['out'] }] },
  ]);
});

const depthOf = (parts: readonly (Block | Inline)[]): number =>
  1 +
  Math.max(
    0,
    ...parts.map((part) => {
      if (typeof part === 'string') return 0;
      if ('children' in part) return depthOf(part.children);
      if ('blocks' in part) return depthOf(part.blocks);
      return 'items' in part ? depthOf(part.items.flatMap((item) => item.blocks)) : 0;
    }),
  );

test('what is nested deep, and what has too many parts, has bounds', () => {
  expect(depthOf(blocks(`${'> '.repeat(200)}a`))).toBeLessThan(DEPTH_MAX + 5);
  const long = 'a\n\n'.repeat(PARTS_MAX);
  expect([readMarkdown(long).isCut, blocks(long).length < PARTS_MAX]).toEqual([true, true]);
});

/** The words of what a browser lays out together: paragraphs and cells; lists, quotes and tables; sections. Code comes in blocks. */
function* together(parts: readonly (Block | Inline)[]): Generator<{ what: 'paragraph' | 'group'; text: string }> {
  for (const part of parts) {
    if (typeof part === 'string' || part.tag === 'code') continue;
    const nested = 'blocks' in part ? part.blocks : 'items' in part ? part.items.flatMap((item) => item.blocks) : [];
    if (nested.length > 0) yield { what: 'group', text: wordsOf(part) };
    yield* together(nested);
    if (part.tag === 'table') {
      yield { what: 'group', text: wordsOf(part) };
      for (const cell of [part.head, ...part.rows].flat()) yield { what: 'paragraph', text: wordsOf(cell) };
    }
    if (part.tag === 'paragraph' || part.tag === 'heading') yield { what: 'paragraph', text: wordsOf(part) };
  }
}

function wordsOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (part === null || typeof part !== 'object') return '';
  return Object.entries(part).reduce((words, [key, value]) => words + (key === 'tag' ? '' : wordsOf(value)), '');
}

const LETTERS = {
  'marks on one letter': '\u0301',
  'words without blanks between them': 'ภาษาไทย',
  'joined pictures': '👩‍👩‍👧‍👦',
  'letters of two directions': '\u0627\u0644a',
  'no blank': 'w',
};
const WITHIN: Readonly<Record<string, (text: string) => string>> = {
  'a paragraph': (text) => text,
  emphasis: (text) => `a **b${text}b** c`,
  'inline code': (text) => `\`${text}\``,
  'a link': (text) => `[${text}](https://example.org)`,
  'a picture': (text) => `![${text}](https://example.org)`,
  'a heading': (text) => `# ${text}`,
  'a quote': (text) => `> ${text}`,
  'an item of a list': (text) => `1. a\n2. ${text}`,
  'a nested list': (text) => `- a\n  - b\n    - ${text}`,
  'a cell': (text) => `|a|\n|-|\n|${text}|`,
  'the head of a table': (text) => `|${text}|\n|-|`,
  'a line of code': (text) => `~~~\n${text}\n~~~`,
  HTML: (text) => `<p>${text}</p>`,
};

test.each(Object.keys(WITHIN).flatMap((place) => Object.keys(LETTERS).map((letters) => [letters, place] as const)))(
  'what a browser would lay out for long comes in pieces, and all of it comes: %s in %s',
  (letters, place) => {
    const letter = LETTERS[letters as keyof typeof LETTERS];
    const times = Math.ceil(100_000 / letter.length);
    const read = blocks(WITHIN[place]?.(letter.repeat(times)) ?? '');
    for (const { what, text } of together(read)) {
      expect(text.length).toBeLessThanOrEqual(what === 'paragraph' ? BLOCK_MAX_CHARS : PIECE_MAX_CHARS);
    }
    expect(read.map(wordsOf).join('').split(letter)).toHaveLength(times + 1);
  },
);

test('a text of long paragraphs, lists and tables keeps its numbers, its heads and all of its words', () => {
  const words = (at: number) => `line ${at} ${'of a ferry that leaves at nine '.repeat(3)}`;
  const count = 600;
  const lines = Array.from({ length: count }, (_, at) => words(at).trim());
  const lists = blocks(lines.map((line, at) => `${at + 5}. ${line}`).join('\n')) as Extract<Block, { tag: 'list' }>[];
  expect(lists.length).toBeGreaterThan(1);
  let start = 5;
  for (const list of lists) {
    expect(list.start).toBe(start);
    start += list.items.length;
  }
  expect(start).toBe(count + 5);
  const head = 'a head that every piece of the table has '.repeat(20).trim();
  const tables = blocks(`|${head}|b|\n|-|-|\n${lines.map((line) => `|${line}|b|`).join('\n')}`);
  expect(tables.length).toBeGreaterThan(1);
  for (const table of tables) expect(table).toMatchObject({ tag: 'table', head: [[head], ['b']] });
  expect(tables.flatMap((table) => (table.tag === 'table' ? table.rows.map(([cell]) => cell) : []))).toEqual(
    lines.map((line) => [line]),
  );
  const paragraphs = blocks(`**${lines[0]}** ${lines.join(' ')}`);
  expect(paragraphs.length).toBeGreaterThan(1);
  expect(paragraphs.map(wordsOf).join('')).toBe(`${lines[0]} ${lines.join(' ')}`);
  expect(paragraphs[0]).toMatchObject({
    tag: 'paragraph',
    children: [{ tag: 'strong', children: [lines[0]] }, ...Array(3).fill(expect.any(String))],
  });
});

test('a page lays out short blocks together, some thousand characters at once', () => {
  const { sections } = readMarkdown('A short paragraph.\n\n'.repeat(2000));
  expect(sections.length).toBeLessThan(30);
  for (const { chars, blocks: together } of sections) {
    expect(chars).toBeLessThanOrEqual(BLOCK_MAX_CHARS);
    expect(together.length).toBeGreaterThan(0);
  }
});

test('in any text, a link leads to the web or to mail only', () => {
  const text = fc.string({
    unit: fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '!',
      'a',
      ':',
      '/',
      '*',
      '`',
      '\n',
      '&#58;',
      'javascript',
      'https://',
    ),
  });
  const links = (parts: readonly (Block | Inline)[]): string[] => {
    const found: string[] = [];
    JSON.stringify(parts, (_key, value) => {
      if (value?.tag === 'link') found.push(value.href);
      return value;
    });
    return found;
  };
  fc.assert(
    fc.property(text, (markdown) => {
      for (const href of links(blocks(markdown))) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    }),
  );
});
