import { expect, test } from 'vitest';
import { emptyDraft, lifetimeChoices, visibility } from './folder-draft.ts';

test('no lifetime is longer than the server allows, and the longest comes first', () => {
  expect(lifetimeChoices(24)).toEqual([24, 12, 6, 3, 1]);
  expect(lifetimeChoices(5)).toEqual([5, 3, 1]);
  expect(lifetimeChoices(0.5)).toEqual([0.5]);
});

test('a new folder is encrypted, hides names and lives as long as it may', () => {
  expect(emptyDraft(24)).toMatchObject({ encrypt: true, hideNames: true, lifetimeHours: 24 });
});

test('the page says what the server can see, for each way', () => {
  expect(visibility({ encrypt: false, hideNames: true }).headline).toBe('Our server can read these files.');
  expect(visibility({ encrypt: true, hideNames: true }).text).toContain('not what they are called');
  expect(visibility({ encrypt: true, hideNames: false }).text).toContain('Our server sees file names');
});
