/** The specification's texts, word by word, in the states where they belong; with a browser (tests/e2e) and without. */

/** A text of the specification, and its wording on the page if that differs, with its figures filled in. */
export type Specified = string | readonly [specified: string, shown: string | RegExp];

/** A state of the app, and its texts. */
export interface State<Where> {
  readonly name: string;
  readonly texts: readonly Specified[];
  /** Reaches the state; returns the page, or the part of it that has the texts. */
  readonly reach: () => Promise<Where>;
}

export const specifiedOf = (text: Specified): string => (typeof text === 'string' ? text : text[0]);

export interface Wanted {
  readonly text: string;
  readonly isPattern: boolean;
}

export const wantedOf = (texts: readonly Specified[]): Wanted[] =>
  texts
    .map((text) => (typeof text === 'string' ? text : text[1]))
    .map((text) => {
      const isPattern = text instanceof RegExp;
      return { text: isPattern ? text.source : text, isPattern };
    });

/**
 * Runs in the page. A text is there if an element, a text node or a label equals it, visible or read out.
 * @returns the missing texts
 */
export function missingBelow(top: Element, wanted: readonly Wanted[]): string[] {
  const plain = (text: string | null | undefined) => text?.replace(/\s+/g, ' ').trim() ?? '';
  const found = new Set<string>();
  for (const element of [top, ...top.querySelectorAll('*')]) {
    if (element.closest('script, style, [hidden]') || !element.checkVisibility({ visibilityProperty: true })) continue;
    found.add(plain(element.textContent));
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.add(plain(node.textContent));
    for (const name of ['aria-label', 'placeholder', 'title']) found.add(plain(element.getAttribute(name)));
  }
  const isThere = ({ text, isPattern }: Wanted) =>
    isPattern ? [...found].some((one) => new RegExp(text).test(one)) : found.has(text);
  return wanted.filter((one) => !isThere(one)).map(({ text }) => text);
}
