import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which program this is: its version, and the commit that it was built from. */
export interface Program {
  readonly version: string;
  /** Null where it runs from its sources, or where the build knew none. */
  readonly commit: string | null;
  /** True when the build had other sources than the commit. */
  readonly is_changed: boolean;
}

/** The built web application. Valid for src/program.ts and for the bundles in dist. */
export const WEB_DIR = join(import.meta.dirname, '..', '..', 'web', 'dist');

const COMMIT_CHARACTERS = 12;
const COMMIT = /^[0-9a-f]{12,64}$/;

/** Written by scripts/launch/build-outputs.mjs beside the bundle; there is none beside the sources. */
function readBuild(): { readonly commit?: unknown; readonly is_changed?: unknown } {
  try {
    return JSON.parse(readFileSync(join(import.meta.dirname, 'build.json'), 'utf8'));
  } catch {
    return {};
  }
}

function readProgram(): Program {
  // Valid for src/program.ts and for the bundles in dist.
  const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  const { commit, is_changed } = readBuild();
  const isKnown = typeof commit === 'string' && COMMIT.test(commit);
  return { version, commit: isKnown ? commit.slice(0, COMMIT_CHARACTERS) : null, is_changed: is_changed === true };
}

/** Read once: a new build may come while this program runs. */
export const PROGRAM = readProgram();

/** For people: `1.0.0 (commit 2f7ab4829abc, changed)`. */
export function programText({ version, commit, is_changed }: Program): string {
  if (commit === null) return `${version} (commit not known)`;
  return `${version} (commit ${commit}${is_changed ? ', changed' : ''})`;
}
