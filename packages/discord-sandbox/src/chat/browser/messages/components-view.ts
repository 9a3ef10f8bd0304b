import type { APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Component } from '../../chat-entities.ts';
import { el, icon } from '../dom.ts';
import { outsideLink } from './markdown-view.ts';

/** Buttons and menus below a message. */

export interface ComponentContext {
  readonly isBusy: (customId: string) => boolean;
  readonly onClick: (customId: string, values?: readonly string[]) => void;
}

const BUTTON = 2;
const STYLES: Readonly<Record<number, string>> = { 1: 'primary', 4: 'danger' };

function buttonView({ label = '', style = 2, url, disabled, custom_id = '' }: Component, context: ComponentContext) {
  if (url !== undefined) return outsideLink(url, 'action', label, icon('out'));
  const { isBusy, onClick } = context;
  return el(
    'button',
    {
      class: `action ${STYLES[style] ?? ''}`,
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

/** A row each. */
export const componentViews = (rows: readonly APIMessageTopLevelComponent[], context: ComponentContext) =>
  (rows as readonly Component[]).map(({ components = [] }) => {
    const views = components.map((part) => (part.type === BUTTON ? buttonView : selectView)(part, context));
    return el('div', { class: 'action-row' }, ...views);
  });
