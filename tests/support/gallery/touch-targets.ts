import type { Page } from 'playwright-core';

/** What a finger hits: at least 40 px in both directions, by the element itself, its label or a part laid over it. */
const LEAST_PX = 40;

/**
 * Targets on a phone's screen that are smaller, a line each. Links within a sentence are as high as their line, as WCAG 2.5.8
 * allows: "The target is in a sentence or its size is otherwise constrained by the line-height of non-target text".
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((leastPx) => {
    const TARGETS =
      'a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=switch], [role=checkbox], [role=radio]';
    const isInSentence = (element: Element): boolean => {
      if (element.tagName !== 'A' || getComputedStyle(element).display !== 'inline') return false;
      const around = element.closest('p, li, td, dd, label')?.textContent?.trim() ?? '';
      return around.length > (element.textContent?.trim().length ?? 0);
    };
    /** A hidden field is hit by its label. */
    const hitBy = (element: Element): Element => element.closest('label') ?? element;
    /** Labels around a field, and labels that name it. */
    const labelsOf = (element: Element): Element[] => [...((element as HTMLInputElement).labels ?? [])];
    const isHit = (target: Element, x: number, y: number): boolean => {
      const there = document.elementFromPoint(x, y);
      return there !== null && [target, ...labelsOf(target)].some((part) => part.contains(there));
    };
    /** The element may be smaller than what is laid over it to be hit. */
    const isHitAround = (target: Element): boolean => {
      target.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const { left, top, width, height } = target.getBoundingClientRect();
      const reachX = Math.max(width, leastPx) / 2 - 1;
      const reachY = Math.max(height, leastPx) / 2 - 1;
      const [x, y] = [left + width / 2, top + height / 2];
      return [
        [x - reachX, y],
        [x + reachX, y],
        [x, y - reachY],
        [x, y + reachY],
      ].every(([atX, atY]) => isHit(target, atX ?? 0, atY ?? 0));
    };
    // What an open dialog covers can't be hit at all.
    const scope = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1) ?? document;
    const [scrollX, scrollY] = [window.scrollX, window.scrollY];
    const panes = [...document.querySelectorAll('*')];
    const scrolled = panes.map((pane) => [pane, pane.scrollLeft, pane.scrollTop] as const);
    const small = [...scope.querySelectorAll(TARGETS)].flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('[aria-hidden=true], [inert]'))
        return [];
      const target = hitBy(element);
      const { width, height } = target.getBoundingClientRect();
      // Said to screen readers alone.
      if (width <= 1 || height <= 1 || isInSentence(element)) return [];
      if ((width >= leastPx - 0.5 && height >= leastPx - 0.5) || isHitAround(target)) return [];
      const name = element.getAttribute('aria-label') ?? (labelsOf(element)[0] ?? element).textContent?.trim() ?? '';
      return [
        `${Math.round(width)} × ${Math.round(height)} px to touch: ${element.tagName.toLowerCase()} “${name.slice(0, 40)}”`,
      ];
    });
    for (const [pane, left, top] of scrolled) {
      if (pane.scrollLeft !== left || pane.scrollTop !== top) pane.scrollTo({ left, top, behavior: 'instant' });
    }
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    return [...new Set(small)];
  }, LEAST_PX);
}
