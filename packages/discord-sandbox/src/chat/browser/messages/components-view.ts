import type { APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Component } from '../../chat-entities.ts';
import { el, icon, picture, pictureAddress } from '../dom.ts';
import { colourText } from './embed-view.ts';
import { markdownView, type Names } from './markdown-view.ts';

/** Buttons, selects and what else hangs below a message, or is the message. */

export interface ComponentContext {
  readonly names: Names;
  readonly people: readonly { readonly id: string; readonly name: string }[];
  readonly isBusy: (customId: string) => boolean;
  readonly onClick: (customId: string, values?: readonly string[]) => void;
}

const STYLES: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'link' };

function buttonView(component: Component, { isBusy, onClick }: ComponentContext): HTMLElement {
  const { label = '', style = 2, url, disabled = false, custom_id = '', emoji } = component;
  const inside = [emoji?.name !== undefined && el('span', { 'aria-hidden': 'true' }, emoji.name), label];
  if (url !== undefined) {
    const attributes = { class: 'action link-action', href: url, target: '_blank', rel: 'noopener noreferrer' };
    return disabled
      ? el('a', { class: 'action link-action', role: 'link', 'aria-disabled': 'true' }, ...inside, icon('out'))
      : el('a', attributes, ...inside, icon('out'));
  }
  const busy = isBusy(custom_id);
  return el(
    'button',
    {
      type: 'button',
      class: `action ${STYLES[style] ?? 'secondary'}`,
      disabled,
      'aria-busy': busy ? 'true' : undefined,
      'data-custom-id': custom_id,
      onclick: () => !isBusy(custom_id) && onClick(custom_id),
    },
    ...inside,
  );
}

/** What may be chosen: as the application lists it, or the people of the place. */
function choicesOf({ type, options = [], default_values = [] }: Component, { people }: ComponentContext) {
  if (type !== 5) return options;
  const chosen = default_values.map(({ id }) => id);
  return people.map(({ id, name }) => ({ label: name, value: id, default: chosen.includes(id) }));
}

function selectView(component: Component, context: ComponentContext): HTMLElement {
  const { custom_id = '', placeholder = 'Make a selection', disabled = false, max_values = 1 } = component;
  const choices = choicesOf(component, context);
  const isMultiple = max_values > 1;
  const select = el('select', {
    'aria-label': placeholder,
    'data-custom-id': custom_id,
    class: 'choice',
    disabled,
    multiple: isMultiple,
    size: isMultiple ? Math.min(choices.length, 5) : undefined,
    'aria-busy': context.isBusy(custom_id) ? 'true' : undefined,
  });
  const hasDefault = choices.some((option) => 'default' in option && option.default === true);
  if (!isMultiple && !hasDefault) select.append(el('option', { value: '', hidden: true, selected: true }, placeholder));
  for (const { label, value, ...rest } of choices) {
    const description = 'description' in rest && rest.description ? ` — ${rest.description}` : '';
    select.append(el('option', { value, selected: rest.default === true }, label + description));
  }
  const send = () =>
    context.onClick(
      custom_id,
      [...select.selectedOptions].map(({ value }) => value),
    );
  if (!isMultiple) {
    select.addEventListener('change', send);
    return select;
  }
  return el(
    'div',
    { class: 'choices' },
    select,
    el('button', { type: 'button', class: 'action', onclick: send }, 'Choose'),
  );
}

function containerView({ components = [], accent_color }: Component, context: ComponentContext) {
  const view = el('div', { class: 'embed container' }, ...components.map((inner) => componentView(inner, context)));
  if (typeof accent_color === 'number') view.style.setProperty('--edge-colour', colourText(accent_color));
  return view;
}

function componentView(component: Component, context: ComponentContext): HTMLElement | null {
  const { type, components = [], content = '', media, description, items = [] } = component;
  const inner = () => components.map((one) => componentView(one, context));
  switch (type) {
    case 1:
      return el('div', { class: 'action-row' }, ...inner());
    case 2:
      return buttonView(component, context);
    case 3:
    case 5:
      return selectView(component, context);
    case 9:
      return el(
        'div',
        { class: 'section' },
        el('div', { class: 'section-text' }, ...inner()),
        component.accessory && componentView(component.accessory, context),
      );
    case 10:
      return el('div', { class: 'said' }, ...markdownView(content, context.names));
    case 11:
      return media === undefined ? null : picture(media.url, 80, 'thumbnail');
    case 12:
      return el(
        'div',
        { class: 'gallery' },
        ...items.map((item) =>
          el('img', { src: pictureAddress(item.media.url), alt: item.description ?? description ?? '' }),
        ),
      );
    case 14:
      return el('hr', component.divider === false ? { class: 'bare' } : {});
    case 17:
      return containerView(component, context);
    default:
      return el('p', { class: 'subtext' }, `The sandbox does not show components of type ${type}.`);
  }
}

export const componentViews = (components: readonly APIMessageTopLevelComponent[], context: ComponentContext) =>
  (components as readonly Component[]).map((component) => componentView(component, context));
