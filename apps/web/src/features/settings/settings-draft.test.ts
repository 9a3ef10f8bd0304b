import { expect, test } from 'vitest';
import { draftOf, isSameDraft, tidy } from './settings-draft.ts';

const folder = {
  folder_name: 'Saturday raid',
  folder_description: null,
  hide_names: true,
  show_name_in_previews: false,
  folder_access: 'link',
} as const;

test('spaces around a name are no change, because the server trims them', () => {
  const draft = draftOf(folder);
  expect(isSameDraft({ ...draft, name: ' Saturday raid ' }, draft)).toBe(true);
  expect(isSameDraft({ ...draft, description: '  ' }, draft)).toBe(true);
  expect(tidy({ ...draft, name: ' Sunday ' }).name).toBe('Sunday');
  expect(tidy({ ...draft, name: '\ufeffSun\u00adday \u200b', description: 'a\u2060b' })).toMatchObject({
    name: 'Sunday',
    description: 'ab',
  });
});

test('another name, description, end, access or choice about names is a change', () => {
  const draft = draftOf(folder);
  expect(isSameDraft({ ...draft, name: '' }, draft)).toBe(false);
  expect(isSameDraft({ ...draft, description: 'Maps' }, draft)).toBe(false);
  expect(isSameDraft({ ...draft, hideNames: false }, draft)).toBe(false);
  expect(isSameDraft({ ...draft, showName: true }, draft)).toBe(false);
  expect(isSameDraft({ ...draft, end: 3 }, draft)).toBe(false);
  expect(isSameDraft({ ...draft, restricts: true }, draft)).toBe(false);
});
