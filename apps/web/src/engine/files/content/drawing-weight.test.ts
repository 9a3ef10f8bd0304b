import { expect, test } from 'vitest';
import { isHeavyDrawing } from './drawing-weight.ts';

const svg = (inside: string, before = '') =>
  new TextEncoder().encode(
    `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inside}</svg>`,
  );

/** Groups of ten uses, each of the group before. */
const nested = (depth: number) => {
  const groups = Array.from(
    { length: depth },
    (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`,
  );
  return `<defs><g id="a0">${'<rect width="1" height="1"/>'.repeat(10)}</g>${groups.join('')}</defs><use href="#a${depth}"/>`;
};

const PLAIN: readonly (readonly [string, Uint8Array])[] = [
  ['an icon', svg('<path d="M1 2h3v4z"/>')],
  ['a map of two thousand shapes', svg('<path class="a" d="M1 2C3 4 5 6 7 8Z"/>'.repeat(2000))],
  ['a drawing with a photograph in it', svg(`<image href="data:image/png;base64,${'A'.repeat(2_000_000)}"/>`)],
  ['symbols that are used', svg(`<symbol id="s"><path d="M1 1h1"/></symbol>${'<use xlink:href="#s"/>'.repeat(500)}`)],
  [
    'the entities that Illustrator writes',
    svg('<g/>', '<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>'),
  ],
  ['the data of the program that drew it', svg(`<metadata>${'A'.repeat(500_000)}</metadata>`)],
  ['hatching', svg('<pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 0h4"/></pattern>')],
  ['a thousand dashed lines', svg('<path stroke-dasharray="4 2" d="M10 20L300 400"/>'.repeat(1000))],
  ['two thousand labels', svg('<text>\u0627\u0644 label</text>'.repeat(2000))],
  ['a drawing that uses itself, which no browser draws', svg('<g id="a"><use href="#a"/></g>')],
];

test.each(PLAIN)('%s is drawn', (_name, bytes) => {
  expect(isHeavyDrawing(bytes)).toBe(false);
});

const HOSTILE: readonly (readonly [string, Uint8Array])[] = [
  ['tens of thousands of shapes', svg('<rect width="1" height="1"/>'.repeat(20_000))],
  ['uses of uses of uses', svg(nested(4))],
  ['uses whose address is written with entities', svg(nested(4).replaceAll('#a', '&#35;a'))],
  ['one path of a million points', svg(`<path d="M1 2${'C3 4 5 6 7 8'.repeat(80_000)}"/>`)],
  [
    'a marker on each of ten thousand points',
    svg(
      `<marker id="m">${'<path d="M0 0h1"/>'.repeat(50)}</marker><polyline marker-mid="url(#m)" points="${'1,2 '.repeat(10_000)}"/>`,
    ),
  ],
  [
    'a filter on a thousand shapes',
    svg(`<filter id="f"><feGaussianBlur stdDeviation="20"/></filter>${'<rect filter="url(#f)"/>'.repeat(1000)}`),
  ],
  [
    'a filter on a thousand shapes, by style',
    svg(`<style>rect { filter: url(#f) }</style><filter id="f"><feTurbulence/></filter>${'<rect/>'.repeat(1000)}`),
  ],
  [
    'a thousand rules for a thousand shapes',
    svg(`<style>${'g :nth-child(2n) {fill:red}'.repeat(1000)}</style>${'<rect/>'.repeat(1000)}`),
  ],
  [
    'rules that compare all shapes with all others',
    svg(`<style>${'*:has(~ *) {fill:red}'.repeat(20)}</style>${'<rect/>'.repeat(2500)}`),
  ],
  [
    'millions of tiles of a pattern',
    svg('<pattern id="p" width="0.001" height="0.001" patternUnits="userSpaceOnUse"><rect width="1"/></pattern>'),
  ],
  [
    'millions of tiles, as a transform has it',
    svg('<pattern id="p" width="1" height="1" patternTransform="scale(0.001)"><rect width="1"/></pattern>'),
  ],
  ['millions of dashes', svg('<path stroke-dasharray="0.001" d="M0 0L90000000 90000000"/>'.repeat(10))],
  [
    'millions of dashes, by style',
    svg(`<style>path{stroke-dasharray:.001px}</style>${'<path d="M0 0h9000"/>'.repeat(10)}`),
  ],
  [
    'a drawing in a drawing',
    svg(`<image href=" Data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}"/>`),
  ],
  ['a drawing in a style', svg('<style>rect { mask: url("\\64 ata:image/svg+xml,%3Csvg/%3E") }</style><rect/>')],
  [
    'a line of text in both directions',
    svg(`<text>${'<tspan>\u0627\u0644a</tspan>'.repeat(1500)}${'\u0627\u0644a'.repeat(8000)}</text>`),
  ],
  ['a line of text of megabytes', svg(`<text>${'\u0627\u0644a'.repeat(100_000)}</text>`)],
  ['shapes in an entity', svg('&b;&b;', `<!DOCTYPE svg [<!ENTITY b "${'<rect/>'.repeat(10)}">]>`)],
  ['entities in entities', svg('&c;', '<!DOCTYPE svg [<!ENTITY b "words"><!ENTITY c "&b;&b;">]>')],
  ['letters that another decoder would read', new Uint8Array(Buffer.from('<svg><rect/></svg>', 'utf16le'))],
];

test.each(HOSTILE)('%s is not drawn unasked', (_name, bytes) => {
  expect(isHeavyDrawing(bytes)).toBe(true);
});
