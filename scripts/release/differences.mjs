import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/** @returns {string[]} the names of all that differs between two folders of releases; of an archive, those of its entries */
export function namesOfDifferences(first, second) {
  const names = new Set([...readdirSync(first), ...readdirSync(second)]);
  return [...names].toSorted().flatMap((name) => {
    const [one, other] = [readIfThere(join(first, name)), readIfThere(join(second, name))];
    if (one === null || other === null) return [`${name}, which only one of them has`];
    if (one.equals(other)) return [];
    if (!name.endsWith('.tar.gz')) return [name];
    const entries = namesOfEntries(one, other);
    return entries.length === 0 ? [`${name}, in its packing alone`] : entries.map((entry) => `${name}: ${entry}`);
  });
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function namesOfEntries(one, other) {
  const [left, right] = [hashesOf(gunzipSync(one)), hashesOf(gunzipSync(other))];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => left.get(name) !== right.get(name)).toSorted();
}

/** The hash of each entry with its header, as tar.mjs writes them. */
function hashesOf(archive) {
  const hashes = new Map();
  const text = (start, bytes) => archive.toString('utf8', start, start + bytes).replace(/\0.*$/s, '');
  for (let at = 0; archive[at] !== 0; ) {
    const end = at + BLOCK + Math.ceil(Number.parseInt(text(at + 124, 12), 8) / BLOCK) * BLOCK;
    const path = [text(at + 345, 155), text(at, 100)].filter(Boolean).join('/');
    hashes.set(path, createHash('sha256').update(archive.subarray(at, end)).digest('hex'));
    at = end;
  }
  return hashes;
}
