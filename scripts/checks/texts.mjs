import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../runtime/paths.mjs';

/** Checks that the catalogues of apps/web/src/locales match the texts in the code. */

const WEB = join(ROOT, 'apps/web');
const LOCALES = join(WEB, 'src/locales');

/** Collects the texts of the code into the catalogues. */
function extract() {
  const lingui = join(ROOT, 'node_modules/@lingui/cli/dist/lingui.js');
  // Each worker would load Babel for itself.
  const { status, stdout, stderr } = spawnSync(process.execPath, [lingui, 'extract', '--clean', '--workers', '1'], {
    cwd: WEB,
    encoding: 'utf8',
  });
  if (status === 0) return;
  // Throw instead of exiting: the catalogues must be restored first.
  throw new Error(`${stdout}${stderr}`);
}

const readCatalogues = () =>
  new Map(globSync('*/*.po', { cwd: LOCALES }).map((path) => [path, readFileSync(join(LOCALES, path), 'utf8')]));
/** Creation dates always differ: leave them out. */
const withoutDate = (text) => text?.replace(/^"POT-Creation-Date:.*$/m, '');

async function findMissing() {
  const { getConfig } = await import('@lingui/conf');
  const { getCatalogs } = await import('@lingui/cli/api');
  const config = getConfig({ cwd: WEB });
  const lines = [];
  for (const catalog of await getCatalogs(config)) {
    for (const locale of config.locales) {
      const { missing } = await catalog.getTranslations(locale, {
        fallbackLocales: {},
        sourceLocale: 'en',
        missingBehavior: 'resolved',
      });
      for (const { source, id } of missing)
        lines.push(`${locale}/${catalog.name ?? ''}: no translation of “${source ?? id}”`);
    }
  }
  return lines;
}

const ENTRY = /^msgid "(.+)"\nmsgstr "(.+)"$/gm;
/** The places for values and for parts of the page, such as `{name}` and `<0>`. */
const placesOf = (text) =>
  JSON.stringify([...new Set(text.match(/\{\w+(?=[,}])(?<!\b(?:one|other) \{\w+)|<\/?\d+\/?>/g))].sort());

/** Translations that lack a place which the source has, or have one that it lacks: a value would not be shown, or a name. */
const findMisplaced = () =>
  [...readCatalogues()].flatMap(([path, catalogue]) =>
    Array.from(catalogue.matchAll(ENTRY))
      .filter(([, source, translation]) => placesOf(source) !== placesOf(translation))
      .map(([, source]) => `${path}: other {places} or <tags> than “${source}”`),
  );

/** Code with texts that no catalogue takes: in the built site each of them is shown as the id that the macro made of it. */
async function findHomeless() {
  const { getConfig } = await import('@lingui/conf');
  const { getCatalogs } = await import('@lingui/cli/api');
  const catalogues = await getCatalogs(getConfig({ cwd: WEB }));
  const taken = new Set(catalogues.flatMap(({ sourcePaths }) => sourcePaths.map((path) => relative(WEB, path))));
  return globSync('src/**/*.{ts,tsx}', { cwd: WEB })
    .filter((path) => !taken.has(path) && !/\.test\.tsx?$/.test(path))
    .filter((path) => /from '@lingui\/\w+\/macro'/.test(readFileSync(join(WEB, path), 'utf8')))
    .map((path) => `${path} has texts and is in no catalogue; see lingui.config.ts`);
}

/** @returns {Promise<string[]>} texts that no catalogue has, or that a language lacks. The files stay as they were. */
export async function checkTexts() {
  const kept = mkdtempSync(join(tmpdir(), 'texts-'));
  cpSync(LOCALES, kept, { recursive: true });
  const before = readCatalogues();
  try {
    extract();
    const after = readCatalogues();
    const paths = new Set([...before.keys(), ...after.keys()]);
    const stale = [...paths].filter((path) => withoutDate(before.get(path)) !== withoutDate(after.get(path)));
    return [
      ...stale.map((path) => `${path} is not what the code says; run npm run texts`),
      ...(await findHomeless()),
      ...(await findMissing()),
      ...findMisplaced(),
    ];
  } finally {
    rmSync(LOCALES, { recursive: true });
    cpSync(kept, LOCALES, { recursive: true });
    rmSync(kept, { recursive: true });
  }
}

/** Brings the catalogues in line with the code. @returns {Promise<string[]>} what a language lacks then */
export function collectTexts() {
  extract();
  return findMissing();
}
