import type { Author, OfferedCommand, OptionValues } from '../../chat-entities.ts';

/** What stands in the composer: words, or a command with its options. A reducer, and what reads its state. */

type Option = NonNullable<OfferedCommand['options']>[number];
type Value = OptionValues[string];

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

export type CommandDraft = {
  readonly kind: 'command';
  readonly command: OfferedCommand;
  readonly fields: readonly Field[];
};
export type Draft = { readonly kind: 'words'; readonly text: string } | CommandDraft;

export type DraftAction =
  /** Words, or back to words, with the command's name in them or with nothing. */
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'picked'; readonly command: OfferedCommand }
  /** @property chosen where the text is a suggestion's */
  | { readonly kind: 'filled'; readonly name: string; readonly text: string; readonly chosen: Suggestion | null }
  | { readonly kind: 'refused'; readonly problems: Readonly<Record<string, string>> };

export const emptyDraft: Draft = { kind: 'words', text: '' };

// Discord's numbers of option types: 4 integer, 5 boolean, 6 person.
export const PERSON = 6;
const BOOLEAN = 5;
const INTEGER = 4;

/** The commands that a beginning like "/up" may mean; none where the text is no beginning of a command. */
export function offered(draft: Draft, commands: readonly OfferedCommand[]): readonly OfferedCommand[] {
  const typed = draft.kind === 'words' ? /^\/([^\s/]*)$/.exec(draft.text)?.[1]?.toLowerCase() : undefined;
  if (typed === undefined) return [];
  const found = commands.filter(({ name }) => name.includes(typed));
  return [
    ...found.filter(({ name }) => name.startsWith(typed)),
    ...found.filter(({ name }) => !name.startsWith(typed)),
  ];
}

export function reduceDraft(draft: Draft, action: DraftAction): Draft {
  if (action.kind === 'typed') return { kind: 'words', text: action.text };
  if (action.kind === 'picked') {
    const { command } = action;
    const fields = (command.options ?? []).map((option) => ({ option, text: '', chosen: null, problem: null }));
    return { kind: 'command', command, fields };
  }
  if (draft.kind !== 'command') return draft;
  const fields = draft.fields.map((field): Field => {
    const { name } = field.option;
    if (action.kind === 'refused') return { ...field, problem: action.problems[name] ?? null };
    if (action.name !== name) return field;
    return { ...field, text: action.text, chosen: action.chosen, problem: null };
  });
  return { ...draft, fields };
}

/** Whether its suggestions are the application's. */
export const isAutocompleted = (option: Option) => 'autocomplete' in option && option.autocomplete === true;

function choicesOf(option: Option, people: readonly Author[]): readonly Suggestion[] {
  if (option.type === PERSON)
    return people.filter(({ is_bot }) => !is_bot).map(({ id, name }) => ({ name, value: id }));
  if (option.type === BOOLEAN) return [true, false].map((value) => ({ name: value ? 'True' : 'False', value }));
  return 'choices' in option ? (option.choices ?? []) : [];
}

/** Only what is suggested may stand there. */
export const isClosed = (option: Option) =>
  option.type === BOOLEAN || option.type === PERSON || choicesOf(option, []).length > 0;

const typedIn = ({ text }: Field) => text.trim().replace(/^@/, '').toLowerCase();

/** What can be put into a field, apart from what the application is asked for. */
export function suggestionsFor(field: Field, people: readonly Author[]): readonly Suggestion[] {
  const typed = field.chosen === null ? typedIn(field) : '';
  return choicesOf(field.option, people).filter(({ name }) => name.toLowerCase().includes(typed));
}

/** @returns null for what can't be sent; what is too long or too large, the sandbox refuses */
function readField(field: Field, people: readonly Author[]): Value | null {
  const { option, chosen, text } = field;
  if (chosen !== null) return chosen.value;
  if (isClosed(option)) {
    return choicesOf(option, people).find(({ name }) => name.toLowerCase() === typedIn(field))?.value ?? null;
  }
  if (option.type !== INTEGER) return text.trim();
  return Number.isFinite(Number(text)) ? Number(text) : null;
}

const isFilled = ({ text }: Field) => text.trim() !== '';

/** The readable values, as they would be sent now. */
export function valuesSoFar(fields: readonly Field[], people: readonly Author[]): OptionValues {
  const readings = fields.filter(isFilled).map((field) => [field.option.name, readField(field, people)] as const);
  return Object.fromEntries(readings.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** @returns what is wrong, by the option's name; nothing where the command may be sent */
export function problemsIn(fields: readonly Field[], people: readonly Author[]): Readonly<Record<string, string>> {
  const problems = fields.flatMap((field): [string, string][] => {
    const { name, required } = field.option;
    if (!isFilled(field)) return required === true ? [[name, 'This option is required.']] : [];
    if (readField(field, people) !== null) return [];
    return [[name, isClosed(field.option) ? 'Choose one of the list.' : 'Type a number.']];
  });
  return Object.fromEntries(problems);
}
