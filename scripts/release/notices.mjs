import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../runtime/paths.mjs';

/** The licences that libraries have to come with. In a release most libraries are part of a bundle, without their own files. */

const TERMS = /^(licen[cs]e|copying|notice|copyright)/i;
const README = /^readme/i;
const TERMS_IN_README = /^#+ *licen[cs]e *\n([\s\S]*?)(?=^#|$(?![\s\S]))/im;
/** Works of others that are copied into our sources and are no package. */
const COPIED = [{ what: 'Bricolage Grotesque (OFL-1.1)', path: 'apps/web/src/fonts/bricolage-grotesque-OFL.txt' }];
const RULE = '='.repeat(80);

/**
 * @param {string[]} folders of packages, such as `node_modules/pg`
 * @param {string} [root] where they are installed
 * @returns {string} the same for the same packages: each with its licence, and each text once, below all that it is for
 */
export function makeNotices(folders, root = ROOT) {
  const byText = new Map();
  const add = (what, text) => byText.set(text, [...(byText.get(text) ?? []), what]);
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    add(titleOf(manifest), termsOf(join(root, folder), manifest));
  }
  for (const { what, path } of COPIED) if (existsSync(join(root, path))) add(what, readText(join(root, path)));
  const parts = [...byText].map(([text, all]) => `${[...new Set(all)].sort().join('\n')}\n\n${text}\n`).sort();
  return `Satchel contains what follows, each under the terms below its name.\n\n${parts.join(`\n${RULE}\n\n`)}`;
}

const titleOf = ({ name, version, license }) => `${name} ${version} (${license?.type ?? license ?? 'see below'})`;

/** A package without a licence file: its manifest names the author. */
function authorOf({ author, contributors = [], repository }) {
  const people = [author, ...contributors].filter(Boolean).map((person) => person.name ?? person);
  const address = repository?.url ?? repository;
  return [people.length > 0 && `By ${people.join(', ')}.`, address].filter(Boolean).join('\n');
}

function termsOf(folder, manifest) {
  const names = readdirSync(folder).sort();
  const texts = names.filter((name) => TERMS.test(name)).map((name) => readText(join(folder, name)));
  if (texts.length > 0) return texts.join('\n\n');
  const readme = names.find((name) => README.test(name));
  const [, said = ''] = TERMS_IN_README.exec(readme ? readText(join(folder, readme)) : '') ?? [];
  return [authorOf(manifest), said.trim()].filter(Boolean).join('\n\n');
}

const readText = (path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
