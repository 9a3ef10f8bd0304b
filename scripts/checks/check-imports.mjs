// The rules are DESIGN §3's; CONTRIBUTING.md says them in words.
import { findBreaches } from './import-rules.mjs';
import { EXCEPTIONS, findSizeBreaches } from './room-rules.mjs';
import { readSourceTree } from './source-tree.mjs';

/** @returns {string[]} one line for each breach; none when the tree keeps the rules */
export function checkImports(root, exceptions = EXCEPTIONS) {
  const modules = readSourceTree(root);
  const breaches = [...findBreaches(modules), ...findSizeBreaches(modules, exceptions)];
  return breaches.map(({ path, line, text }) => `${path}:${line}: ${text}`);
}
