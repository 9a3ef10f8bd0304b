// Usage: node scripts/check-imports.mjs [root]. The rules are DESIGN §3's; CONTRIBUTING.md says them in words.
import { pathToFileURL } from 'node:url';
import { findBreaches } from './import-rules.mjs';
import { ROOT } from './paths.mjs';
import { readSourceTree } from './source-tree.mjs';

/** @returns {string[]} one line for each breach; none when the tree keeps the rules */
export function checkImports(root) {
  return findBreaches(readSourceTree(root)).map(({ path, line, text }) => `${path}:${line}: ${text}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const breaches = checkImports(process.argv[2] ?? ROOT);
  for (const line of breaches) process.stderr.write(`${line}\n`);
  process.stdout.write(breaches.length ? `imports: ${breaches.length} to mend\n` : 'imports: in order\n');
  process.exit(breaches.length ? 1 : 0);
}
