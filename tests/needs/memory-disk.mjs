import { rmSync } from 'node:fs';
import { makeScratchFolder } from '../../scripts/tests/scratch-folder.mjs';

/** What the tests of the server store lies in memory, where there is room. */
export function setup() {
  const folder = makeScratchFolder();
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
