import type { Page } from 'playwright-core';

/** What a page may jump in all, as Cumulative Layout Shift counts it: nobody sees less. */
export const LAYOUT_SHIFT_MAX = 0.02;

/** The sum of a page's layout shifts since its navigation. Chromium keeps the first 150 for who asks only now. */
export const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((entries) => {
          for (const entry of entries.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
            if (!entry.hadRecentInput) sum += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer reports earlier entries in its own task, and a frame's entries once that is over.
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => resolve(sum))));
      }),
  );
