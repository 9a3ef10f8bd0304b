import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** ASCII halves its size on the way to the page: a few other characters would take two bytes for each. */
const escaped = (source: string): string =>
  source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
let axe: Promise<string> | undefined;

/**
 * Runs in the page: what passed is many times as long, and stays there. Below a modal dialog the page is dimmed, and axe finds no
 * contrast of what is covered. Of what is loaded before its rules run, they use media alone.
 */
const RUN = `(() => {
  const isCovered = document.querySelector("main[aria-hidden=true], [aria-hidden=true] main") !== null;
  const selector = isCovered ? ":not([aria-hidden=true] *)" : "*";
  axe.configure({ rules: [{ id: "color-contrast", selector }] });
  return axe.run(document, { resultTypes: ["violations"], preload: { assets: ["media"] } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")));
})()`;

/** Finishes all animations that have an end, because text has too little contrast while it fades in. */
const stillness = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const isEnding = (animation: Animation) =>
      animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
    const moving = document.getAnimations().filter(isEnding);
    for (const animation of moving) animation.finish();
    await Promise.allSettled(moving.map((animation) => animation.finished));
  });

/**
 * axe-core's violations on the page in its present state, a line each.
 * The script is injected through the debugger, because the page's Content-Security-Policy does not apply there.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  axe ??= readFile(AXE, 'utf8').then(escaped);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axe);
  await stillness(page);
  return (await page.evaluate(RUN)) as string[];
}
