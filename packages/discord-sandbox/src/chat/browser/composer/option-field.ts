import { el, freshId } from '../dom.ts';
import { type Field, isClosed } from './slash.ts';

/** One option of a command: its name, what is typed, and what is wrong with it. */
export function createOptionField(field: Field, listId: string) {
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

export type FieldView = ReturnType<typeof createOptionField>;
