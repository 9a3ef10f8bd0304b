import type { Author, OfferedCommand, OptionValues } from '../../chat-entities.ts';

/** What stands in the composer: words, or a command with its options. A reducer, and what reads its state. */

type Option = NonNullable<OfferedCommand['options']>[number];
type Value = string | number | boolean;

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
  | { readonly kind: 'typed'; readonly text: string }
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
function matchingCommands(text: string, commands: readonly OfferedCommand[]): readonly OfferedCommand[] | null {
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
      return { ...emptyDraft, text: action.text };
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

/** @returns null for what can't be sent; what is too long or too large, the sandbox refuses */
function readField(field: Field, people: readonly Author[]): Value | null {
  const { option, chosen } = field;
  const text = field.text.trim();
  if (chosen !== null) return chosen.value;
  if (isClosed(option)) {
    const typed = text.replace(/^@/, '').toLowerCase();
    return suggestionsFor(field, people).find(({ name }) => name.toLowerCase() === typed)?.value ?? null;
  }
  if (!NUMBERS.has(option.type)) return text;
  return Number.isFinite(Number(text)) ? Number(text) : null;
}

/** The readable values, as they would be sent now. */
export function valuesSoFar(fields: readonly Field[], people: readonly Author[]): OptionValues {
  const readings = fields.flatMap((field): [string, Value][] => {
    const value = field.text.trim() === '' ? null : readField(field, people);
    return value === null ? [] : [[field.option.name, value]];
  });
  return Object.fromEntries(readings);
}

/** @returns what is wrong, by the option's name; nothing where the command may be sent */
export function problemsIn(fields: readonly Field[], people: readonly Author[]): Readonly<Record<string, string>> {
  const problems = fields.flatMap((field): [string, string][] => {
    const { name, required } = field.option;
    if (field.text.trim() === '') return required === true ? [[name, 'This option is required.']] : [];
    if (readField(field, people) !== null) return [];
    return [[name, isClosed(field.option) ? 'Choose one of the list.' : 'Type a number.']];
  });
  return Object.fromEntries(problems);
}
