import { factsSeen, SIGHT_FACTS, type SightFact } from '@satchel/contract/server-sight';
import { describe, expect, test } from 'vitest';
import { ROWS } from './privacy.tsx';

/** Compares the landing page's answers with the facts that the server sees of a folder in each mode. */

const MODES = ['private', 'discord', 'plain'] as const;
/** Small print, which only the folder's page shows. */
const UNSAID: readonly SightFact[] = ['passphrase', 'reports', 'afterwards'];

const sees = (link_mode: (typeof MODES)[number], hide_names: boolean, facts: readonly SightFact[]) => {
  const seen = factsSeen({ link_mode, hide_names });
  return facts.every((fact) => seen.has(fact));
};

/** By row, in the table's order; not beside the texts, to keep the landing page's first load small. */
const FACTS: readonly (readonly [RegExp, readonly SightFact[]])[] = [
  [/inside your files/, ['contents']],
  [/key/, ['key']],
  [/^Names and types/, ['file_names']],
  [/^Sizes, counts, times, which files have previews, the folder’s name/, ['file_figures', 'stills', 'folder']],
  [/^Who opens the folder, and how often/, ['visits', 'visitors']],
  [/^Whom you share with in Discord/, ['discord']],
  [/^Your Discord name, ID, e-mail and pictures/, ['owner']],
];
const CELLS = ROWS.flatMap(({ what, seen }, row) =>
  seen.map((answer, at) => ({ what: what.message, answer, mode: MODES[at]!, facts: FACTS[row]![1] })),
);

test.each(CELLS)('of “$what” in a folder that is $mode it answers $answer', ({ facts, answer, mode }) => {
  const byDefault = sees(mode, true, facts);
  const byChoice = sees(mode, false, facts);
  const truth = {
    never: [false, false],
    none: [false, false],
    choice: [false, true],
    could: [true, true],
    yes: [true, true],
  };
  expect([byDefault, byChoice]).toEqual(truth[answer]);
});

describe('the table', () => {
  test('has the rows described here', () => {
    expect(ROWS.map(({ what }) => what.message)).toEqual(FACTS.map(([words]) => expect.stringMatching(words)));
  });

  test('has every fact except the small print', () => {
    const said = new Set<SightFact>(FACTS.flatMap(([, facts]) => facts));
    expect(SIGHT_FACTS.filter((fact) => !said.has(fact))).toEqual(UNSAID);
  });
});
