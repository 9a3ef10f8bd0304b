import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Not committed: a fetched Node and PostgreSQL, locks between launchers. */
export const RUNTIME_DIR = join(ROOT, '.runtime');
/** Which Node and PostgreSQL the launchers fetch: package, version and SHA-512 for each platform. Written by pin.mjs. */
export const NODE_PINS = join(ROOT, 'scripts', 'node-pins.json');
export const POSTGRES_PINS = join(ROOT, 'scripts', 'postgres-pins.json');

/** At the root of a release (scripts/release), where all is built, and the packages are there. */
export const RELEASE_FILE = 'release.json';
export const isRelease = () => existsSync(join(ROOT, RELEASE_FILE));

export const say = (text) => process.stdout.write(`satchel: ${text}\n`);

/** Ends the launcher with one line for people, and 1 unless its entry has set another code; what a tool printed is shown above. */
export function fail(text, output = '') {
  if (output) process.stderr.write(`${output.trimEnd()}\n`);
  process.stderr.write(`satchel: ${text}\n`);
  process.exit(process.exitCode ?? 1);
}
