import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../runtime/paths.mjs';

/**
 * The commit that is checked out, or where there is no history, what the environment says of it.
 * @returns {{ commit: string, isChanged: boolean }} `isChanged` where files differ from the commit, or are not in it
 * @throws where git can't read the history that is there
 */
export function readCommit(root = ROOT) {
  if (!existsSync(join(root, '.git'))) return { commit: process.env.SOURCE_COMMIT || 'unknown', isChanged: false };
  const status = execFileSync('git', ['status', '--porcelain=v2', '--branch'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [, commit = 'unknown'] = /^# branch\.oid ([0-9a-f]+)$/m.exec(status) ?? [];
  return { commit, isChanged: /^[^#]/m.test(status) };
}
