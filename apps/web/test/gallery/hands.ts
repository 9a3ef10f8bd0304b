/** What a person does on the page of a state. Each act waits for what it needs, for as long as the test lets it. */

const CONTROLS = 'button, a, summary, input, textarea, [role=tab], [role=switch], [role=radio], [role=checkbox]';

/** What is waited for: a test that ends before it comes says so. */
let awaited = 'its page';
export const whatIsAwaited = (): string => awaited;

/** @returns the first that is there, as soon as it is */
function until<T>(what: string, find: () => T | null | undefined): Promise<T> {
  awaited = what;
  const first = find();
  if (first) return Promise.resolve(first);
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const found = find();
      if (!found) return;
      watch.disconnect();
      resolve(found);
    });
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

type Wanted = string | RegExp;
const fits = (wanted: Wanted, text: string): boolean =>
  typeof wanted === 'string' ? text === wanted : wanted.test(text);
const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });
const plain = (text: string | null | undefined): string => text?.replace(/\s+/g, ' ').trim() ?? '';

function nameOf(element: Element): string {
  const [label] = (element as HTMLInputElement).labels ?? [];
  return plain(element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent);
}

/** An open dialog covers all else. */
const scope = (): ParentNode => [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1) ?? document;

const control = (name: Wanted, within?: string): Promise<HTMLElement> =>
  until(`the control ${name}`, () => {
    const places = within === undefined ? [scope()] : [...document.querySelectorAll(within)];
    const all = places.flatMap((place) => [...place.querySelectorAll<HTMLElement>(CONTROLS)]);
    return all.find(
      (element) =>
        fits(name, nameOf(element)) && !element.matches(':disabled') && (element.matches('input') || isSeen(element)),
    );
  });

const findText = (text: Wanted): Element | null => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode() as Element | null; node; node = walker.nextNode() as Element | null) {
    const hasText = [...node.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE);
    if (hasText && fits(text, plain(node.textContent)) && isSeen(node)) return node;
  }
  return null;
};
/** Waits for a text of the page, whole or by a pattern. */
const shown = (text: Wanted): Promise<unknown> => until(`the text ${text}`, () => findText(text));
const gone = (text: Wanted): Promise<unknown> => until(`the end of the text ${text}`, () => findText(text) === null);
const seen = (selector: string): Promise<unknown> =>
  until(selector, () => [...document.querySelectorAll(selector)].find(isSeen));

/** Waits for what is named, such as a dialog or a region. */
const named = (selector: string, name: Wanted): Promise<unknown> =>
  until(`${selector} ${name}`, () =>
    [...document.querySelectorAll(selector)].find((element) => {
      const heading = document.getElementById(element.getAttribute('aria-labelledby') ?? '');
      return fits(name, plain(element.getAttribute('aria-label') ?? heading?.textContent)) && isSeen(element);
    }),
  );
const dialog = (name: Wanted): Promise<unknown> => named('[role=dialog], [role=alertdialog]', name);
const region = (name: Wanted): Promise<unknown> => named('[role=region], section', name);

async function focus(name: Wanted): Promise<void> {
  (await control(name)).focus();
}

async function press(name: Wanted, within?: string): Promise<void> {
  const found = await control(name, within);
  found.focus();
  found.click();
}

/** Types into a field, in the place of what is there. */
async function type(name: Wanted, text: string, within?: string): Promise<void> {
  const field = (await control(name, within)) as HTMLInputElement;
  field.focus();
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!;
  set!.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

async function key(name: string): Promise<void> {
  const at = document.activeElement ?? document.body;
  at.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
}

const dataOf = (files: readonly File[]): DataTransfer => {
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  return data;
};

async function choose(...files: File[]): Promise<void> {
  const field = await until('the place for files', () => document.querySelector<HTMLInputElement>('input[type=file]'));
  field.files = dataOf(files).files;
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

async function drag(kind: 'dragenter' | 'dragover', dataTransfer: DataTransfer): Promise<void> {
  document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
}

/** As without a network. */
function loseLine(): void {
  Object.defineProperty(navigator, 'onLine', { value: false });
  dispatchEvent(new Event('offline'));
}

export const hands = {
  press,
  focus,
  type,
  key,
  choose,
  drag,
  loseLine,
  shown,
  gone,
  seen,
  dialog,
  region,
  until,
  dataOf,
};
export type Hands = typeof hands;
