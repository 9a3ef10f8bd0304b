import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkTexts } from './texts.mjs';

const CONFIG = `export default {
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [{ path: '<rootDir>/src/locales/{locale}/all', include: ['<rootDir>/src'] }],
};
`;
const entry = (translation) => `msgid "Open {name}"\nmsgstr "${translation}"\n`;

let web;

beforeEach(() => {
  web = mkdtempSync(join(tmpdir(), 'satchel-texts-'));
  writeFileSync(join(web, 'lingui.config.js'), CONFIG);
  write('src/page.ts', "export const title = (name) => i18n._('Open {name}', { name });\n");
});
afterEach(() => rmSync(web, { recursive: true }));

function write(path, text) {
  mkdirSync(dirname(join(web, path)), { recursive: true });
  writeFileSync(join(web, path), text);
}

test('catalogues that are not what the code says are named, and left as they are', async () => {
  const paths = ['src/locales', 'src/locales/en', 'src/locales/en/all.po', 'src/locales/de', 'src/locales/de/all.po'];
  write('src/locales/en/all.po', '');
  write('src/locales/de/all.po', '');
  const look = () => paths.map((path) => statSync(join(web, path))).map(({ ino, mtimeMs }) => ({ ino, mtimeMs }));
  const before = look();
  expect(await checkTexts(web)).toEqual([
    'src/locales/en/all.po is not what the code says; run npm run texts',
    'src/locales/de/all.po is not what the code says; run npm run texts',
  ]);
  expect(look()).toEqual(before);
});

test('a language without a translation is named, and a translation without a value of its text', async () => {
  write('src/locales/en/all.po', entry('Open {name}'));
  write('src/locales/de/all.po', entry(''));
  expect(await checkTexts(web)).toContain('de/all: no translation of “Open {name}”');
  write('src/locales/de/all.po', entry('Öffnen'));
  expect(await checkTexts(web)).toContain('src/locales/de/all.po: other {places} or <tags> than “Open {name}”');
});

test('a file whose texts no catalogue takes is named', async () => {
  write('other/page.ts', '');
  write('lingui.config.js', CONFIG.replace("'<rootDir>/src'", "'<rootDir>/other'"));
  write('src/page.ts', "import { t } from '@lingui/core/macro';\n");
  expect(await checkTexts(web)).toContain('src/page.ts has texts and is in no catalogue; see lingui.config.ts');
});
