import { expect, test } from 'vitest';
import { preferredLanguage } from './language.ts';

test('somebody whose first language we lack gets the next one that we have', () => {
  expect(preferredLanguage(['fr-CA', 'de-AT', 'en'])).toBe('de');
});

test('a regional form counts as its language, whatever its case', () => {
  expect(preferredLanguage(['DE-ch'])).toBe('de');
});

test('somebody who reads none of our languages gets English', () => {
  expect(preferredLanguage(['fr', 'toString'])).toBe('en');
  expect(preferredLanguage([])).toBe('en');
});
