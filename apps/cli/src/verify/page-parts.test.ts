import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { countForeignScripts, findForeignAddresses } from './page-parts.ts';

const PAGE = new URL('https://files.example.org/f/abc');
const foreign = (html: string) => findForeignAddresses(html, PAGE, (path) => ['/a.js', '/privacy'].includes(path));

test('a page’s own files are not foreign', () => {
  expect(foreign('<script src="/a.js"></script><link href="../a.js"><meta content="/b.js"><link href=#x>')).toEqual([]);
});

test.each([
  ['<script src="/evil.js"></script>', '/evil.js'],
  ["<SCRIPT SRC='/evil.js'>", '/evil.js'],
  ['<script async src=evil.js>', '/f/evil.js'],
  ['<script\nsrc="https://evil.example/a.js">', 'https://evil.example/a.js'],
  ['<link rel=modulepreload href="//evil.example/a.js">', 'https://evil.example/a.js'],
  ['<script src="data:text/javascript,x">', 'data:'],
  ['<base href="https://evil.example/">', 'https://evil.example/'],
  ['<iframe src="/b.html">', '/b.html'],
])('%s is named', (html, address) => {
  expect(foreign(html)).toEqual([address]);
});

test('an inline script is foreign unless the release’s policy has its hash', () => {
  const policy = `script-src 'self' 'sha256-${createHash('sha256').update('ours()').digest('base64')}'`;
  expect(countForeignScripts('<script>ours()</script><script src="/a.js"></script>', policy)).toBe(0);
  expect(countForeignScripts('<script>ours() </script><script type="module">theirs()</script >', policy)).toBe(2);
});
