import { expect, test } from 'vitest';
import { readCard } from './card-parser.ts';

const url = new URL('http://127.0.0.1:3000/f/abc');
const read = (head: string) => readCard(`<!doctype html><html><head>${head}</head><body></body></html>`, url);

test('a page that describes itself becomes a card', () => {
  const card = read(`<title>Other</title>
    <meta property="og:site_name" content="Satchel"><meta property="og:title" content="A folder">
    <meta property="og:description" content="For &lt;a day&gt; &amp; no longer"><meta name="theme-color" content="#b06a2c">
    <meta property="og:image" content="/card.png"><meta name="twitter:card" content="summary_large_image">`);
  expect(card).toEqual({
    url: url.href,
    provider: { name: 'Satchel' },
    title: 'A folder',
    description: 'For <a day> & no longer',
    color: 0xb06a2c,
    image: { url: 'http://127.0.0.1:3000/card.png' },
  });
});

test('without twitter:card the picture is small; title and description fill what is missing', () => {
  expect(
    read('<title> A \n page </title><meta property="og:image" content="b.png"><meta name=description content=Words>'),
  ).toEqual({
    url: url.href,
    title: 'A page',
    description: 'Words',
    thumbnail: { url: 'http://127.0.0.1:3000/f/b.png' },
  });
});

test('reads what pages in the wild have: order, case, quotes, a ">" in a value, unclosed heads', () => {
  const page = `<META CONTENT='5 > 4 "quoted" &#39;x&#x27;' PROPERTY='OG:TITLE'/><meta name=theme-color content=#ffaa00><p>`;
  expect(readCard(page, url)).toEqual({ url: url.href, title: `5 > 4 "quoted" 'x'`, color: 0xffaa00 });
});

test('does not read what only looks like tags', () => {
  const hidden = '<meta property="og:title" content="no">';
  expect(read(`<!-- ${hidden} --><script>"${hidden}"</script><style>${hidden}</style><title></title>`)).toBeNull();
});

test('cuts long texts, and takes no picture or colour of another kind', () => {
  const card = read(`<title>${'t'.repeat(300)}</title><meta name=description content="${'d'.repeat(500)}">
    <meta property="og:image" content="data:image/png;base64,AAAA"><meta name=theme-color content=red>`);
  expect(card?.title).toHaveLength(256);
  expect(card?.description).toHaveLength(350);
  expect(card).not.toHaveProperty('image');
  expect(card).not.toHaveProperty('thumbnail');
  expect(card).not.toHaveProperty('color');
});

test('half a megabyte of brackets is no burden', () => {
  for (const piece of ['<meta ', '<!--', '<meta content="', '<script', '<title>', '&#']) {
    readCard(piece.repeat(Math.floor(524_288 / piece.length)), url);
  }
});
