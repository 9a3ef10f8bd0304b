import type { Author, OfferedCommand, OptionValues } from '../../chat-entities.ts';

/** What stands in the composer: words, or a command with its options. A reducer, and what reads its state. */

export type Option = NonNullable<OfferedCommand['options']>[number];
export type Value = string | number | boolean;

/** What may be put into a field. */
export interface Suggestion {
  readonly name: string;
  readonly value: Value;
}

export interface Field {
  readonly option: Option;
  readonly text: string;
  /** What was chosen of the suggestions, for as long as its name stands there. */
  readonly chosen: Suggestion | null;
  readonly problem: string | null;
}

export type Draft =
  | { readonly kind: 'words'; readonly text: string; readonly active: number; readonly is_menu_closed: boolean }
  | { readonly kind: 'command'; readonly command: OfferedCommand; readonly fields: readonly Field[] };

export type DraftAction =
  | { readonly kind: 'typed'; readonly text: string; readonly commands: readonly OfferedCommand[] }
  | { readonly kind: 'moved'; readonly by: 1 | -1; readonly commands: readonly OfferedCommand[] }
  | { readonly kind: 'menu_closed' }
  | { readonly kind: 'picked'; readonly command: OfferedCommand }
  | { readonly kind: 'field_typed'; readonly name: string; readonly text: string }
  | { readonly kind: 'field_chosen'; readonly name: string; readonly suggestion: Suggestion }
  | { readonly kind: 'refused'; readonly problems: Readonly<Record<string, string>> }
  /** Back to words, with the command's name in them or with nothing. */
  | { readonly kind: 'left'; readonly text: string };

export const emptyDraft: Extract<Draft, { kind: 'words' }> = {
  kind: 'words',
  text: '',
  active: 0,
  is_menu_closed: false,
};

// Discord's numbers of option types: 3 string, 4 integer, 5 boolean, 6 person, 10 number.
const PERSON = 6;
const BOOLEAN = 5;
const NUMBERS = new Set<number>([4, 10]);

/** The commands that a beginning like "/up" may mean; null where the text is no beginning of a command. */
export function matchingCommands(text: string, commands: readonly OfferedCommand[]): readonly OfferedCommand[] | null {
  const typed = /^\/([^\s/]*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return null;
  const starting = commands.filter(({ name }) => name.startsWith(typed));
  const containing = commands.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...starting, ...containing];
}

/** What is offered now, if the menu is open. */
export function offered(draft: Draft, commands: readonly OfferedCommand[]): readonly OfferedCommand[] {
  if (draft.kind !== 'words' || draft.is_menu_closed) return [];
  return matchingCommands(draft.text, commands) ?? [];
}

const emptyField = (option: Option): Field => ({ option, text: '', chosen: null, problem: null });

const fieldsOf = ({ options = [] }: OfferedCommand): Field[] => options.map(emptyField);

/** "folder:Holiday pictures expires:3" by the names of options; what has no name goes to the first one. */
function fillFrom(rest: string, fields: readonly Field[]): Field[] {
  const names = fields.map(({ option }) => option.name);
  const marks = [...rest.matchAll(/(?:^|\s)([\w-]+):/g)].filter(([, name = '']) => names.includes(name));
  const values = new Map<string, string>();
  const nameless = rest.slice(0, marks[0]?.index ?? rest.length).trim();
  if (nameless !== '' && names[0] !== undefined) values.set(names[0], nameless);
  for (const [position, mark] of marks.entries()) {
    const end = marks[position + 1]?.index ?? rest.length;
    values.set(mark[1] ?? '', rest.slice(mark.index + mark[0].length, end).trim());
  }
  return fields.map((field) => ({ ...field, text: values.get(field.option.name) ?? '' }));
}

/**
 * Typing "with:" in any field goes on in the field of that name.
 * @returns what stays in this field, and the name of the other; null where nothing of the kind was typed
 */
export function findJump(
  text: string,
  fields: readonly Field[],
): { readonly rest: string; readonly name: string } | null {
  const found = /(?:^|\s)([\w-]+):$/.exec(text);
  const name = fields.find(({ option }) => option.name === found?.[1])?.option.name;
  return found === null || name === undefined ? null : { rest: text.slice(0, found.index).trim(), name };
}

/** A whole command with a space after its name, as it is typed on or pasted; null for anything else. */
export function parseLine(text: string, commands: readonly OfferedCommand[]): Draft | null {
  const [, name, rest = ''] = /^\/(\S+)\s([\s\S]*)$/.exec(text) ?? [];
  const command = commands.find((candidate) => candidate.name === name?.toLowerCase());
  return command === undefined ? null : { kind: 'command', command, fields: fillFrom(rest, fieldsOf(command)) };
}

function inField(draft: Draft, name: string, change: (field: Field) => Field): Draft {
  if (draft.kind !== 'command') return draft;
  return { ...draft, fields: draft.fields.map((field) => (field.option.name === name ? change(field) : field)) };
}

function move(draft: Draft, by: number, commands: readonly OfferedCommand[]): Draft {
  const count = offered(draft, commands).length;
  return draft.kind !== 'words' || count === 0 ? draft : { ...draft, active: (draft.active + by + count) % count };
}

export function reduceDraft(draft: Draft, action: DraftAction): Draft {
  switch (action.kind) {
    case 'typed':
      return parseLine(action.text, action.commands) ?? { ...emptyDraft, text: action.text };
    case 'moved':
      return move(draft, action.by, action.commands);
    case 'menu_closed':
      return draft.kind === 'words' ? { ...draft, is_menu_closed: true } : draft;
    case 'picked':
      return { kind: 'command', command: action.command, fields: fieldsOf(action.command) };
    case 'field_typed':
      return inField(draft, action.name, (field) => ({ ...field, text: action.text, chosen: null, problem: null }));
    case 'field_chosen': {
      const { suggestion } = action;
      return inField(draft, action.name, (field) => ({
        ...field,
        text: suggestion.name,
        chosen: suggestion,
        problem: null,
      }));
    }
    case 'refused':
      if (draft.kind !== 'command') return draft;
      return {
        ...draft,
        fields: draft.fields.map((field) => ({ ...field, problem: action.problems[field.option.name] ?? null })),
      };
    case 'left':
      return { ...emptyDraft, text: action.text };
  }
}

const choicesOf = (option: Option): readonly Suggestion[] =>
  'choices' in option && option.choices !== undefined ? option.choices : [];

/** Whether its suggestions are the application's. */
export const isAutocompleted = (option: Option) => 'autocomplete' in option && option.autocomplete === true;

/** What can be put into a field, apart from what the application is asked for. */
export function suggestionsFor({ option, text, chosen }: Field, people: readonly Author[]): readonly Suggestion[] {
  const typed = chosen === null ? text.trim().replace(/^@/, '').toLowerCase() : '';
  const all =
    option.type === BOOLEAN
      ? [
          { name: 'True', value: true },
          { name: 'False', value: false },
        ]
      : option.type === PERSON
        ? people.filter((person) => !person.is_bot).map(({ id, name }) => ({ name, value: id }))
        : choicesOf(option);
  return all.filter(({ name }) => name.toLowerCase().includes(typed)).slice(0, 25);
}

/** Only what is suggested may stand there. */
export const isClosed = (option: Option) =>
  option.type === BOOLEAN || option.type === PERSON || choicesOf(option).length > 0;

const CLOSED_PROBLEMS: Readonly<Record<number, string>> = {
  [BOOLEAN]: 'Choose True or False.',
  [PERSON]: 'Choose somebody who is here.',
};

type Reading = { readonly value: Value } | { readonly problem: string };

function readNumber(text: string, option: Option): Reading {
  const value = Number(text);
  const isWhole = option.type !== 4 || Number.isSafeInteger(value);
  if (text === '' || !Number.isFinite(value) || !isWhole) return { problem: 'Type a number.' };
  const { min_value: min, max_value: max } = option as { min_value?: number; max_value?: number };
  if (min !== undefined && value < min) return { problem: `At least ${min}.` };
  return max !== undefined && value > max ? { problem: `At most ${max}.` } : { value };
}

function readField(field: Field, people: readonly Author[]): Reading {
  const { option, chosen } = field;
  const text = field.text.trim();
  if (chosen !== null) return { value: chosen.value };
  if (isClosed(option)) {
    const typed = text.replace(/^@/, '').toLowerCase();
    const named = suggestionsFor(field, people).find(({ name }) => name.toLowerCase() === typed);
    return named ?? { problem: CLOSED_PROBLEMS[option.type] ?? 'Choose one of the list.' };
  }
  if (NUMBERS.has(option.type)) return readNumber(text, option);
  const { min_length: min = 0, max_length: max = 6_000 } = option as { min_length?: number; max_length?: number };
  if (text.length < min) return { problem: `At least ${min} characters.` };
  return text.length > max ? { problem: `At most ${max} characters.` } : { value: text };
}

/** The values as they would be sent now: those that can be read. */
export function valuesSoFar(fields: readonly Field[], people: readonly Author[]): OptionValues {
  const readings = fields.flatMap((field): [string, Value][] => {
    if (field.text.trim() === '') return [];
    const reading = readField(field, people);
    return 'value' in reading ? [[field.option.name, reading.value]] : [];
  });
  return Object.fromEntries(readings);
}

/** @returns what is wrong, by the option's name; nothing where the command may be sent */
export function problemsIn(fields: readonly Field[], people: readonly Author[]): Readonly<Record<string, string>> {
  const problems = fields.flatMap((field): [string, string][] => {
    if (field.text.trim() === '') {
      return field.option.required === true ? [[field.option.name, 'This option is required.']] : [];
    }
    const reading = readField(field, people);
    return 'problem' in reading ? [[field.option.name, reading.problem]] : [];
  });
  return Object.fromEntries(problems);
}
