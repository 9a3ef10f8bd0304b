import { expect, test } from 'vitest';
import { readUserCode } from './device-code.ts';

test.each([
  ['WDJB-MJHT', 'WDJB-MJHT'],
  ['wdjbmjht', 'WDJB-MJHT'],
  [' wdjb mjht.\n', 'WDJB-MJHT'],
  ['W-D-J-B-M-J-H-T', 'WDJB-MJHT'],
  ['WDJB-MJH', null],
  ['WDJB-MJHTX', null],
  ['AEIO-UAEI', null],
  ['', null],
])('what a person types as %j means %j', (typed, code) => {
  expect(readUserCode(typed)).toBe(code);
});
