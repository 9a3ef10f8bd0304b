import { describe, expect, it } from 'vitest';
import { checkActions } from './check-actions.mjs';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const DIGEST = COMMIT.padEnd(64, '0');

describe('the check of workflows', () => {
  it.each([
    ['a commit with its version', `      - uses: owner/action@${COMMIT} # v4.4.0`],
    ['a part of a repository', `- uses: owner/action/part@${COMMIT} # v1`],
    ['a workflow of another repository', `    uses: owner/name/.github/workflows/x.yml@${COMMIT} # v2.0`],
    ['an action of this repository', '      - uses: ./.github/actions/own'],
    ['an image by its digest', `      - uses: docker://alpine@sha256:${DIGEST}`],
    ['a line that is none', '      # - uses: owner/action@v4'],
    ['another key', '      - reuses: owner/action@v4'],
  ])('passes %s', (_name, line) => {
    expect(checkActions(`steps:\n${line}\n`)).toEqual([]);
  });

  it.each([
    ['a tag', '      - uses: owner/action@v4', /^line 2: owner\/action@v4 is not pinned/],
    ['a branch', '        uses: owner/action@main', /is not pinned/],
    ['no version at all', '      - uses: owner/action', /is not pinned/],
    ['a short commit', `      - uses: owner/action@${COMMIT.slice(0, 12)} # v4`, /is not pinned/],
    ['a tag that begins like a commit', `      - uses: owner/action@${COMMIT}-1 # v4`, /is not pinned/],
    ['a tag in quotes', '      - uses: "owner/action@v4"', /is not pinned/],
    ['a tag in braces', '      - { name: x, uses: owner/action@v4 }', /is not pinned/],
    ['an image by its tag', '      - uses: docker://alpine:3', /is not pinned/],
    ['a value on the next line', '      - uses:\n          owner/action@v4', /^line 2: uses is not pinned/],
    ['a commit without its version', `      - uses: owner/action@${COMMIT}`, /which version/],
    ['a commit with another comment', `      - uses: owner/action@${COMMIT} # newest`, /which version/],
  ])('refuses %s', (_name, line, complaint) => {
    const lines = checkActions(`steps:\n${line}\n`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(complaint);
  });
});
