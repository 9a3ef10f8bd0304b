import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, DEPTH_MAX, type Inline, linkAddress, PARTS_MAX, readMarkdown } from './markdown-tree.ts';

const blocks = (text: string) => readMarkdown(text).blocks;

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
  const long = readMarkdown('a\n\n'.repeat(PARTS_MAX));
  expect([long.isCut, long.blocks.length < PARTS_MAX]).toEqual([true, true]);
});

test.each([
  ['a paragraph', (text: string) => text],
  ['emphasis', (text: string) => `**${text}**`],
  ['a cell', (text: string) => `|${text}|\n|-|`],
  ['a line of code', (text: string) => `~~~\n${text}\n~~~`],
  ['HTML', (text: string) => `<p>${text}</p>`],
  ['entities', (text: string) => text.replaceAll('\u0644', '&#x644;')],
])('what a browser would lay out for long is not read as Markdown: %s', (_what, within) => {
  const turned = (times: number) => within('\u0627\u0644a'.repeat(times));
  expect(() => readMarkdown(turned(8000))).toThrow(RangeError);
  expect(() => readMarkdown(`${turned(500)}\n\n`.repeat(200))).toThrow(RangeError);
  expect(readMarkdown(`${turned(20)}\n\n`.repeat(200)).isCut).toBe(false);
});

test('a long text from right to left, with some words of another direction, is Markdown', () => {
  const paragraph = `${'\u0627\u0644\u0633\u0644\u0627\u0645 '.repeat(40)}Satchel, `.repeat(4);
  expect(blocks(`${paragraph}\n\n`.repeat(400))).toHaveLength(400);
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
