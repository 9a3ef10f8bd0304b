import type { Page } from 'playwright-core';

/** Nobody sees less. */
export const LAYOUT_SHIFT_MAX = 0.02;

/** A session of shifts ends after a second without one, and after five seconds (https://web.dev/articles/cls). */
const [PAUSE_MS, SESSION_MS] = [1000, 5000];

/**
 * A page's Cumulative Layout Shift: that of its worst session. Chromium keeps the first 150 shifts for who asks only now.
 * @param sinceMs on the page's clock
 */
export const shiftOf = (page: Page, sinceMs = 0): Promise<number> =>
  page.evaluate(
    ([pauseMs, sessionMs, fromMs]) =>
      new Promise<number>((resolve) => {
        let [worst, sum, first, last] = [0, 0, -Infinity, -Infinity];
        new PerformanceObserver((entries) => {
          for (const { value, startTime, hadRecentInput } of entries.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[]) {
            if (hadRecentInput || startTime < fromMs) continue;
            if (startTime - last > pauseMs || startTime - first > sessionMs) [sum, first] = [0, startTime];
            last = startTime;
            sum += value;
            worst = Math.max(worst, sum);
          }
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer reports earlier entries in its own task, and a frame's entries once that is over.
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => resolve(worst))));
      }),
    [PAUSE_MS, SESSION_MS, sinceMs] as const,
  );
