import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { ROOT } from '../runtime/paths.mjs';
import { SUITES } from './suites.mjs';

const LONGEST = SUITES.flatMap(({ longest = [] }) => longest);
const UNKNOWN = LONGEST.length;

/** @returns {number} the place of a test file among the longest ones, or one behind them all */
export function placeOf(path) {
  const place = LONGEST.indexOf(path);
  return place === -1 ? UNKNOWN : place;
}

/**
 * Begins with the longest test files: in a fresh clone Vitest knows only how large each file is. One that begins last
 * runs alone at the end, on one processor.
 */
export class LongestFirst extends BaseSequencer {
  async sort(specs) {
    const sorted = await super.sort(specs);
    return sorted.sort((one, other) => placeOfSpec(one) - placeOfSpec(other));
  }
}

const placeOfSpec = ({ moduleId }) => placeOf(relative(ROOT, moduleId).replaceAll('\\', '/'));
