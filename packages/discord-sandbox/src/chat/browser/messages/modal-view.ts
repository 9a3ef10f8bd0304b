import type { Component, OpenModal } from '../../chat-entities.ts';
import { type Api, attempt } from '../api.ts';
import { openDialog } from '../dialog.ts';
import { el, freshId, icon } from '../dom.ts';

function inputView(part: Component): HTMLInputElement | HTMLTextAreaElement {
  const { custom_id = '', required = true, placeholder, max_length, style, value = '' } = part;
  const attributes = {
    name: custom_id,
    required,
    class: 'modal-input',
    placeholder,
    maxlength: max_length,
    autocomplete: 'off',
  };
  const input = style === 2 ? el('textarea', { ...attributes, rows: 4 }) : el('input', { ...attributes, type: 'text' });
  input.value = value;
  return input;
}

function fieldView({ label = '', description, component }: Component): HTMLElement | null {
  if (component === undefined) return null;
  const input = inputView(component);
  const id = freshId();
  input.id = id;
  const describedBy = freshId();
  if (description) input.setAttribute('aria-describedby', describedBy);
  return el(
    'div',
    { class: 'modal-field' },
    el(
      'label',
      { for: id },
      label,
      component.required !== false && el('span', { class: 'star', 'aria-hidden': 'true' }, ' *'),
    ),
    description && el('p', { id: describedBy, class: 'subtext' }, description),
    input,
  );
}

const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/** Opens a modal as a dialog; one that came to nothing stays open and says so. */
export function openModal(pane: HTMLElement, { id, modal }: OpenModal, { submit }: Pick<Api, 'submit'>): void {
  const problem = el('p', { class: 'failed', role: 'alert' });
  const send = el('button', { type: 'submit', class: 'action primary' }, 'Submit');
  const cancel = el('button', { class: 'action' }, 'Cancel');
  const form = el(
    'form',
    { method: 'dialog' },
    ...(modal.components as readonly Component[]).map(fieldView),
    problem,
    el('div', { class: 'modal-acts' }, cancel, send),
  );
  const dialog = openDialog(pane, modal.title, form);
  cancel.addEventListener('click', () => dialog.close());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    problem.replaceChildren();
    const isDone = await attempt(
      () => submit(id, valuesOf(form)),
      (refusal) => problem.replaceChildren(icon('warning'), refusal),
    );
    send.disabled = isDone;
    if (isDone) dialog.close();
  });
  form.querySelector<HTMLElement>('.modal-input')?.focus();
}
