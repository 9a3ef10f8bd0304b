import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkMap } from './check-map.mjs';

const ROOMS = ['packages/contract', 'apps/server', 'apps/server/src/http', 'apps/server/src/domain'];
const mapOf = (rooms) =>
  `<svg>${rooms.map((room) => `<text x="1" data-room="${room}">${room.split('/').at(-1)}</text>`).join('\n')}</svg>`;
const journey = (number, ...steps) =>
  `### Journey ${number}: Away\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n`;
const pageOf = (...journeys) => `# Page\n\n## Journeys\n\n${journeys.join('\n')}\n## After\n\n1. \`http/folder.ts\`\n`;
const FORWARD = ['the route, `http/folder.ts`', 'the rule, `domain/folders.ts`'];
const FOUR = [1, 2, 3, 4].map((number) => journey(number, ...FORWARD));

const GOOD_TREE = {
  'packages/contract/src/errors.ts': 'export const error = 1;\n',
  'apps/server/src/http/folder.ts': "import { rule } from '../domain/folders.ts';\nexport const route = rule;\n",
  'apps/server/src/domain/folders.ts': 'export const rule = 1;\n',
  'apps/server/src/fonts/sans.woff2': '',
  'apps/server/test/folder.api.test.ts': 'export {};\n',
  'docs/architecture.svg': mapOf(ROOMS),
  'docs/architecture.md': pageOf(...FOUR, journey(5, ...FORWARD)),
};

let trees = [];

function check(changes = {}) {
  const root = mkdtempSync(join(tmpdir(), 'satchel-map-'));
  trees.push(root);
  for (const [path, text] of Object.entries({ ...GOOD_TREE, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkMap(root);
}

afterEach(() => {
  for (const root of trees) rmSync(root, { recursive: true, force: true });
  trees = [];
});

describe('the map', () => {
  it('is in order when it has the rooms that there are, tests and assets left out', () => {
    expect(check()).toEqual([]);
  });

  it('lacks a room of the code', () => {
    expect(check({ 'apps/server/src/domain/links/keys.ts': 'export const key = 1;\n' })).toEqual([
      'docs/architecture.svg: apps/server/src/domain/links is not on the map',
    ]);
  });

  it('has a room that does not exist', () => {
    expect(check({ 'docs/architecture.svg': mapOf([...ROOMS, 'apps/server/src/bot']) })).toEqual([
      'docs/architecture.svg: apps/server/src/bot does not exist',
    ]);
  });

  it('shows a room under another name', () => {
    const map = mapOf(ROOMS).replace('>http<', '>web<');
    expect(check({ 'docs/architecture.svg': map })).toEqual([
      'docs/architecture.svg: apps/server/src/http is labelled web',
    ]);
  });
});

describe('the page', () => {
  const withFifth = (...steps) => ({ 'docs/architecture.md': pageOf(...FOUR, journey(5, ...steps)) });

  it('names a path that does not exist', () => {
    const text = `${GOOD_TREE['docs/architecture.md']}\nSee \`http/link.ts\`, \`GET /bot/{slug}\` and \`domain/\`.\n`;
    expect(check({ 'docs/architecture.md': text })).toEqual(['docs/architecture.md: http/link.ts does not exist']);
  });

  it('links to a page that does not exist', () => {
    const pages = {
      'README.md':
        'See [the map](docs/architecture.md), [Node](https://nodejs.org) and [the bytes](docs/bytes.md#one).\n',
    };
    expect(check(pages)).toEqual(['README.md: docs/bytes.md does not exist']);
  });

  it('names a path that may be two', () => {
    expect(check({ 'apps/web/src/http/folder.ts': 'export const page = 1;\n' })).toContain(
      'docs/architecture.md: http/folder.ts may be apps/server/src/http/folder.ts or apps/web/src/http/folder.ts',
    );
  });

  it('has a journey that leads back', () => {
    expect(check(withFifth(...FORWARD.toReversed()))).toEqual([
      'docs/architecture.md: "Journey 5: Away" goes back: apps/server/src/http/folder.ts imports apps/server/src/domain/folders.ts',
    ]);
  });

  it('has a journey with a step that names no file', () => {
    expect(check(withFifth(FORWARD[0], 'the database'))).toEqual([
      'docs/architecture.md: step 2 of "Journey 5: Away" names no file of the code',
    ]);
  });

  it('has a journey of nine steps', () => {
    expect(check(withFifth(...Array(9).fill(FORWARD[0])))).toEqual([
      'docs/architecture.md: "Journey 5: Away" has 9 steps, at most 8',
    ]);
  });

  it('lacks a journey', () => {
    expect(check({ 'docs/architecture.md': pageOf(...FOUR) })).toEqual(['docs/architecture.md: 4 journeys, not 5']);
  });
});
