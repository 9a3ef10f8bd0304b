import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Not committed: a fetched Node, locks between launchers. */
export const RUNTIME_DIR = join(ROOT, '.runtime');
/** Which Node the launchers fetch: package, version and SHA-512 for each platform. Written by pin-node.mjs. */
export const NODE_PINS = join(ROOT, 'scripts', 'node-pins.json');

export const say = (text) => process.stdout.write(`satchel: ${text}\n`);

/** Ends the launcher with one line for people; what a tool printed is shown above it. */
export function fail(text, output = '') {
  if (output) process.stderr.write(`${output.trimEnd()}\n`);
  process.stderr.write(`satchel: ${text}\n`);
  process.exit(1);
}
