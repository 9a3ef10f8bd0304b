import type { Component, OpenModal } from '../../chat-entities.ts';
import { attempt } from '../api.ts';
import { openDialog } from '../dialog.ts';
import { el, freshId, icon } from '../dom.ts';
import { markdownView, type Names } from './markdown-view.ts';

export interface ModalDeps {
  readonly names: Names;
  readonly submit: (modalId: string, fields: Readonly<Record<string, string>>) => Promise<unknown>;
}

function inputView(part: Component): HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | null {
  const { type, custom_id = '', required = true } = part;
  const common = { name: custom_id, required, class: 'modal-input' };
  if (type === 3) {
    const { options = [], placeholder = 'Make a selection' } = part;
    const hasDefault = options.some((option) => option.default === true);
    return el(
      'select',
      common,
      !hasDefault && el('option', { value: '' }, placeholder),
      ...options.map(({ label, value, default: selected }) => el('option', { value, selected }, label)),
    );
  }
  if (type !== 4) return null;
  const { placeholder, min_length: minlength, max_length: maxlength, style, value = '' } = part;
  const attributes = { ...common, placeholder, minlength, maxlength, autocomplete: 'off' };
  const input = style === 2 ? el('textarea', { ...attributes, rows: 4 }) : el('input', { ...attributes, type: 'text' });
  input.value = value;
  return input;
}

function labelled(part: Component, label: string, description?: string | null): HTMLElement | null {
  const input = inputView(part);
  if (input === null) return null;
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
      part.required !== false && el('span', { class: 'star', 'aria-hidden': 'true' }, ' *'),
    ),
    description && el('p', { id: describedBy, class: 'subtext' }, description),
    input,
  );
}

function partView(part: Component, names: Names): (HTMLElement | null)[] {
  if (part.type === 10) return [el('div', { class: 'said' }, ...markdownView(part.content ?? '', names))];
  if (part.type === 18 && part.component) return [labelled(part.component, part.label ?? '', part.description)];
  return (part.components ?? []).map((inner) => labelled(inner, inner.label ?? ''));
}

const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/** Opens a modal as a dialog; one that came to nothing stays open and says so. */
export function openModal(pane: HTMLElement, { id, modal }: OpenModal, { names, submit }: ModalDeps): void {
  const problem = el('p', { class: 'failed', role: 'alert' });
  const send = el('button', { type: 'submit', class: 'action primary' }, 'Submit');
  const cancel = el('button', { type: 'button', class: 'action secondary' }, 'Cancel');
  const form = el(
    'form',
    { class: 'modal-form', method: 'dialog' },
    ...(modal.components as readonly Component[]).flatMap((part) => partView(part, names)),
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
