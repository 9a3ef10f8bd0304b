import { describe, expect, test } from 'vitest';
import { linksIn, parseInline } from './markdown.ts';

const text = (value: string) => ({ kind: 'text', text: value });
const link = (url: string, has_card = true) => ({ kind: 'link', url, children: [text(url)], has_card });

describe('inline', () => {
  test.each([
    [
      '**bold** and *it*',
      [{ kind: 'bold', children: [text('bold')] }, text(' and '), { kind: 'italic', children: [text('it')] }],
    ],
    ['***both***', [{ kind: 'bold', children: [{ kind: 'italic', children: [text('both')] }] }]],
    ['`a *b* <@1>`', [{ kind: 'code', text: 'a *b* <@1>' }]],
    ['snake_case_name and 2 * 3 * 4', [text('snake_case_name and 2 * 3 * 4')]],
    ['\\*not\\* \\_this\\_ \\<@1\\>', [text('*not* _this_ <@1>')]],
    ['**open and `half', [text('**open and `half')]],
    ['<@12> <#34>', ['person', 'channel']],
    ['<t:1700000000:R>', [{ kind: 'time', at_s: 1_700_000_000, is_relative: true }]],
    ['<t:1700000000:f>', [{ kind: 'time', at_s: 1_700_000_000, is_relative: false }]],
    ['<t:1:X> <b>x</b>', [text('<t:1:X> <b>x</b>')]],
  ])('%s', (source, expected) => {
    const nodes = parseInline(source);
    const named = nodes.filter(({ kind }) => kind !== 'text').map(({ kind }) => kind);
    expect(typeof expected[0] === 'string' ? named : nodes).toEqual(expected);
  });

  test.each([
    ['See https://a.example/x?y=1#z.', [text('See '), link('https://a.example/x?y=1#z'), text('.')]],
    ['(http://a.example/b_(c))', [text('('), link('http://a.example/b_(c)'), text(')')]],
    ['<https://a.example>', [link('https://a.example', false)]],
    [
      '[here](https://a.example)',
      [{ kind: 'link', url: 'https://a.example', children: [text('here')], has_card: true }],
    ],
    ['[here](javascript:alert(1))', [text('[here](javascript:alert(1))')]],
    ['javascript:alert(1) http://', [text('javascript:alert(1) http://')]],
  ])('a link: %s', (source, expected) => {
    expect(parseInline(source)).toEqual(expected);
  });

  test('takes 2,000 characters of marks in its stride', () => {
    for (const mark of ['*', '_', '`', '[', '\\', '<t:', '**a']) {
      expect(parseInline(mark.repeat(2000 / mark.length)).length).toBeGreaterThan(0);
    }
  });
});

test('links that a card may be made of: each once, none of code and none in angle brackets', () => {
  const source = '**http://a.example** http://a.example `http://b.example` <http://c.example> *http://d.example*';
  expect(linksIn(source)).toEqual(['http://a.example', 'http://d.example']);
});
