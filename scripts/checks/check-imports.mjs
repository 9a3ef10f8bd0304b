import { findBreaches } from './import-rules.mjs';
import { readSourceTree } from './source-tree.mjs';

const MANY_LINES = 500;
const MANY_SOURCES = 20;
const TEST = /\.test\.(ts|tsx|mjs)$/;

/**
 * Says what is wrong with the imports and names below `root`, and warns of size.
 * @param {string} root of the checkout
 * @param {(text: string) => void} [warn] hears of files and folders that may hold several subjects, which is no fault by itself
 * @returns {string[]} one line for each breach of a rule; none when the tree keeps all rules
 */
export function checkImports(root, warn = (text) => process.stderr.write(`warning: ${text}\n`)) {
  const modules = readSourceTree(root);
  for (const text of findLargeOnes(modules)) warn(text);
  return findBreaches(modules).map(({ path, line, text }) => `${path}:${line}: ${text}`);
}

/** Files of many lines, and folders of many sources, without their tests. */
function findLargeOnes(modules) {
  const all = [...modules.values()];
  const files = all
    .filter(({ lineCount }) => lineCount > MANY_LINES)
    .map(({ path, lineCount }) => `${path} has ${lineCount} lines`);
  const sources = all.map(({ path }) => path).filter((path) => !TEST.test(path));
  const folders = [...Map.groupBy(sources, (path) => path.slice(0, path.lastIndexOf('/')))]
    .filter(([, paths]) => paths.length > MANY_SOURCES)
    .map(([folder, paths]) => `${folder} has ${paths.length} sources`);
  return [...files, ...folders];
}
