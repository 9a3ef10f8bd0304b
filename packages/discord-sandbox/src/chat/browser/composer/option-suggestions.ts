import type { Author, Choice } from '../../chat-entities.ts';
import type { TypedCommand } from '../api.ts';
import { el, picture } from '../dom.ts';
import { createListbox } from '../listbox.ts';
import {
  type CommandDraft,
  type Field,
  isAutocompleted,
  isClosed,
  PERSON,
  type Suggestion,
  suggestionsFor,
  valuesSoFar,
} from './slash.ts';

export interface OptionSuggestionsDeps {
  readonly autocomplete: (typed: TypedCommand) => Promise<readonly Choice[]>;
  readonly people: () => readonly Author[];
  readonly draft: () => CommandDraft | null;
  /** The field that is being filled in. */
  readonly focused: () => { readonly name: string; readonly input: HTMLInputElement } | null;
  readonly onPick: (name: string, suggestion: Suggestion) => void;
}

const TYPING_PAUSE_MS = 200;

/** What is free to be anything, or nothing, is taken as typed unless one goes to the list on purpose. */
const firstActive = ({ option, text, chosen }: Field) =>
  chosen === null && (option.required === true || (isClosed(option) && text !== '')) ? 0 : -1;

/** What a field takes that has no list of its own. */
function hintOf({ option }: Field): string {
  if (isClosed(option)) return '';
  return option.type === 3 ? 'Type a text.' : 'Type a number.';
}

/** The list above a command's options: choices, people, or what the application suggests. */
export function createOptionSuggestions({ autocomplete, people, draft, focused, onPick }: OptionSuggestionsDeps) {
  const listbox = createListbox(() => focused()?.input ?? null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Of several answers of the application only that to the last question counts. */
  let lastQuestion = 0;

  const fieldOf = (name: string) => draft()?.fields.find(({ option }) => option.name === name);

  function markOf({ value }: Suggestion) {
    const person = people().find(({ id }) => id === value);
    return person === undefined ? el('span') : picture(person.avatar_url, 24);
  }

  function offer(field: Field, found: readonly Suggestion[], hint: string) {
    const { name, type, description } = field.option;
    const items = found.map((suggestion) => ({
      label: suggestion.name,
      ...(type === PERSON && { mark: markOf(suggestion) }),
      onPick: () => onPick(name, suggestion),
    }));
    listbox.show(`${name} — ${description}`, items, { active: firstActive(field), hint });
  }

  async function askApplication(field: Field, { command, fields }: CommandDraft) {
    lastQuestion += 1;
    const question = lastQuestion;
    const { name } = field.option;
    const options = { ...valuesSoFar(fields, people()), [name]: field.chosen === null ? field.text : '' };
    const found = await autocomplete({ name: command.name, options, focused: name }).catch(() => null);
    if (question !== lastQuestion || focused()?.name !== name) return;
    if (found === null) offer(field, [], 'Loading options failed.');
    else offer(fieldOf(name) ?? field, found, found.length === 0 ? 'No options match your search.' : '');
  }

  const { element, id, isOpen, move, pick } = listbox;
  return {
    element,
    id,
    isOpen,
    move,
    pick,
    /** Shows what may stand in a field, if it is the one that is being filled in. */
    suggest(name: string, isTyping: boolean) {
      const field = fieldOf(name);
      const now = draft();
      if (field === undefined || now === null || focused()?.name !== name) return;
      clearTimeout(timer);
      if (!isAutocompleted(field.option)) return offer(field, suggestionsFor(field, people()), hintOf(field));
      offer(field, [], 'Loading options…');
      timer = setTimeout(() => void askApplication(field, now), isTyping ? TYPING_PAUSE_MS : 0);
    },
    /** Shut stays shut: an answer that is still on its way opens nothing. */
    shut() {
      lastQuestion += 1;
      clearTimeout(timer);
      listbox.close();
    },
  };
}
