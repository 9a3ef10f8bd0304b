/** Elements, made by hand: text goes in as text nodes, never as markup. */

type Attribute = string | number | boolean | undefined | ((event: never) => void);
export type Child = Node | string | null | undefined | false | readonly Child[];

/** `onclick` and its like take listeners; true makes an attribute without a value, false and undefined make none. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (element instanceof HTMLButtonElement) element.type = 'button';
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  fill(element, children);
  return element;
}

export function fill(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (typeof child === 'string' || child instanceof Node) parent.append(child);
    else fill(parent, child);
  }
}

const SVG = 'http://www.w3.org/2000/svg';

const shapes = {
  hash: 'M5 9h14M5 15h14M10 4 8 20M16 4l-2 16',
  at: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm4-8v5.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Zm9.5 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  cross: 'm6 6 12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  gear: 'M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm-7 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  send: 'M4 12 20 4l-5.5 16-3-6.5L4 12Zm7.5 1.5L20 4',
  out: 'M14 5h5v5m0-5-8 8M17 14v4a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 5 18V9a1.5 1.5 0 0 1 1.5-1.5H10',
  warning: 'M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.6v.1',
} as const;
export type IconName = keyof typeof shapes;

/** Never the only sign of something: a word stands beside it, or it is a button's with a name. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'icon');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', shapes[name]);
  svg.append(path);
  return svg;
}

/** A button that shows a picture; its name is read out, and shown on pointing. */
export const iconButton = (name: string, shape: IconName, onclick: () => void) =>
  el('button', { class: 'icon-button', 'aria-label': name, title: name, onclick }, icon(shape));

let lastId = 0;
/** For what refers to each other by id. */
export function freshId(): string {
  lastId += 1;
  return `n${lastId}`;
}

/** Pictures come from the sandbox itself, or through it. */
export function pictureAddress(address: string): string {
  const url = new URL(address, location.href);
  return url.origin === location.origin ? url.href : `/chat/media?url=${encodeURIComponent(url.href)}`;
}

export const picture = (address: string, sizePx: number, className = 'avatar') =>
  el('img', { src: pictureAddress(address), alt: '', class: className, width: sizePx, height: sizePx });
