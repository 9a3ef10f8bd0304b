import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkImports } from './check-imports.mjs';

const GOOD_TREE = {
  'packages/contract/src/errors.ts': 'export class AppError extends Error {}\n',
  'packages/contract/src/entities.ts': "import { AppError } from './errors.ts';\nexport type Folder = AppError;\n",
  'packages/container/src/seal.ts':
    "import { AppError } from '@satchel/contract/errors';\nexport const seal = AppError;\n",
  'apps/server/src/config.ts': 'export const config = process.env;\n',
  'apps/server/src/platform/db.ts':
    "import type { Folder } from '@satchel/contract/entities';\nexport type Row = Folder;\n",
  'apps/server/src/domain/access/folders.ts':
    "import type { Row } from '../../platform/db.ts';\nexport type FolderRow = Row;\n",
  'apps/server/src/domain/access/keys.ts':
    "import type { FolderRow } from './folders.ts';\nexport type Key = FolderRow;\n",
  'apps/server/src/domain/links/links.ts':
    "import type { FolderRow } from '../access/folders.ts';\nexport type Link = FolderRow;\n",
  'apps/server/src/domain/sweep.ts': "import type { Link } from './links/links.ts';\nexport type Swept = Link;\n",
  'apps/server/src/http/folder.ts': "import type { Key } from '../domain/access/keys.ts';\nexport type Route = Key;\n",
  'apps/server/test/folders/folder.api.test.ts': "import { app } from '../../src/app.ts';\nexport const tried = app;\n",
  'apps/server/src/app.ts': "import type { Route } from './http/folder.ts';\nexport const app: Route | 0 = 0;\n",
  'apps/server/src/main.ts': "import { app } from './app.ts';\nvoid app;\n",
  'apps/server/src/register.ts': "import { app } from './app.ts';\nvoid app;\n",
  'apps/web/src/lib/store.ts': 'export const store = 1;\n',
  'apps/web/src/engine/seal.ts':
    "import { seal } from '@satchel/container/seal';\nexport const api = seal;\nexport const start = () => new Worker(new URL('./seal-worker.ts', import.meta.url));\n",
  'apps/web/src/engine/seal-worker.ts': "import { store } from '../lib/store.ts';\nvoid store;\n",
  'apps/web/src/ui/button.tsx':
    "import './button.css';\nimport { store } from '../lib/store.ts';\nexport const Button = () => <b>{String(store)}</b>;\n",
  'apps/web/src/features/files/card.tsx':
    "import { Button } from '../../ui/button.tsx';\nexport const Card = Button;\n",
  'apps/web/src/features/upload/queue.ts': "import { api } from '../../engine/seal.ts';\nexport const queue = api;\n",
  'apps/web/src/pages/folder.tsx':
    "import { Card } from '../features/files/card.tsx';\nimport { queue } from '../features/upload/queue.ts';\nexport const Page = [Card, queue];\n",
  'apps/web/src/shell/router.tsx': "export const load = () => import('../pages/folder.tsx');\n",
  'apps/web/src/main.tsx': "import { load } from './shell/router.tsx';\nvoid load;\n",
  'apps/web/vite.config.ts': 'export default {};\n',
  'packages/discord-sandbox/src/main.ts': 'export const sandbox = 1;\n',
  'tests/acceptance/upload.test.ts': "import { seal } from '@satchel/container/seal';\nvoid seal;\n",
};

let trees = [];

function checkTree(changes, warn) {
  const root = mkdtempSync(join(tmpdir(), 'satchel-imports-'));
  trees.push(root);
  for (const [path, text] of Object.entries({ ...GOOD_TREE, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkImports(root, warn);
}

const check = (changes) => checkTree(changes, () => undefined);

/** What the check warns of where it finds no breach. */
function warningsOf(changes) {
  const warnings = [];
  expect(checkTree(changes, (text) => warnings.push(text))).toEqual([]);
  return warnings;
}

afterEach(() => {
  for (const root of trees) rmSync(root, { recursive: true, force: true });
  trees = [];
});

describe('the import check', () => {
  it('passes a tree that keeps the rules', () => {
    expect(check({})).toEqual([]);
  });

  it.each(['react', 'react-dom/client', '@lingui/react', '@tanstack/react-query'])(
    'catches %s in the engine and in the client',
    (name) => {
      const text = `import { x } from '${name}';\nexport const y = x;\n`;
      const lines = check({ 'apps/web/src/engine/keys/store.ts': text, 'packages/client/src/send/job.ts': text });
      expect(lines).toContainEqual(expect.stringContaining(`engine must not import React (${name})`));
      expect(lines).toContainEqual(expect.stringContaining(`client must not import React (${name})`));
    },
  );

  it('catches React in what the engine imports', () => {
    const lines = check({
      'apps/web/src/lib/hooks.ts': "import { x } from 'react';\nexport const y = x;\n",
      'apps/web/src/lib/theme.ts': "import { y } from './hooks.ts';\nexport const theme = y;\n",
      'apps/web/src/engine/keys/store.ts': "import { theme } from '../../lib/theme.ts';\nexport const store = theme;\n",
    });
    expect(lines).toContainEqual(
      'apps/web/src/engine/keys/store.ts:1: engine must not import React (../../lib/theme.ts, by way of apps/web/src/lib/hooks.ts)',
    );
  });

  it.each([
    ['texts', "import { t } from '@lingui/core/macro';\nexport const y = t;\n"],
    ['texts', "import { texts } from '../../lib/texts/error-text.ts';\nexport const y = texts;\n"],
    ['toasts or announcements', "import { notify } from '../../lib/base/toast.ts';\nexport const y = notify;\n"],
    ['toasts or announcements', "import { announce } from '../../lib/base/announce.ts';\nexport const y = announce;\n"],
  ])('catches %s in the engine, and not in a feature', (what, text) => {
    const lib = {
      'apps/web/src/lib/texts/error-text.ts': 'export const texts = 1;\n',
      'apps/web/src/lib/base/toast.ts': 'export const notify = 1;\n',
      'apps/web/src/lib/base/announce.ts': 'export const announce = 1;\n',
    };
    expect(check({ ...lib, 'apps/web/src/features/files/card.tsx': text })).toEqual([]);
    expect(check({ ...lib, 'apps/web/src/engine/keys/store.ts': text })).toEqual([
      expect.stringContaining(`engine must not import ${what} (`),
    ]);
  });

  it('catches a component in the engine', () => {
    const lines = check({ 'apps/web/src/engine/keys/key.tsx': 'export const Key = () => <b />;\n' });
    expect(lines).toContainEqual(expect.stringContaining('engine has no components'));
  });

  const from = (specifier) => `import { x } from '${specifier}';\nexport const y = x;\n`;

  it('passes a worker that is imported by its address', () => {
    const code = "import address from './seal-worker.ts?worker&url';\nexport const x = new Worker(address);\n";
    expect(check({ 'apps/web/src/engine/seal-client.ts': code })).toEqual([]);
  });

  it.each`
    path                                            | specifier                                          | complaint
    ${'apps/server/src/platform/db.ts'}             | ${'../domain/access/folders.ts'}                   | ${'platform must not import domain'}
    ${'apps/server/src/domain/access/folders.ts'}   | ${'../../http/folder.ts'}                          | ${'domain must not import http'}
    ${'apps/server/src/http/folder.ts'}             | ${'../app.ts'}                                     | ${'http must not import app'}
    ${'apps/web/src/lib/api.ts'}                    | ${'../ui/button.tsx'}                              | ${'lib must not import ui'}
    ${'apps/web/src/ui/button.tsx'}                 | ${'../features/files/card.tsx'}                    | ${'ui must not import features'}
    ${'apps/web/src/engine/seal.ts'}                | ${'./seal-worker.ts'}                              | ${'./seal-worker.ts is a worker: start it by its address'}
    ${'apps/web/src/engine/seal.ts'}                | ${'../ui/button.tsx'}                              | ${'engine and ui must not import each other'}
    ${'apps/web/src/features/files/card.tsx'}       | ${'../upload/queue.ts'}                            | ${'feature files must not import feature upload'}
    ${'apps/server/src/domain/access/keys.ts'}      | ${'@satchel/container/seal'}                       | ${'server must not import container'}
    ${'apps/server/src/domain/access/keys.test.ts'} | ${'@satchel/container/seal'}                       | ${'server must not import container'}
    ${'apps/server/src/domain/access/keys.ts'}      | ${'../../../../../packages/container/src/seal.ts'} | ${'server must not import container'}
    ${'packages/contract/src/errors.ts'}            | ${'@satchel/container/seal'}                       | ${'contract must not import container'}
    ${'apps/server/src/http/folder.ts'}             | ${'@satchel/discord-sandbox/main'}                 | ${'server must not import discord-sandbox'}
    ${'apps/web/src/lib/api.ts'}                    | ${'@satchel/server/config.ts'}                     | ${'web must not import server'}
    ${'tests/acceptance/upload.test.ts'}            | ${'../../apps/server/src/app.ts'}                  | ${'acceptance must not import server'}
    ${'apps/server/src/app.ts'}                     | ${'../test/folders/folder.api.test.ts'}            | ${'is only for tests'}
    ${'apps/server/src/platform/db.ts'}             | ${'../../../../packages/contract/src/errors.ts'}   | ${'import @satchel/contract by its name'}
    ${'apps/server/src/app.ts'}                     | ${'./http/gone.ts'}                                | ${"doesn't exist"}
    ${'apps/server/src/domain/access/folders.ts'}   | ${'../links/links.ts'}                             | ${'room access must not import room links'}
    ${'apps/server/src/domain/access/folders.ts'}   | ${'../sweep.ts'}                                   | ${'room access must not import room domain'}
  `('catches $path importing $specifier', ({ path, specifier, complaint }) => {
    expect(check({ [path]: from(specifier) })).toContainEqual(expect.stringMatching(`^${path}:\\d+: .*${complaint}`));
  });

  it.each`
    path                                         | complaint
    ${'apps/server/src/services/mail.ts'}        | ${'services is no layer'}
    ${'apps/server/src/domain/mail/letters.ts'}  | ${'mail is no room of server/domain'}
    ${'apps/server/src/http/folder.api.test.ts'} | ${'belongs into apps/server/test'}
  `('catches $path, which belongs nowhere', ({ path, complaint }) => {
    expect(check({ [path]: 'export const x = 1;\n' })).toContainEqual(
      expect.stringMatching(`^${path}:\\d+: .*${complaint}`),
    );
  });

  it.each([
    ['import type', "import type { FolderRow } from '../domain/access/folders.ts';\nexport type Row = FolderRow;\n"],
    [
      'import { type }',
      "import { type FolderRow } from '../domain/access/folders.ts';\nexport type Row = FolderRow;\n",
    ],
    ['export type from', "export type { FolderRow } from '../domain/access/folders.ts';\nexport type Row = 1;\n"],
    ["import('…').Name", "export type Row = import('../domain/access/folders.ts').FolderRow;\n"],
    ['import()', "export type Row = 1;\nexport const load = () => import('../domain/access/folders.ts');\n"],
  ])('catches a wrong layer written as %s', (_form, text) => {
    const lines = check({ 'apps/server/src/platform/db.ts': text });
    expect(lines).toContainEqual(
      expect.stringContaining('platform must not import domain (../domain/access/folders.ts)'),
    );
  });

  it('catches a cycle, of types too, and names every module on it', () => {
    const lines = check({
      'apps/server/src/domain/access/folders.ts':
        "import type { Key } from './keys.ts';\nexport type FolderRow = Key;\n",
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/cycle: .*access\/folders\.ts.* → .*access\/keys\.ts/);
  });

  it('catches a module that imports itself', () => {
    const lines = check({
      'apps/server/src/domain/access/keys.ts': "import type { Key } from './keys.ts';\nexport type K = Key;\n",
    });
    expect(lines).toContainEqual(expect.stringContaining('cycle: apps/server/src/domain/access/keys.ts'));
  });

  it.each([
    ['export *', "export * from '../domain/access/folders.ts';\n"],
    ['export { } from', "export { a, b as c } from '../domain/access/folders.ts';\n"],
    ['export type { } from', "export type { FolderRow } from '../domain/access/folders.ts';\n"],
    ['import, then export', "import { a } from '../domain/access/folders.ts';\nexport { a };\n"],
  ])('catches a barrel made of %s', (_form, text) => {
    expect(check({ 'apps/server/src/http/domain.ts': text })).toContainEqual(expect.stringContaining('barrel'));
  });

  it('tells a module that also does something from a barrel', () => {
    const text = "export type { FolderRow } from '../domain/access/folders.ts';\nexport const limit = 1;\n";
    expect(check({ 'apps/server/src/http/domain.ts': text })).toEqual([]);
  });

  it.each([
    ['apps/web/src/ui/index.ts', 'no index files'],
    ['apps/web/src/lib/utils.ts', 'say nothing'],
    ['apps/web/src/lib/date-helpers.ts', 'say nothing'],
    ['apps/web/src/lib/misc/dates.ts', 'say nothing'],
    ['apps/web/src/lib/common.ts', 'say nothing'],
    ['apps/web/src/ui/TopBar.tsx', 'kebab-case'],
    ['apps/web/src/ui/top_bar.tsx', 'kebab-case'],
  ])('catches the name %s', (path, complaint) => {
    expect(check({ [path]: 'export const x = 1;\n' })).toContainEqual(expect.stringContaining(complaint));
  });

  it('warns of a file of more than 500 lines, and passes it', () => {
    const lines = (count) => 'export {};\n'.repeat(count);
    expect(warningsOf({ 'apps/web/src/lib/long.ts': lines(500) })).toEqual([]);
    expect(warningsOf({ 'apps/web/src/lib/long.ts': lines(501) })).toEqual(['apps/web/src/lib/long.ts has 501 lines']);
  });

  it('warns of a folder of more than 20 sources, without its tests, and passes it', () => {
    const folder = 'packages/container/src/many';
    const sources = (count) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`${folder}/part-${at}.ts`, 'export const x = 1;\n']),
      );
    const test = { [`${folder}/part-1.test.ts`]: 'export const x = 1;\n' };
    expect(warningsOf({ ...sources(20), ...test })).toEqual([]);
    expect(warningsOf(sources(21))).toEqual([`${folder} has 21 sources`]);
  });

  it('catches default exports outside of configuration files', () => {
    const lines = check({
      'apps/web/src/lib/theme.ts': 'export default 1;\n',
      'apps/web/src/lib/sky.ts': 'const sky = 1;\nexport { sky as default };\n',
    });
    expect(lines).toEqual([
      'apps/web/src/lib/sky.ts:2: named exports only',
      'apps/web/src/lib/theme.ts:1: named exports only',
    ]);
  });

  it('catches process.env outside of config.ts', () => {
    const lines = check({ 'apps/server/src/platform/db.ts': 'export const url = process.env.DATABASE_URL;\n' });
    expect(lines).toEqual(['apps/server/src/platform/db.ts:1: only config.ts reads process.env']);
  });

  it('lets the tests of the server, and only them, start the sandbox', () => {
    const text = "import { sandbox } from '@satchel/discord-sandbox/main';\nexport const started = sandbox;\n";
    expect(check({ 'apps/server/test/support/sandbox.ts': text })).toEqual([]);
    expect(check({ 'apps/web/src/lib/sandbox.test.ts': text })).toEqual([
      'apps/web/src/lib/sandbox.test.ts:1: web must not import discord-sandbox (@satchel/discord-sandbox/main)',
    ]);
  });

  it('lets a test hold a page of the documentation to its word', () => {
    const text = "import page from '../../../docs/container.md?raw';\nvoid page;\n";
    expect(check({ 'packages/container/src/seal.test.ts': text })).toEqual([]);
  });

  it('says so when a file is not TypeScript at all', () => {
    expect(check({ 'apps/web/src/lib/api.ts': 'export const = ;\n' })).toContainEqual(
      expect.stringContaining("can't be parsed"),
    );
  });

  it('is not fooled by comments and strings that look like imports', () => {
    const text =
      "// import { x } from '../domain/access/folders.ts';\nexport const text = \"import('../domain/access/folders.ts')\";\n";
    expect(check({ 'apps/server/src/platform/db.ts': text })).toEqual([]);
  });
});
