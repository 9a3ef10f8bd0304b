import { describe, expect, test } from 'vitest';
import type { Author, OfferedCommand } from '../../chat-entities.ts';
import {
  type Draft,
  type DraftAction,
  emptyDraft,
  offered,
  problemsIn,
  reduceDraft,
  suggestionsFor,
  valuesSoFar,
} from './slash.ts';

const commands = [
  {
    name: 'share',
    description: 'Shares',
    options: [
      { type: 3, name: 'folder', description: 'Which', required: true, autocomplete: true },
      { type: 6, name: 'with', description: 'Whom' },
      { type: 5, name: 'members_only', description: 'Members' },
      { type: 4, name: 'hours', description: 'Hours' },
      { type: 4, name: 'size', description: 'Size', choices: [{ name: 'Big', value: 9 }] },
    ],
  },
  { name: 'upload', description: 'Uploads', options: [] },
  { name: 'list', description: 'Lists' },
] as OfferedCommand[];
const person = (id: string, name: string, is_bot = false): Author => ({ id, name, is_bot, avatar_url: '/a.png' });
const people = [person('7', 'Mika'), person('8', 'Jonas'), person('9', 'Satchel', true)];

const after = (...actions: DraftAction[]): Draft => actions.reduce(reduceDraft, emptyDraft as Draft);
const typed = (text: string) => after({ kind: 'typed', text });
const namesIn = (draft: Draft) => offered(draft, commands).map(({ name }) => name);
function fieldsOf(draft: Draft) {
  if (draft.kind !== 'command') throw new Error('words');
  return draft.fields;
}
const fieldOf = (draft: Draft, name: string) => fieldsOf(draft).find(({ option }) => option.name === name)!;

describe('the menu', () => {
  test('offers all for a slash, those that begin so first, and none within a sentence', () => {
    expect(namesIn(typed('/'))).toEqual(['share', 'upload', 'list']);
    expect(namesIn(typed('/L'))).toEqual(['list', 'upload']);
    expect(namesIn(typed('and/or /l'))).toEqual([]);
    expect(namesIn(typed('/nothing'))).toEqual([]);
  });
});

const pick: DraftAction = { kind: 'picked', command: commands[0]! };
/** The command with these texts in its fields. */
const filled = (texts: Readonly<Record<string, string>>) =>
  after(
    pick,
    ...Object.entries(texts).map(([name, text]): DraftAction => ({ kind: 'filled', name, text, chosen: null })),
  );

test('a command that is left behind is words again', () => {
  expect(after(pick, { kind: 'typed', text: '/share' })).toMatchObject({ kind: 'words', text: '/share' });
});

describe('values', () => {
  test('are read by the type of their option', () => {
    const texts = { folder: 'pics', with: '@jonas', members_only: 'false', hours: '3', size: 'big' };
    const fields = fieldsOf(filled(texts));
    expect(problemsIn(fields, people)).toEqual({});
    expect(valuesSoFar(fields, people)).toEqual({ folder: 'pics', with: '8', members_only: false, hours: 3, size: 9 });
  });

  test('that were chosen stand until something else is typed over them', () => {
    const suggestion = { name: 'Pics · gone soon', value: 'id-1' };
    const choose: DraftAction = { kind: 'filled', name: 'folder', text: suggestion.name, chosen: suggestion };
    expect(valuesSoFar(fieldsOf(after(pick, choose)), people)).toEqual({ folder: 'id-1' });
    const over = after(pick, choose, { kind: 'filled', name: 'folder', text: 'Pics', chosen: null });
    expect(valuesSoFar(fieldsOf(over), people)).toEqual({ folder: 'Pics' });
  });

  test.each([
    [{}, { folder: 'This option is required.' }],
    [{ folder: 'a', with: 'Satchel' }, { with: 'Choose one of the list.' }],
    [{ folder: 'a', members_only: 'perhaps' }, { members_only: 'Choose one of the list.' }],
    [{ folder: 'a', hours: 'three' }, { hours: 'Type a number.' }],
    [{ folder: 'a', size: 'Small' }, { size: 'Choose one of the list.' }],
  ])('%j is refused in words', (texts, problems) => {
    expect(problemsIn(fieldsOf(filled(texts)), people)).toEqual(problems);
  });

  test('a problem goes away as its field is typed into', () => {
    const refused = after(pick, { kind: 'refused', problems: { folder: 'This option is required.' } });
    expect(fieldOf(refused, 'folder').problem).toBe('This option is required.');
    const mended = reduceDraft(refused, { kind: 'filled', name: 'folder', text: 'a', chosen: null });
    expect(fieldOf(mended, 'folder').problem).toBeNull();
  });
});

test('suggestions narrow with what is typed, and are all there again once one was chosen', () => {
  const names = (draft: Draft, name: string) => suggestionsFor(fieldOf(draft, name), people).map((one) => one.name);
  expect(names(filled({}), 'with')).toEqual(['Mika', 'Jonas']);
  expect(names(filled({ with: '@jo' }), 'with')).toEqual(['Jonas']);
  expect(names(filled({ members_only: 'f' }), 'members_only')).toEqual(['False']);
  const suggestion = { name: 'Mika', value: '7' };
  expect(names(after(pick, { kind: 'filled', name: 'with', text: 'Mika', chosen: suggestion }), 'with')).toEqual([
    'Mika',
    'Jonas',
  ]);
});
