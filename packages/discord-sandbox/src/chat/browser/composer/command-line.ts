import type { OptionValues } from '../../chat-entities.ts';
import { el, freshId } from '../dom.ts';
import { createOptionSuggestions, type OptionSuggestionsDeps } from './option-suggestions.ts';
import {
  type CommandDraft,
  type DraftAction,
  type Field,
  isClosed,
  problemsIn,
  type Suggestion,
  valuesSoFar,
} from './slash.ts';

/** One option of a command: its name, what is typed, and what is wrong with it. */
function createOptionField(field: Field, listId: string) {
  const { option } = field;
  const { name } = option;
  const isRequired = option.required === true;
  const problemId = freshId();
  const input = el('input', {
    type: 'text',
    class: 'option-input',
    role: 'combobox',
    autocomplete: 'off',
    'aria-label': name,
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': listId,
    'aria-describedby': problemId,
    'aria-required': isRequired ? 'true' : undefined,
    placeholder: isRequired ? '' : 'optional',
    inputmode: option.type === 4 && !isClosed(option) ? 'numeric' : undefined,
  });
  const problem = el('span', { class: 'option-problem', id: problemId });
  const label = el('span', { class: 'option-name', 'aria-hidden': 'true' }, name);

  /** Shows what stands in the field now. */
  function show({ text, problem: found }: Field) {
    if (input.value !== text) input.value = text;
    input.setAttribute('aria-invalid', String(found !== null));
    problem.textContent = found ?? '';
    input.size = Math.min(Math.max(text.length + 1, 8), 32);
  }
  show(field);
  return { name, input, show, element: el('label', { class: 'option' }, label, input, problem) };
}

type FieldView = ReturnType<typeof createOptionField>;

export interface CommandLineDeps extends Pick<OptionSuggestionsDeps, 'autocomplete' | 'people'> {
  readonly dispatch: (action: DraftAction) => void;
  readonly onSubmit: (options: OptionValues) => void;
  readonly onLeave: (text: string) => void;
}

/** A command with its options as labelled fields in a line. */
export function createCommandLine(deps: CommandLineDeps) {
  const element = el('div', { class: 'command-line', role: 'group', hidden: true, tabindex: -1 });
  let draft: CommandDraft | null = null;
  let views: readonly FieldView[] = [];
  let focused: FieldView | null = null;
  const { autocomplete, people } = deps;
  const list = createOptionSuggestions({
    autocomplete,
    people,
    draft: () => draft,
    focused: () => focused,
    onPick: choose,
  });

  /** The first of these that can't be left empty, and is. */
  const nextToFill = (candidates: readonly FieldView[]) =>
    candidates.find(({ name }) => {
      const field = draft?.fields.find(({ option }) => option.name === name);
      return field?.option.required === true && field.text === '';
    });

  function choose(name: string, suggestion: Suggestion) {
    deps.dispatch({ kind: 'filled', name, text: suggestion.name, chosen: suggestion });
    list.shut();
    nextToFill(views.slice(views.findIndex((view) => view.name === name) + 1))?.input.focus();
  }

  function submit() {
    if (draft === null) return;
    const problems = problemsIn(draft.fields, people());
    const [first] = Object.keys(problems);
    if (first === undefined) return deps.onSubmit(valuesSoFar(draft.fields, people()));
    deps.dispatch({ kind: 'refused', problems });
    views.find(({ name }) => name === first)?.input.focus();
  }

  function moveInList(event: KeyboardEvent, name: string) {
    event.preventDefault();
    if (!list.isOpen()) list.suggest(name, false);
    list.move(event.key === 'ArrowDown' ? 1 : -1);
  }

  function goBack(event: KeyboardEvent, text: string) {
    event.preventDefault();
    if (event.key === 'Escape' && list.isOpen()) list.shut();
    else deps.onLeave(text);
  }

  function onKey(event: KeyboardEvent, view: FieldView) {
    if (event.isComposing) return;
    const { name, input } = view;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return moveInList(event, name);
    if (event.key === 'Escape') return goBack(event, '');
    const isAtStart = views[0] === view && input.value === '';
    if (event.key === 'Backspace' && isAtStart) return goBack(event, `/${draft?.command.name ?? ''}`);
    if (event.key === 'Tab' && !event.shiftKey && input.value !== '' && list.isOpen()) list.pick();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (!list.isOpen() || !list.pick()) submit();
  }

  function listenTo(view: FieldView) {
    const { name, input } = view;
    input.addEventListener('input', () => {
      deps.dispatch({ kind: 'filled', name, text: input.value, chosen: null });
      list.suggest(name, true);
    });
    input.addEventListener('keydown', (event) => onKey(event, view));
    input.addEventListener('focus', () => {
      focused = view;
      list.suggest(name, false);
    });
    input.addEventListener('blur', () => {
      list.shut();
      if (focused === view) focused = null;
    });
  }

  // A command without options has the focus itself.
  element.addEventListener('keydown', (event) => {
    if (event.target !== element) return;
    if (event.key === 'Enter') submit();
    if (event.key === 'Escape') goBack(event, '');
    if (event.key === 'Backspace') goBack(event, `/${draft?.command.name ?? ''}`);
  });

  function open(next: CommandDraft) {
    draft = next;
    const { name, description } = next.command;
    views = next.fields.map((field) => createOptionField(field, list.id));
    views.forEach(listenTo);
    element.setAttribute('aria-label', `/${name}`);
    element.replaceChildren(
      el('span', { class: 'command-name' }, `/${name}`),
      ...views.map((view) => view.element),
      ...(views.length === 0 ? [el('span', { class: 'option-none' }, description)] : []),
    );
    element.hidden = false;
    const start = nextToFill(views) ?? views.findLast(({ input }) => input.value !== '') ?? views[0];
    (start?.input ?? element).focus();
  }

  return {
    element,
    /** The list of suggestions, which stands above the composer. */
    suggestions: list.element,
    submit,
    open,
    update(next: CommandDraft) {
      draft = next;
      for (const [position, field] of next.fields.entries()) views[position]?.show(field);
    },
    close() {
      draft = null;
      views = [];
      focused = null;
      list.shut();
      element.replaceChildren();
      element.hidden = true;
    },
  };
}
