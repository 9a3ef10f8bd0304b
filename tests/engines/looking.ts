import type { Tab } from '../support/engines/tab.ts';

/** A file's card. */
export const card = (page: Tab, name: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: name });

/** Opens a file in the viewer, whose dialog has its name. */
export async function look(page: Tab, name: string) {
  await card(page, name).getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  return {
    dialog,
    async close() {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
  };
}

/** Runs in the page: plays from a place; resolves once the film went on from there. */
export async function playFrom(element: SVGElement | HTMLElement, seconds: number): Promise<void> {
  const player = element as HTMLVideoElement;
  player.muted = true;
  await new Promise<void>((resolve, reject) => {
    player.addEventListener('error', () => reject(new Error(player.error?.message)), { once: true });
    player.addEventListener('timeupdate', () => player.currentTime > seconds + 0.3 && !player.seeking && resolve());
    if (seconds > 0) player.currentTime = seconds;
    player.play().catch(reject);
  });
}
