import { describe, expect, test } from 'vitest';
import type { Author, OfferedCommand } from '../../chat-entities.ts';
import {
  type Draft,
  type DraftAction,
  emptyDraft,
  findJump,
  offered,
  problemsIn,
  reduceDraft,
  suggestionsFor,
  valuesSoFar,
} from './slash.ts';

const commands = [
  {
    id: '1',
    name: 'share',
    description: 'Shares',
    options: [
      { type: 3, name: 'folder', description: 'Which', required: true, autocomplete: true, max_length: 10 },
      { type: 6, name: 'with', description: 'Whom' },
      { type: 5, name: 'members_only', description: 'Members' },
      { type: 4, name: 'hours', description: 'Hours', min_value: 1, max_value: 24 },
      { type: 4, name: 'size', description: 'Size', choices: [{ name: 'Big', value: 9 }] },
    ],
  },
  { id: '2', name: 'upload', description: 'Uploads', options: [] },
  { id: '3', name: 'list', description: 'Lists' },
] as OfferedCommand[];
const person = (id: string, name: string, is_bot = false): Author => ({ id, name, is_bot, avatar_url: '/a.png' });
const people = [person('7', 'Mika'), person('8', 'Jonas'), person('9', 'Satchel', true)];

const after = (...actions: DraftAction[]): Draft => actions.reduce(reduceDraft, emptyDraft as Draft);
const typed = (text: string) => after({ kind: 'typed', text, commands });
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

  test('goes round by arrows, and stays shut until something else is typed', () => {
    const open: DraftAction = { kind: 'typed', text: '/', commands };
    expect(after(open, { kind: 'moved', by: -1, commands })).toMatchObject({ active: 2 });
    expect(after(open, { kind: 'moved', by: -1, commands }, { kind: 'moved', by: 1, commands })).toMatchObject({
      active: 0,
    });
    expect(namesIn(after(open, { kind: 'menu_closed' }))).toEqual([]);
    expect(namesIn(after(open, { kind: 'menu_closed' }, { kind: 'typed', text: '/l', commands }))).toEqual([
      'list',
      'upload',
    ]);
  });
});

describe('a line', () => {
  test('is words unless it begins with a whole command and a space', () => {
    expect(typed('hello /share x')).toMatchObject({ kind: 'words' });
    expect(typed('/shar x')).toMatchObject({ kind: 'words', text: '/shar x' });
    expect(typed('/Share ')).toMatchObject({ kind: 'command' });
  });

  test('as it is pasted fills the options by their names, and the first by what has none', () => {
    const draft = typed('/share My pics: all with:@Jonas members_only:True hours: 3');
    expect(fieldsOf(draft).map(({ text }) => text)).toEqual(['My pics: all', '@Jonas', 'True', '3', '']);
    expect(fieldOf(typed('/share with:Mika'), 'folder').text).toBe('');
  });

  test('typed on goes to the option that is named', () => {
    const fields = fieldsOf(typed('/share '));
    expect(findJump('My pics with:', fields)).toEqual({ rest: 'My pics', name: 'with' });
    expect(findJump('folder:', fields)).toEqual({ rest: '', name: 'folder' });
    expect(findJump('a note:', fields)).toBeNull();
    expect(findJump('with: x', fields)).toBeNull();
  });

  test('left behind is words again', () => {
    expect(after({ kind: 'picked', command: commands[0]! }, { kind: 'left', text: '/share' })).toMatchObject({
      kind: 'words',
      text: '/share',
    });
  });
});

describe('values', () => {
  test('are read by the type of their option', () => {
    const fields = fieldsOf(typed('/share pics with:@jonas members_only:false hours:3 size:big'));
    expect(problemsIn(fields, people)).toEqual({});
    expect(valuesSoFar(fields, people)).toEqual({ folder: 'pics', with: '8', members_only: false, hours: 3, size: 9 });
  });

  test('that were chosen stand until something else is typed over them', () => {
    const choose: DraftAction = {
      kind: 'field_chosen',
      name: 'folder',
      suggestion: { name: 'Pics · gone soon', value: 'id-1' },
    };
    const picked: DraftAction = { kind: 'picked', command: commands[0]! };
    expect(valuesSoFar(fieldsOf(after(picked, choose)), people)).toEqual({ folder: 'id-1' });
    const over = after(picked, choose, { kind: 'field_typed', name: 'folder', text: 'Pics' });
    expect(valuesSoFar(fieldsOf(over), people)).toEqual({ folder: 'Pics' });
  });

  test.each([
    ['/share ', { folder: 'This option is required.' }],
    ['/share 12345678901', { folder: 'At most 10 characters.' }],
    ['/share a with:Nobody', { with: 'Choose somebody who is here.' }],
    ['/share a with:Satchel', { with: 'Choose somebody who is here.' }],
    ['/share a members_only:perhaps', { members_only: 'Choose True or False.' }],
    ['/share a hours:1.5', { hours: 'Type a number.' }],
    ['/share a hours:0', { hours: 'At least 1.' }],
    ['/share a hours:25', { hours: 'At most 24.' }],
    ['/share a size:Small', { size: 'Choose one of the list.' }],
  ])('%s is refused in words', (line, problems) => {
    expect(problemsIn(fieldsOf(typed(line)), people)).toEqual(problems);
  });

  test('a problem goes away as its field is typed into', () => {
    const refused = reduceDraft(typed('/share '), {
      kind: 'refused',
      problems: { folder: 'This option is required.' },
    });
    expect(fieldOf(refused, 'folder').problem).toBe('This option is required.');
    const mended = reduceDraft(refused, { kind: 'field_typed', name: 'folder', text: 'a' });
    expect(fieldOf(mended, 'folder').problem).toBeNull();
  });
});

test('suggestions narrow with what is typed, and are all there again once one was chosen', () => {
  const names = (draft: Draft, name: string) => suggestionsFor(fieldOf(draft, name), people).map((one) => one.name);
  expect(names(typed('/share '), 'with')).toEqual(['Mika', 'Jonas']);
  expect(names(typed('/share with:@jo'), 'with')).toEqual(['Jonas']);
  expect(names(typed('/share members_only:f'), 'members_only')).toEqual(['False']);
  const chosen = reduceDraft(typed('/share '), {
    kind: 'field_chosen',
    name: 'with',
    suggestion: { name: 'Mika', value: '7' },
  });
  expect(names(chosen, 'with')).toEqual(['Mika', 'Jonas']);
});
