import type { APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Component } from '../../chat-entities.ts';
import { el, icon } from '../dom.ts';

/** Buttons and menus below a message. */

export interface ComponentContext {
  readonly isBusy: (customId: string) => boolean;
  readonly onClick: (customId: string, values?: readonly string[]) => void;
}

const BUTTON = 2;
const STYLES: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'link' };

function buttonView(component: Component, { isBusy, onClick }: ComponentContext): HTMLElement {
  const { label = '', style = 2, url, disabled = false, custom_id = '' } = component;
  if (url !== undefined) {
    const attributes = { class: 'action link-action', href: url, target: '_blank', rel: 'noopener noreferrer' };
    return el('a', attributes, label, icon('out'));
  }
  return el(
    'button',
    {
      type: 'button',
      class: `action ${STYLES[style] ?? 'secondary'}`,
      disabled,
      'aria-busy': isBusy(custom_id) ? 'true' : undefined,
      'data-custom-id': custom_id,
      onclick: () => !isBusy(custom_id) && onClick(custom_id),
    },
    label,
  );
}

function selectView(component: Component, { isBusy, onClick }: ComponentContext): HTMLElement {
  const { custom_id = '', placeholder = 'Make a selection', options: choices = [] } = component;
  const select = el('select', {
    'aria-label': placeholder,
    'data-custom-id': custom_id,
    class: 'choice',
    'aria-busy': isBusy(custom_id) ? 'true' : undefined,
    onchange: () => onClick(custom_id, [select.value]),
  });
  const hasDefault = choices.some((option) => option.default === true);
  if (!hasDefault) select.append(el('option', { value: '', hidden: true, selected: true }, placeholder));
  for (const { label, value, description, default: isDefault } of choices) {
    const said = description ? `${label} — ${description}` : label;
    select.append(el('option', { value, selected: isDefault === true }, said));
  }
  return select;
}

const partView = (part: Component, context: ComponentContext) =>
  part.type === BUTTON ? buttonView(part, context) : selectView(part, context);

/** A row each. */
export const componentViews = (rows: readonly APIMessageTopLevelComponent[], context: ComponentContext) =>
  (rows as readonly Component[]).map(({ components = [] }) =>
    el('div', { class: 'action-row' }, ...components.map((part) => partView(part, context))),
  );
