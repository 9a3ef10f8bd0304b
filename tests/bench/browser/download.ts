import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { BARE_PATH } from '../../support/browser.ts';
import { byTurns, type Row } from '../report.ts';
import { type Cost, costRows, MIB, onStage, SIZE_BYTES, type Stage, shaOf, upload, writeNoise } from './stage.ts';

/** Saving 1 GiB from a page: sealed, plain, and bare by a link. What was saved is compared by its SHA-256. */

async function save(page: Page, sha: string, measure: Stage['measure'], server: 'site' | 'bare', start: () => unknown) {
  let path = '';
  const cost = await measure(server, async () => {
    const started = performance.now();
    const [download] = await Promise.all([page.waitForEvent('download'), start()]);
    const failure = await download.failure();
    if (failure !== null) throw new Error(failure);
    const ms = performance.now() - started;
    path = await download.path();
    return ms;
  });
  if ((await shaOf(path)) !== sha) throw new Error('what was saved is another file');
  return cost;
}

/** Runs in the page. */
export function followLink(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = 'noise';
  link.click();
}

export function benchDownload(): Promise<Row[]> {
  return onStage(async (stage) => {
    const { bare, measure, inVisit } = stage;
    const path = join(stage.dir, 'noise');
    await writeNoise(path);
    const sha = await shaOf(path);

    /** Saves the file of a folder whose page a friend has opened. */
    const saving = (link: string) => (): Promise<Cost> =>
      inVisit(link, false, async ({ page }) => {
        const button = page.getByRole('gridcell').getByRole('button', { name: 'Download' });
        await button.waitFor();
        return save(page, sha, measure, 'site', () => button.click());
      });
    const saveBare = () =>
      inVisit(`${bare.url}/page`, false, ({ page }) =>
        save(page, sha, measure, 'bare', () => page.evaluate(followLink, `${bare.url}/noise`)),
      );

    return stage.inFolder({ name: 'Sealed' }, async (sealedPage, sealed) => {
      await upload(sealedPage, [path]);
      await sealedPage.goto(`${stage.site.url}${BARE_PATH}`);
      return stage.inFolder({ name: 'Plain', mode: 'plain' }, async (plainPage, plain) => {
        await upload(plainPage, [path]);
        await plainPage.goto(`${stage.site.url}${BARE_PATH}`);
        const costs = await byTurns({ bare: saveBare, sealed: saving(sealed.link()), plain: saving(plain.link()) });
        const name = `download of ${SIZE_BYTES / MIB} MiB`;
        const bound = { name: 'bare GET', costs: costs.bare };
        return [
          ...costRows(`sealed ${name}`, costs.sealed, bound, { seconds: 1.4, memoryMb: 100 }),
          ...costRows(`plain ${name}`, costs.plain, bound),
        ];
      });
    });
  });
}
