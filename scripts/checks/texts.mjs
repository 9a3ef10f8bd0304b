import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../runtime/paths.mjs';

/** Checks that the catalogues of apps/web/src/locales match the texts in the code. */

const WEB = join(ROOT, 'apps/web');
const run = promisify(execFile);

/**
 * Runs a command of Lingui in the folder `web`, in one process: each further worker would load Babel again.
 * @returns {Promise<{ isDone: boolean, output: string }>}
 */
async function lingui(web, command, ...args) {
  const program = join(ROOT, 'node_modules/@lingui/cli/dist', `lingui-${command}.js`);
  const done = run(process.execPath, [program, ...args, '--clean', '--workers', '1'], { cwd: web });
  return done.then(
    ({ stdout }) => ({ isDone: true, output: stdout }),
    ({ stdout, stderr }) => ({ isDone: false, output: `${stdout}${stderr}` }),
  );
}

const OUT_OF_STEP = /^(.+\.po): Catalog is /gm;

/**
 * Finds catalogues that differ from the texts in the code. Writes no file, because build and tests read the catalogues meanwhile.
 * @returns {Promise<string[]>} a line for each, or what Lingui printed where it could not read the code
 */
async function findStale(web) {
  const { isDone, output } = await lingui(web, 'check', 'sync', '--verbose');
  if (isDone) return [];
  const paths = Array.from(output.matchAll(OUT_OF_STEP), ([, path]) => path);
  return paths.length > 0 ? paths.map((path) => `${path} is not what the code says; run npm run texts`) : [output];
}

/** Reads the catalogues that lingui.config.ts names. */
async function readCatalogues(web) {
  const { getConfig } = await import('@lingui/conf');
  const { getCatalogs } = await import('@lingui/cli/api');
  const config = getConfig({ cwd: web });
  return { catalogues: await getCatalogs(config), locales: config.locales };
}

async function findMissing({ catalogues, locales }) {
  const lines = [];
  for (const catalog of catalogues) {
    for (const locale of locales) {
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
const findMisplaced = (web) =>
  globSync('src/locales/*/*.po', { cwd: web }).flatMap((path) =>
    Array.from(readFileSync(join(web, path), 'utf8').matchAll(ENTRY))
      .filter(([, source, translation]) => placesOf(source) !== placesOf(translation))
      .map(([, source]) => `${path}: other {places} or <tags> than “${source}”`),
  );

/** Code with texts that no catalogue takes: in the built site each of them is shown as the id that the macro made of it. */
function findHomeless(web, { catalogues }) {
  const taken = new Set(catalogues.flatMap(({ sourcePaths }) => sourcePaths.map((path) => relative(web, path))));
  return globSync('src/**/*.{ts,tsx}', { cwd: web })
    .filter((path) => !taken.has(path) && !/\.test\.tsx?$/.test(path))
    .filter((path) => /from '@lingui\/\w+\/macro'/.test(readFileSync(join(web, path), 'utf8')))
    .map((path) => `${path} has texts and is in no catalogue; see lingui.config.ts`);
}

/** @returns {Promise<string[]>} texts that no catalogue has, or that a language lacks. The files stay as they were. */
export async function checkTexts(web = WEB) {
  const read = await readCatalogues(web);
  return [...(await findStale(web)), ...findHomeless(web, read), ...(await findMissing(read)), ...findMisplaced(web)];
}

/** Brings the catalogues in line with the code. @returns {Promise<string[]>} what a language lacks then */
export async function collectTexts() {
  const { isDone, output } = await lingui(WEB, 'extract');
  if (!isDone) throw new Error(output);
  return findMissing(await readCatalogues(WEB));
}
