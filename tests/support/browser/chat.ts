import type { Locator, Page, Response } from 'playwright-core';
import { expect } from 'vitest';
import { lostClicks, wrongAnswers } from '../discord/sandbox-problems.ts';
import { createChatClient } from '../people/chat-client.ts';
import { ASKS_AGAIN } from '../people/lost-answers.ts';

/**
 * The sandbox's chat in a browser, for one person. Its labels: packages/discord-sandbox/src/chat/browser/main.ts. Where nodes
 * are killed on purpose, the person does again what got no answer, as Discord tells them, and never what got a wrong one.
 */

type Options = Readonly<Record<string, string | { readonly pick: string }>>;

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
  use(command: string, options?: Options): Promise<void>;
  /** Clicks a button of a message, which must be there until the click is answered. */
  press(message: Locator, button: string): Promise<void>;
  /** Sends an open form. */
  submit(form: Locator): Promise<void>;
}

const isPostTo = (ending: RegExp) => (response: Response) =>
  response.request().method() === 'POST' && ending.test(new URL(response.url()).pathname);

/** Opens the chat of a persona, in #general of the first server. */
export async function openChat(page: Page, sandboxUrl: string, persona: string): Promise<Chat> {
  await page.goto(`${sandboxUrl}/chat?as=${persona}`);
  const words = page.getByRole('textbox', { name: 'Message #general' });
  await words.waitFor();
  const messages = () => page.getByRole('log', { name: 'Messages in #general' }).getByRole('article');
  const client = createChatClient(sandboxUrl, persona);

  /** Does what the sandbox answers once the bot has answered it, or can't any more. */
  async function answered(ending: RegExp, act: () => Promise<void>): Promise<Response> {
    const [response] = await Promise.all([page.waitForResponse(isPostTo(ending)), act()]);
    return response;
  }

  async function pick(field: Locator, text: string): Promise<void> {
    await field.fill(text);
    const option = page.getByRole('option', { name: text }).first();
    if (ASKS_AGAIN) {
      const failed = page.getByText('Loading options failed', { exact: true });
      await option.or(failed).first().waitFor();
      if (await failed.isVisible()) {
        expect(await wrongAnswers(sandboxUrl)).toEqual([]);
        await field.fill('');
        return pick(field, text);
      }
    }
    await option.click();
  }

  async function type(command: string, options: Options): Promise<void> {
    await words.fill(`/${command}`);
    await page.getByRole('option', { name: new RegExp(`^/${command}\\b`) }).click();
    for (const [name, value] of Object.entries(options)) {
      const field = page.getByRole('group', { name: `/${command}` }).getByRole('combobox', { name, exact: true });
      if (typeof value === 'string') await field.fill(value);
      else await pick(field, value.pick);
    }
    await answered(/\/commands$/, () => page.getByRole('button', { name: 'Send' }).click());
  }

  async function use(command: string, options: Options = {}): Promise<void> {
    await type(command, options);
    if (!ASKS_AGAIN || !(await client.messages()).some(({ state }) => state === 'failed')) return;
    expect(await wrongAnswers(sandboxUrl)).toEqual([]);
    const failed = messages().filter({ hasText: 'The application did not respond' });
    await failed.getByRole('button', { name: 'Dismiss message' }).click();
    await failed.waitFor({ state: 'detached' });
    await use(command, options);
  }

  async function press(message: Locator, button: string): Promise<void> {
    const before = ASKS_AGAIN ? await lostClicks(sandboxUrl) : 0;
    await answered(/\/clicks$/, () => message.getByRole('button', { name: button }).click());
    if (!ASKS_AGAIN || (await lostClicks(sandboxUrl)) === before) return;
    await message.getByText('This interaction failed').waitFor();
    await press(message, button);
  }

  async function submit(form: Locator): Promise<void> {
    const response = await answered(/\/modals\//, () => form.getByRole('button', { name: 'Submit' }).click());
    if (!ASKS_AGAIN || response.ok()) return;
    expect(await wrongAnswers(sandboxUrl)).toEqual([]);
    await form.getByText('Something went wrong. Try again.').waitFor();
    await submit(form);
  }

  return {
    page,
    messages,
    message: (text) => messages().filter({ hasText: text }).last(),
    async say(text) {
      await words.fill(text);
      await words.press('Enter');
    },
    use,
    press,
    submit,
  };
}

/** Follows a link that opens in a tab of its own. */
export async function follow(link: Locator): Promise<Page> {
  const [tab] = await Promise.all([link.page().context().waitForEvent('page'), link.click()]);
  await tab.waitForLoadState('domcontentloaded');
  return tab;
}
