import { el, freshId } from './dom.ts';

/** A list of suggestions above what is being typed: the focus stays with the text, and the list says what is active. */

export interface ListItem {
  readonly label: string;
  readonly detail?: string;
  readonly mark?: Node;
  readonly onPick: () => void;
}

/** `owner` is the text box of the moment: it is told which item is active. */
export function createListbox(owner: () => HTMLElement | null) {
  const id = freshId();
  const heading = el('p', { class: 'suggestions-title', 'aria-hidden': 'true' });
  const list = el('div', { id, role: 'listbox', class: 'suggestions-list' });
  const hintLine = el('p', { class: 'suggestions-hint' });
  const element = el('div', { class: 'suggestions', hidden: true }, heading, list, hintLine);
  let items: readonly ListItem[] = [];
  let active = -1;

  // A press must not take the focus off the text before its click has picked.
  element.addEventListener('mousedown', (event) => event.preventDefault());

  function mark(position: number) {
    active = position;
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === active));
      if (index === active) option.scrollIntoView({ block: 'nearest' });
    }
    const activeId = list.children[active]?.id;
    if (activeId === undefined) owner()?.removeAttribute('aria-activedescendant');
    else owner()?.setAttribute('aria-activedescendant', activeId);
  }

  const optionView = ({ label, detail, mark: sign, onPick }: ListItem) =>
    el(
      'div',
      { id: freshId(), role: 'option', class: 'suggestion', 'aria-selected': 'false', onclick: onPick },
      sign,
      el('span', { class: 'suggestion-label' }, label),
      detail !== undefined && ' ',
      detail !== undefined && el('span', { class: 'suggestion-detail' }, detail),
    );

  function setOpen(isOpen: boolean) {
    element.hidden = !isOpen;
    if (owner()?.role === 'combobox') owner()?.setAttribute('aria-expanded', String(isOpen));
  }

  return {
    element,
    id,
    /** With nothing to show it is closed; a hint stands in for items that are not there. */
    show(title: string, next: readonly ListItem[], { active: position, hint = '' }: { active: number; hint?: string }) {
      items = next;
      heading.textContent = title;
      list.setAttribute('aria-label', title);
      list.replaceChildren(...items.map(optionView));
      hintLine.textContent = hint;
      hintLine.hidden = hint === '';
      setOpen(items.length > 0 || hint !== '');
      mark(items.length === 0 ? -1 : Math.min(position, items.length - 1));
    },
    close() {
      items = [];
      list.replaceChildren();
      mark(-1);
      setOpen(false);
    },
    isOpen: () => !element.hidden,
    move(by: 1 | -1) {
      if (items.length > 0)
        mark(active < 0 ? (by > 0 ? 0 : items.length - 1) : (active + by + items.length) % items.length);
    },
    /** Picks what is active. @returns false where nothing is */
    pick() {
      const item = items[active];
      item?.onPick();
      return item !== undefined;
    },
  };
}
