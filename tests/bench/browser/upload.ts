import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { withoutSocket } from '../../support/browser.ts';
import { byTurns, type Row } from '../report.ts';
import { type Cost, costRows, MIB, onStage, putBare, SIZE_BYTES, type Stage, upload, writeNoise } from './stage.ts';

/** Sending 1 GiB from a page: sealed over the socket, sealed by tus, plain over the socket, and bare by one PUT. */

/** With a worker that has no WebSocket. Once its script is there, nothing listens to requests any more. */
async function uploadByTus(page: Page, paths: readonly string[]): Promise<number> {
  const changed = await withoutSocket(page.context(), 1);
  const ms = await upload(page, paths);
  if (changed() !== 1) throw new Error('the worker had its WebSocket');
  return ms;
}

/**
 * Other services, each at the address that a variable names (docs/performance.md has the steps). Their pages choose a file by an
 * input, begin by a button "Upload", and show an element when all is there.
 */
const OTHERS = [
  { name: 'PsiTransfer', url: process.env.PSITRANSFER_URL, done: 'h3.text-success' },
  { name: 'SkySend', url: process.env.SKYSEND_URL, done: '#share-link' },
];

async function uploadElsewhere(page: Page, path: string, done: string): Promise<number> {
  await page.locator('input[type=file]').first().setInputFiles(path);
  await page.getByRole('button', { name: /^upload$/i }).waitFor();
  return page.evaluate(pressAndWait, done);
}

/** Runs in the page. */
function pressAndWait(done: string): Promise<number> {
  return new Promise((resolve) => {
    const started = performance.now();
    const observer = new MutationObserver(() => {
      const shown = document.querySelector<HTMLElement>(done);
      if (!shown?.offsetParent) return;
      observer.disconnect();
      resolve(performance.now() - started);
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    const buttons = [...document.querySelectorAll('button')];
    buttons.find(({ textContent }) => /^\s*upload\s*$/i.test(textContent ?? ''))?.click();
  });
}

const waysOf = (stage: Stage, path: string): Record<string, () => Promise<Cost>> => {
  const sending = (send: (page: Page, paths: readonly string[]) => Promise<number>, mode: 'private' | 'plain') => () =>
    stage.inFolder({ name: 'Bench', mode }, (page) => stage.measure('site', () => send(page, [path])));
  const elsewhere: Record<string, () => Promise<Cost>> = {};
  for (const { name, url, done } of OTHERS)
    if (url)
      elsewhere[name] = () =>
        stage.inVisit(url, false, ({ page }) => stage.measure(null, () => uploadElsewhere(page, path, done)));
  return {
    bare: (): Promise<Cost> =>
      stage.inVisit(`${stage.bare.url}/page`, false, ({ page }) => stage.measure('bare', () => putBare(page, [path]))),
    socket: sending(upload, 'private'),
    tus: sending(uploadByTus, 'private'),
    plain: sending(upload, 'plain'),
    ...elsewhere,
  };
};

export function benchUpload(): Promise<Row[]> {
  return onStage(async (stage) => {
    const path = join(stage.dir, 'noise');
    await writeNoise(path);
    const { bare = [], socket = [], tus = [], plain = [], ...others } = await byTurns(waysOf(stage, path));
    const name = `upload of ${SIZE_BYTES / MIB} MiB`;
    const bound = { name: 'bare PUT', costs: bare };
    return [
      ...costRows(`sealed ${name}, socket`, socket, bound, { seconds: 1.25, serverCpu: 1, memoryMb: 100 }),
      ...costRows(`sealed ${name}, tus`, tus, bound),
      ...costRows(`plain ${name}, socket`, plain, bound),
      ...Object.entries(others).flatMap(([other, costs]) => costRows(`${other}: ${name}`, costs, bound)),
    ];
  });
}
