// Keeps package-lock.json installable anywhere, and free of surprises.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFrom } from '../release/production-packages.mjs';

/**
 * @param {object} lock a parsed package-lock.json
 * @returns {string[]} one line for each thing to mend
 */
export function checkLockfile({ packages }) {
  return Object.entries(packages).flatMap(([path, entry]) => [
    ...checkEntry(path, entry),
    ...checkOptional(path, entry, packages),
  ]);
}

function checkEntry(path, entry) {
  // A bundled package is part of another package's archive, under that hash.
  if (!path.includes('node_modules/') || entry.link || entry.inBundle) return [];
  const lines = [];
  if (/^[a-z+]+:/i.test(entry.resolved ?? '')) {
    lines.push(`${path} records an address to fetch from; set omit-lockfile-registry-resolved (.npmrc does)`);
  }
  if (!entry.version || !entry.integrity) lines.push(`${path} has no version or no integrity hash`);
  // The launchers install with --ignore-scripts; a package that needs its script would break silently.
  if (entry.hasInstallScript) lines.push(`${path} wants to run an install script`);
  return lines;
}

/** npm ci refuses a lockfile that lacks a platform's package, on every platform: npm/cli issue 4828. */
function checkOptional(path, { optionalDependencies = {} }, packages) {
  return Object.entries(optionalDependencies).flatMap(([name, range]) => {
    const found = packages[findFrom(path, name, packages)];
    const isExact = /^\d+\.\d+\.\d+/.test(range);
    if (found && (!isExact || found.version === range)) return [];
    return [`${path} wants ${name} ${range}, which the lockfile lacks: npm ci would refuse it`];
  });
}

/** The same of a checkout. */
export const checkLockfileOf = (root) =>
  checkLockfile(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))).map(
    (line) => `package-lock.json: ${line}`,
  );
