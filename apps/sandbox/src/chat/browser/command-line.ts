import type { Author, Choice, OptionValues } from '../../chat-entities.ts';
import { el, freshId, picture } from './dom.ts';
import { createListbox } from './listbox.ts';
import {
  type Draft,
  type DraftAction,
  type Field,
  findJump,
  isAutocompleted,
  isClosed,
  problemsIn,
  type Suggestion,
  suggestionsFor,
  valuesSoFar,
} from './slash.ts';

type CommandDraft = Extract<Draft, { kind: 'command' }>;

export interface CommandLineDeps {
  readonly autocomplete: (typed: {
    name: string;
    options: OptionValues;
    focused: string;
  }) => Promise<readonly Choice[]>;
  readonly people: () => readonly Author[];
  readonly dispatch: (action: DraftAction) => void;
  readonly onSubmit: (options: OptionValues) => void;
  readonly onLeave: (text: string) => void;
}

export interface CommandLine {
  readonly element: HTMLElement;
  /** The list of suggestions, which stands above the composer. */
  readonly suggestions: HTMLElement;
  open(draft: CommandDraft): void;
  update(draft: CommandDraft, action: DraftAction): void;
  close(): void;
  submit(): void;
}

interface FieldView {
  readonly name: string;
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly problem: HTMLElement;
}

const TYPING_PAUSE_MS = 200;

/** A command with its options as labelled fields in a line. */
export function createCommandLine(deps: CommandLineDeps): CommandLine {
  const element = el('div', { class: 'command-line', role: 'group', hidden: true });
  let draft: CommandDraft | null = null;
  let views: readonly FieldView[] = [];
  let focused: FieldView | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Of several answers of the application only that to the last question counts. */
  let lastQuestion = 0;
  const listbox = createListbox(() => focused?.input ?? null);

  const fieldOf = (name: string): Field | undefined => draft?.fields.find(({ option }) => option.name === name);

  function offer(field: Field, found: readonly Suggestion[], hint = '') {
    const { option, text, chosen } = field;
    const items = found.map((suggestion) => ({
      label: suggestion.name,
      ...(option.type === 6 && { mark: personMark(String(suggestion.value)) }),
      onPick: () => choose(option.name, suggestion),
    }));
    // What is free to be anything, or nothing, is taken as typed unless one goes to the list on purpose.
    const isMeant = chosen === null && (option.required === true || (isClosed(option) && text !== ''));
    listbox.show(`${option.name} — ${option.description}`, items, { active: isMeant ? 0 : -1, hint });
  }

  function personMark(id: string) {
    const person = deps.people().find((one) => one.id === id);
    return person === undefined ? el('span') : picture(person.avatar_url, 24);
  }

  function suggest(name: string, isTyping: boolean) {
    const field = fieldOf(name);
    if (field === undefined || focused?.name !== name) return;
    clearTimeout(timer);
    if (!isAutocompleted(field.option)) {
      return offer(field, suggestionsFor(field, deps.people()), isClosed(field.option) ? '' : hintOf(field));
    }
    offer(field, [], 'Loading options…');
    timer = setTimeout(() => void askApplication(field), isTyping ? TYPING_PAUSE_MS : 0);
  }

  const hintOf = ({ option }: Field) => option.description;

  async function askApplication(field: Field) {
    if (draft === null) return;
    lastQuestion += 1;
    const question = lastQuestion;
    const { name } = field.option;
    const options = { ...valuesSoFar(draft.fields, deps.people()), [name]: field.chosen === null ? field.text : '' };
    const found = await deps
      .autocomplete({ name: draft.command.name, options, focused: name })
      .catch(() => 'failed' as const);
    if (question !== lastQuestion || focused?.name !== name) return;
    if (found === 'failed') return offer(field, [], 'Loading options failed.');
    offer(fieldOf(name) ?? field, found, found.length === 0 ? 'No options match your search.' : '');
  }

  /** Shut stays shut: an answer that is still on its way opens nothing. */
  function shut() {
    lastQuestion += 1;
    clearTimeout(timer);
    listbox.close();
  }

  function choose(name: string, suggestion: Suggestion) {
    deps.dispatch({ kind: 'field_chosen', name, suggestion });
    shut();
    const rest = views.slice(views.findIndex((view) => view.name === name) + 1);
    const next = rest.find((view) => {
      const field = fieldOf(view.name);
      return field?.option.required === true && field.text === '';
    });
    next?.input.focus();
  }

  function submit() {
    if (draft === null) return;
    const people = deps.people();
    const problems = problemsIn(draft.fields, people);
    const [first] = Object.keys(problems);
    if (first === undefined) return deps.onSubmit(valuesSoFar(draft.fields, people));
    deps.dispatch({ kind: 'refused', problems });
    views.find(({ name }) => name === first)?.input.focus();
  }

  function onKey(event: KeyboardEvent, view: FieldView) {
    if (event.isComposing) return;
    const isFirstAndEmpty = views[0] === view && view.input.value === '';
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!listbox.isOpen()) suggest(view.name, false);
      listbox.move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (!listbox.isOpen() || !listbox.pick()) submit();
    } else if (event.key === 'Tab' && !event.shiftKey && view.input.value !== '' && listbox.isOpen()) {
      listbox.pick();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (listbox.isOpen()) shut();
      else deps.onLeave('');
    } else if (event.key === 'Backspace' && isFirstAndEmpty && draft !== null) {
      event.preventDefault();
      deps.onLeave(`/${draft.command.name}`);
    }
  }

  function fieldView({ option, text }: Field): FieldView {
    const { name } = option;
    const problemId = freshId();
    const input = el('input', {
      type: 'text',
      class: 'option-input',
      role: 'combobox',
      autocomplete: 'off',
      'aria-label': name,
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
      'aria-controls': listbox.id,
      'aria-describedby': problemId,
      'aria-required': option.required === true ? 'true' : undefined,
      placeholder: option.required === true ? '' : 'optional',
      inputmode: option.type === 4 && !isClosed(option) ? 'numeric' : undefined,
      size: 10,
    });
    input.value = text;
    const problem = el('span', { class: 'option-problem', id: problemId });
    const label = el('span', { class: 'option-name', 'aria-hidden': 'true' }, name);
    const view = { name, input, problem, element: el('label', { class: 'option' }, label, input, problem) };
    input.addEventListener('input', () => {
      const jump = findJump(input.value, draft?.fields ?? []);
      deps.dispatch({ kind: 'field_typed', name, text: jump?.rest ?? input.value });
      if (jump !== null) views.find((other) => other.name === jump.name)?.input.focus();
    });
    input.addEventListener('keydown', (event) => onKey(event, view));
    input.addEventListener('focus', () => {
      focused = view;
      suggest(name, false);
    });
    input.addEventListener('blur', () => {
      listbox.close();
      if (focused === view) focused = null;
    });
    return view;
  }

  const grow = ({ input }: FieldView) => {
    input.size = Math.min(Math.max(input.value.length + 1, 8), 32);
  };

  return {
    element,
    suggestions: listbox.element,
    submit,
    open(next) {
      draft = next;
      views = next.fields.map(fieldView);
      element.setAttribute('aria-label', `/${next.command.name}`);
      element.replaceChildren(
        el('span', { class: 'command-name' }, `/${next.command.name}`),
        ...views.map((view) => view.element),
        ...(views.length === 0 ? [el('span', { class: 'option-none' }, next.command.description)] : []),
      );
      element.hidden = false;
      views.forEach(grow);
      const wanted = views.find((_view, position) => {
        const field = next.fields[position];
        return field?.option.required === true && field.text === '';
      });
      const last = views.findLast(({ input }) => input.value !== '');
      const start = wanted ?? last ?? views[0];
      if (start === undefined) element.tabIndex = -1;
      (start?.input ?? element).focus();
    },
    update(next, action) {
      draft = next;
      for (const [position, view] of views.entries()) {
        const field = next.fields[position];
        if (field === undefined) continue;
        if (view.input.value !== field.text) view.input.value = field.text;
        view.input.setAttribute('aria-invalid', String(field.problem !== null));
        view.problem.textContent = field.problem ?? '';
        grow(view);
      }
      if (action.kind === 'field_typed') suggest(action.name, true);
    },
    close() {
      draft = null;
      views = [];
      focused = null;
      shut();
      element.replaceChildren();
      element.hidden = true;
    },
  };
}
