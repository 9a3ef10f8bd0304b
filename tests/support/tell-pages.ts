import { deadline } from '@satchel/contract/testing/pace';
import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import { openPages } from './browser.ts';

/** Prints what every open page shows when a test fails. A rare failure may not come a second time. */

/** A page that is navigating may never answer. */
const LOOK_MS = deadline(3);
const REQUESTS_MAX = 12;

/** Runs in the page: returns its address, the focused element and its last requests. */
const state = (requestsMax: number) => {
  const requests = performance
    .getEntriesByType('resource')
    .slice(-requestsMax)
    .map((entry) => {
      const { name, startTime, responseEnd, responseStatus } = entry as PerformanceResourceTiming;
      return `  ${Math.round(startTime)}–${Math.round(responseEnd)} ms: ${responseStatus} ${name}`;
    });
  const focused = document.activeElement?.outerHTML.split('>', 1)[0];
  return [`${location.href}, after ${Math.round(performance.now())} ms`, `focus: ${focused}`, ...requests].join('\n');
};

const within = (told: Promise<string>): Promise<string> =>
  Promise.race([
    told.catch((error: Error) => error.message),
    new Promise<string>((resolve) => setTimeout(resolve, LOOK_MS, 'no answer')),
  ]);

const lookAt = async (page: Page): Promise<string> => {
  const [facts, tree] = await Promise.all([
    within(page.evaluate(state, REQUESTS_MAX)),
    within(page.locator('body').ariaSnapshot({ timeout: LOOK_MS })),
  ]);
  return `${facts}\n${tree}`;
};

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const page of openPages()) process.stderr.write(`\n── open when “${task.name}” failed: ${await lookAt(page)}\n`);
});
