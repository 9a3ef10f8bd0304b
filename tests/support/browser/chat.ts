import type { Locator, Page } from 'playwright-core';

/** The sandbox's chat in a browser, for one person. Its labels: packages/discord-sandbox/src/chat/browser/main.ts. */

export interface Chat {
  readonly page: Page;
  /** The last message with this text; replies change, and older ones stay. */
  message(text: string | RegExp): Locator;
  messages(): Locator;
  say(text: string): Promise<void>;
  /**
   * Types a command with its options and sends it.
   * @param options by name; for one with suggestions, the text to find the suggestion by
   */
  use(command: string, options?: Readonly<Record<string, string | { readonly pick: string }>>): Promise<void>;
}

/** Opens the chat of a persona, in #general of the first server. */
export async function openChat(page: Page, sandboxUrl: string, persona: string): Promise<Chat> {
  await page.goto(`${sandboxUrl}/chat?as=${persona}`);
  const words = page.getByRole('textbox', { name: 'Message #general' });
  await words.waitFor();
  const messages = () => page.getByRole('log', { name: 'Messages in #general' }).getByRole('article');

  return {
    page,
    messages,
    message: (text) => messages().filter({ hasText: text }).last(),
    async say(text) {
      await words.fill(text);
      await words.press('Enter');
    },
    async use(command, options = {}) {
      await words.fill(`/${command}`);
      await page.getByRole('option', { name: new RegExp(`^/${command}\\b`) }).click();
      for (const [name, value] of Object.entries(options)) {
        const field = page.getByRole('group', { name: `/${command}` }).getByRole('combobox', { name, exact: true });
        await field.fill(typeof value === 'string' ? value : value.pick);
        if (typeof value !== 'string') await page.getByRole('option', { name: value.pick }).first().click();
      }
      await page.getByRole('button', { name: 'Send' }).click();
    },
  };
}

/** Follows a link that opens in a tab of its own. */
export async function follow(link: Locator): Promise<Page> {
  const [tab] = await Promise.all([link.page().context().waitForEvent('page'), link.click()]);
  await tab.waitForLoadState('domcontentloaded');
  return tab;
}
