// Wants every action of the hosted workflows named by a commit: a tag can be moved.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const USES = /(?:^|[\s{,-])["']?uses["']?\s*:\s*["']?([^\s"',}#]*)["']?(.*)$/;
const COMMIT = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
const IMAGE = /^docker:\/\/[^@]+@sha256:[0-9a-f]{64}$/;

/**
 * @param {string} text a workflow
 * @returns {string[]} one line for each thing to mend
 */
export function checkActions(text) {
  return text.split('\n').flatMap((line, index) => {
    const [, action, rest] = USES.exec(line.replace(/^\s*#.*$/, '')) ?? [];
    if (action === undefined || action.startsWith('./') || IMAGE.test(action)) return [];
    const at = `line ${index + 1}: ${action || 'uses'}`;
    if (!COMMIT.test(action)) return [`${at} is not pinned by the 40 hex digits of a commit`];
    if (!/^\s*# v\d+(\.\d+)*\s*$/.test(rest))
      return [`${at} doesn't say in a comment which version that is (# v1.2.3)`];
    return [];
  });
}

/** The same of all workflows of a checkout. */
export function checkWorkflows(root) {
  const files = globSync('.github/**/*.{yml,yaml}', { cwd: root });
  return files.flatMap((file) =>
    checkActions(readFileSync(join(root, file), 'utf8')).map((line) => `${file}, ${line}`),
  );
}
