import { deadline } from '@satchel/contract/testing/pace';
import { expect, test } from 'vitest';
import { runCrashRounds } from '../faults/moments/crash-rounds.ts';

/** A short run of `npm run test:crashes`. */
test('after kill -9 of any process under load, nothing acknowledged is lost and fsck finds nothing', {
  timeout: deadline(300),
}, async () => {
  const seed = Math.random().toString(36);
  const { rounds, end } = await runCrashRounds({ rounds: 3, seed, first: ['postgres immediate'] });
  const nothing = { lost: [], wrong: [] };
  for (const { victim, lost, wrong } of rounds) expect({ victim, lost, wrong }).toEqual({ victim, ...nothing });
  expect(end).toEqual(nothing);
  expect(rounds.reduce((sum, { acts }) => sum + acts, 0)).toBeGreaterThan(0);
});
