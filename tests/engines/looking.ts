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
