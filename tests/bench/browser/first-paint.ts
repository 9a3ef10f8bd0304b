import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { byTurns, type Row } from '../report.ts';
import { onStage, type Stage } from './stage.ts';

/**
 * When a first visit paints the landing page, on a CPU a quarter as fast; beside a bare page with a line of text from the same
 * browser. The bare page says what the machine and the browser take by themselves.
 */

const CPU_SLOWER = 4;
const BARE_PAGE = 'paint';

async function paintMs({ browser }: Stage, url: string): Promise<number> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWER });
    await page.goto(url);
    return await page.evaluate(firstPaintMs);
  } finally {
    await context.close();
  }
}

/** Runs in the page. */
function firstPaintMs(): Promise<number> {
  return new Promise((resolve) => {
    const observer = new PerformanceObserver((entries) => {
      for (const { name, startTime } of entries.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
    });
    observer.observe({ type: 'paint', buffered: true });
  });
}

export function benchFirstPaint(): Promise<Row[]> {
  return onStage(async (stage) => {
    await writeFile(join(stage.dir, BARE_PAGE), '<!doctype html><title>bare</title><p>A line of text');
    const { bare, site } = await byTurns({
      bare: () => paintMs(stage, `${stage.bare.url}/${BARE_PAGE}`),
      site: () => paintMs(stage, stage.site.url),
    });
    const bound = { name: 'a bare page', measured: bare, atMost: 6 };
    return [
      { name: 'first paint of the landing page, CPU a quarter as fast', unit: 'ms', measured: site, bounds: [bound] },
    ];
  });
}
