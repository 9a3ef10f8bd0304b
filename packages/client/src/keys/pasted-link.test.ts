import { describe, expect, test } from 'vitest';
import { type PastedLink, readPastedLink } from './pasted-link.ts';

const SITE = 'https://satchel.example';
const SLUG = 'a1B2c3D4e5F6g7H8';
const SECRET = `${'Qm'.repeat(21)}A`;
const HEX = '0f'.repeat(64);
const OTHER: PastedLink = { kind: 'other' };
const read = (text: string): PastedLink => readPastedLink(text, ['http://127.0.0.1:3000', SITE]);

describe('a whole link', () => {
  const opened: PastedLink = { kind: 'folder', slug: SLUG, hash: `k=${SECRET}` };
  test.each([
    ['as it is', `${SITE}/f/${SLUG}#k=${SECRET}`],
    ['with its card', `${SITE}/s/${SLUG}#k=${SECRET}`],
    ['in its short form', `${SITE}/${SLUG}#k=${SECRET}`],
    ['without https', `satchel.example/f/${SLUG}#k=${SECRET}`],
    ['in a sentence', `Here they are: ${SITE}/f/${SLUG}#k=${SECRET}.\nSee you!`],
    ['between the signs that hide a preview', `<${SITE}/f/${SLUG}#k=${SECRET}>`],
    ['with the state of the page', `${SITE}/f/${SLUG}?tab=info#k=${SECRET}`],
    ['of the page’s own address', `http://127.0.0.1:3000/f/${SLUG}#k=${SECRET}`],
  ])('%s is read', (_name, text) => expect(read(text)).toEqual(opened));

  test('without a key is still a folder', () => {
    expect(read(`${SITE}/f/${SLUG}`)).toEqual({ kind: 'folder', slug: SLUG, hash: '' });
  });

  test('with a grant keeps it', () => {
    expect(read(`${SITE}/f/${SLUG}#grant=abc`)).toEqual({ kind: 'folder', slug: SLUG, hash: 'grant=abc' });
  });

  test('that was cut short says so', () => {
    expect(read(`${SITE}/f/${SLUG}#k=${SECRET.slice(0, 20)}`)).toEqual({ kind: 'damaged' });
  });

  test('of another site is named and not followed', () => {
    expect(read(`https://elsewhere.example/f/${SLUG}#k=${SECRET}`)).toEqual({
      kind: 'elsewhere',
      host: 'elsewhere.example',
    });
    expect(read(`https://satchel.example@evil.example/f/${SLUG}`)).toEqual({ kind: 'elsewhere', host: 'evil.example' });
  });

  test.each([`${SITE}/profile`, `${SITE}/f/short`, `${SITE}/f/${SLUG}/more`, `javascript:alert(1)//${SITE}`])(
    'to no folder leads nowhere: %s',
    (text) => expect(read(text)).toEqual(OTHER),
  );
});

describe('a key alone', () => {
  test.each([
    ['after its sign', `#k=${SECRET}`, `k=${SECRET}`],
    ['with its name', `k=${SECRET}`, `k=${SECRET}`],
    ['bare', ` ${SECRET}\n`, `k=${SECRET}`],
    ['in hex', HEX, HEX],
    ['in hex over two lines', `${HEX.slice(0, 70)}\n${HEX.slice(70)}`, HEX],
  ])('%s is read', (_name, text, hash) => expect(read(text)).toEqual({ kind: 'key', hash }));

  test.each([`k=${SECRET.slice(1)}`, HEX.slice(2)])('that lacks characters is damaged', (text) =>
    expect(read(text)).toEqual({ kind: 'damaged' }),
  );

  test.each(['', 'where is the key?', SLUG])('is not “%s”', (text) => expect(read(text)).toEqual(OTHER));
});
