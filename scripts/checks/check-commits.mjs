import { spawnSync } from 'node:child_process';
import { say } from '../runtime/paths.mjs';

/** Checks that subjects of commits are short enough for every list that shows them. */

const MAX_CHARACTERS = 72;
/** The commit from which on every subject is as short; those before it may be longer. Once there is a release, its tag counts. */
const CHECKED_SINCE = '6e2547198843eb1b63ec0082ac109c75e2c631e1';

/** @returns {string | null} what git says of `root`, without the line's end; null when it can't */
function git(root, ...args) {
  const { status, stdout } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trimEnd() : null;
}

/** Whether `root` is a checkout of its own: not an unpacked archive, nor one inside of another checkout. */
const hasHistory = (root) => git(root, 'rev-parse', '--show-prefix') === '' && git(root, 'rev-parse', 'HEAD') !== null;

/** @returns {string | null} the range of commits to check; null when its start is unknown */
function rangeOf(root, since) {
  const release = git(root, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
  const base = release ?? git(root, 'rev-parse', '--verify', '--quiet', `${since}^{commit}`);
  if (base !== null) return `${base}..HEAD`;
  // A clone of the newest commits alone, all of them on top of that one.
  return git(root, 'rev-parse', '--is-shallow-repository') === 'true' ? 'HEAD' : null;
}

/**
 * Looks at the commits on top of the last release.
 * @param {string} root of the checkout
 * @param {object} [options]
 * @param {string} [options.since] the commit to begin after where there is no release
 * @param {(text: string) => void} [options.note] hears why nothing could be looked at
 * @returns {string[]} a line for each subject that is too long
 */
export function checkCommits(root, { since = CHECKED_SINCE, note = say } = {}) {
  if (!hasHistory(root)) {
    note('there is no history of commits here, so no subject was looked at.');
    return [];
  }
  const range = rangeOf(root, since);
  if (range === null) {
    note(`neither a release nor ${since} is in this history, so no subject was looked at.`);
    return [];
  }
  const listed = git(root, 'log', '--no-merges', '--format=%h %s', range) ?? '';
  return listed.split('\n').flatMap((line) => {
    const [, hash, subject] = /^(\S+) (.*)$/.exec(line) ?? [];
    const length = [...(subject ?? '')].length;
    return length > MAX_CHARACTERS
      ? [`${hash} has a subject of ${length} characters, at most ${MAX_CHARACTERS}: ${subject}`]
      : [];
  });
}
