import { deadline } from '@satchel/contract/testing/pace';
import type { Browser, Locator, Page, Response } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { card, fullLinkOf, newVisitor, stillsStored, type Visitor, visit, withChosen } from '../support/browser.ts';
import { createChatClient } from '../support/discord.ts';
import { noisePng, randomBytesOf } from '../support/files.ts';
import { ASKS_AGAIN } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';

/** People who know Satchel only from a Discord channel. The tests are one story and run in order. */

/** What the sandbox says of the bot's answers. */

interface Problem {
  readonly what: string;
}

/** How the sandbox words a missing answer; 502 to 504 come from a balancer. */
const LOST =
  /: (the endpoint (could not be reached|answered with status 50[234])|there was no answer within \d+ ms)\.$/;

async function problemsOf(sandboxUrl: string): Promise<readonly Problem[]> {
  return (await (await fetch(`${sandboxUrl}/sandbox/problems`)).json()) as Problem[];
}

/** Answers that Discord would refuse. Answers lost with a node that was killed on purpose don't count. */
const wrongAnswers = async (sandboxUrl: string): Promise<readonly Problem[]> =>
  (await problemsOf(sandboxUrl)).filter(({ what }) => !(ASKS_AGAIN && LOST.test(what)));

/** How many clicks on messages got no answer so far. */
const lostClicks = async (sandboxUrl: string): Promise<number> =>
  (await problemsOf(sandboxUrl)).filter(({ what }) => what.startsWith('interaction of type 3: ') && LOST.test(what))
    .length;

/**
 * The sandbox's chat in a browser, for one person. Its labels: packages/discord-sandbox/src/chat/browser/main.ts. Where nodes
 * are killed on purpose, the person does again what got no answer, as Discord tells them, and never what got a wrong one.
 */

type Options = Readonly<Record<string, string | { readonly pick: string }>>;

interface Chat {
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
async function openChat(page: Page, sandboxUrl: string, persona: string): Promise<Chat> {
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

/** Follows a link that opens in its own tab. */
async function follow(link: Locator): Promise<Page> {
  const [tab] = await Promise.all([link.page().context().waitForEvent('page'), link.click()]);
  await tab.waitForLoadState('domcontentloaded');
  return tab;
}

const MIB = 1024 ** 2;
const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });
const PICTURE = file('harbour.png', 'image/png', noisePng(640, 480));
const ARCHIVE = file('save-games.bin', 'application/octet-stream', randomBytesOf(9 * MIB));
const NOTE = file('meeting-point.txt', 'text/plain', Buffer.from('At the old bridge, nine o’clock.'));
const FULL_LINK = /^http:\/\/127\.0\.0\.1:\d+\/f\/[A-Za-z0-9]{16}#k=[A-Za-z0-9_-]{43}$/;

const PERSONAS = ['mika', 'jonas', 'lena'] as const;
type Name = (typeof PERSONAS)[number];

let site: Site;
let browser: Browser;
let visitors: Record<Name, Visitor>;
let chats: Record<Name, Chat>;

test.beforeAll(async ({ chromium }) => {
  browser = chromium;
  site = await startSite({ hasBot: true });
  const [mika, jonas, lena] = await Promise.all(PERSONAS.map(() => newVisitor(browser)));
  visitors = { mika: mika!, jonas: jonas!, lena: lena! };
  const open = (name: Name) => openChat(visitors[name].page, site.sandboxUrl, name);
  chats = { mika: await open('mika'), jonas: await open('jonas'), lena: await open('lena') };
});
inOrder();
afterAll(async () => {
  await site.stop();
});

const shortLinkOf = (link: string) => link.replace(/[?#].*/, '');

async function createAndFill(tab: Page, files: readonly (typeof PICTURE)[]): Promise<string> {
  await tab.getByRole('button', { name: 'Create Folder' }).click();
  await tab.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  const areStored = stillsStored(tab, files.filter(({ mimeType }) => mimeType.startsWith('image/')).length);
  await withChosen(tab.getByLabel('Choose files'), files, async () => {
    await tab.getByRole('button', { name: /^Upload \d+ files?$/ }).click();
    await tab.getByText(`${files.length} completed`).waitFor();
    await areStored;
  });
  return fullLinkOf(tab);
}

/** What a killed node was about to tell, another one tells: at its next look, once the claim of a minute has ended. */
const TOLD = { timeout: deadline(120) };

/**
 * Jonas's view after Open on the card of a restricted folder. Cards use their poster's language, and the answer uses his.
 * Open of any other folder is a link.
 */
async function openRestricted(card: string | RegExp, folderName: string): Promise<Page> {
  const { message, press } = chats.jonas;
  await press(message(card), 'Open');
  return follow(message(`${folderName} öffnet sich`).getByRole('link', { name: 'Im Browser öffnen' }));
}

/** Mika's browser gives the server the key of a folder, where the bot has asked for it. */
async function postSoThatOpenWorks(question: Locator): Promise<void> {
  const tab = await follow(question.getByRole('link', { name: 'Post so that Open works' }));
  const asked = tab.getByRole('alertdialog', { name: 'Turn the Discord link on?' });
  await asked.getByText('Our server can read these files while this is on.').waitFor();
  await asked.getByText('Then your card is posted in Discord').waitFor();
  await asked.getByRole('button', { name: 'Turn On' }).click();
  await tab.getByText('The Discord link is on.').first().waitFor();
  await tab.close();
}

async function seesPicture(tab: Page): Promise<void> {
  await card(tab, PICTURE.name).locator('img').waitFor();
  await card(tab, PICTURE.name).getByRole('button', { name: PICTURE.name }).click();
  const picture = tab.getByRole('dialog', { name: PICTURE.name }).getByRole('img', { name: PICTURE.name });
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(640);
}

async function findsNothing(name: Name, link: string): Promise<void> {
  const { context } = visitors[name];
  visitors[name].allow(/status of 404/);
  const tab = await context.newPage();
  await visit(tab, link);
  await tab.getByRole('heading', { name: 'Folder Not Found' }).waitFor();
  await tab.close();
}

describe('from /upload to a friend who opens the file', () => {
  let link: string;
  let intentLink: string;

  test('/upload leads a new person to the sign-in, then to the filled-in form', async () => {
    const { use, message } = chats.mika;
    await use('upload', { folder: 'Harbour lights', expires: { pick: '1 hour' } });
    const reply = message('Harbour lights');
    await reply.getByText('Sign in there with this Discord account.').waitFor(TOLD);
    await reply.getByText('Only you can see this').waitFor();

    const button = reply.getByRole('link', { name: 'Make the folder' });
    intentLink = (await button.getAttribute('href')) ?? '';
    const tab = await follow(button);
    await tab.getByText('Use the Discord account that you typed /upload with.').waitFor();
    expect(tab.url()).toBe(`${site.url}/upload`);
    await tab.getByRole('button', { name: 'Continue with Discord' }).click();
    await tab.getByRole('radio', { name: /Mika/ }).check();
    await tab.getByRole('button', { name: 'Authorize' }).click();

    await expect.poll(() => tab.getByLabel('Folder name').inputValue()).toBe('Harbour lights');
    expect(await tab.getByLabel('Deletes itself after').inputValue()).toBe('1');
    link = await createAndFill(tab, [PICTURE, ARCHIVE]);
    await tab.close();
  });

  test('the reply lists the files, and only its person sees it', async () => {
    const reply = chats.mika.message('Harbour lights');
    await reply.getByText(/now holds 2 files, 9\.\d\d MB/).waitFor(TOLD);
    await reply.getByText('Only you can see this').waitFor();
    expect(await chats.mika.messages().count()).toBe(1);
    expect(await chats.jonas.messages().count()).toBe(0);
  });

  test('a second use of the link is refused, and nothing is lost', async () => {
    const tab = await visitors.mika.context.newPage();
    visitors.mika.allow(/status of 404/);
    await tab.goto(intentLink);
    await tab.getByText('This link from Discord is no longer valid').waitFor();
    await tab.getByLabel('Folder name').waitFor();
    await tab.close();
  });

  test('another person’s link says so, and stops there', async () => {
    await chats.lena.use('upload', { folder: 'Lena alone' });
    // The text is in her own language.
    const reply = chats.lena.message('Lena alone');
    const theirs = await reply.getByRole('link').getAttribute('href');
    await reply.getByRole('button', { name: 'Dismiss message' }).click();
    visitors.mika.allow(/status of 403/);
    const tab = await visitors.mika.context.newPage();
    await tab.goto(theirs ?? '');
    await tab.getByRole('heading', { name: 'Made for another Discord account' }).waitFor();
    await tab.getByRole('button', { name: 'Sign out and use the other one' }).waitFor();
    await tab.getByRole('button', { name: 'Continue with this account' }).click();
    expect(await tab.getByLabel('Folder name').inputValue()).toBe('');
    await tab.close();
  });

  test('Share asks once whether the server may hold the key, and then posts the card; a friend’s Open shows the files', async () => {
    const { message, press } = chats.mika;
    await press(message('now holds 2 files'), 'Share');
    const question = message('Harbour lights opens only with its full link');
    await question.getByText('Only you can see this').waitFor(TOLD);
    expect(await chats.jonas.messages().count()).toBe(0);
    await postSoThatOpenWorks(question);
    await message('is shared, and gone').getByText('Only you can see this').waitFor(TOLD);
    const tab = await follow(chats.jonas.message('Shared by').getByRole('link', { name: 'Open' }));
    await card(tab, ARCHIVE.name).waitFor();
    await seesPicture(tab);
    await tab.close();
    expect(await chats.lena.messages().filter({ hasText: 'navigateur' }).count()).toBe(0);
  });

  test('the owner extends it on the receipt', async () => {
    const { page, message, press, submit } = chats.mika;
    const receipt = message('is shared, and gone');
    await receipt.getByText(/gone in (1 hour|\d+ minutes)/).waitFor(TOLD);
    await press(receipt, 'Extend');
    const form = page.getByRole('dialog', { name: 'Extend' });
    await form.waitFor();
    // The dialog covers only Mika's pane: the other pane keeps working.
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByRole('group', { name: 'Who joins' }).getByRole('button', { name: 'Jonas' }).click();
    const beside = page.getByRole('region', { name: 'Jonas' });
    await beside.getByRole('textbox', { name: 'Message #general' }).fill('Beside her');
    await beside.getByRole('button', { name: 'Close Jonas' }).click();
    // A form whose answer was lost with its node; the person sends it again.
    if (ASKS_AGAIN) visitors.mika.allow(/status of 400 .*\/modals\//);
    await form.getByLabel('Hours from now').fill('12');
    await submit(form);
    await receipt.getByText(/in 12 hours/).waitFor(TOLD);
  });

  test('a member reports the card; the server’s owner takes it down for everyone', async () => {
    const { page, message, press, submit } = chats.jonas;
    if (ASKS_AGAIN) visitors.jonas.allow(/status of 400 .*\/modals\//);
    await press(message('Shared by'), 'Report');
    const form = page.getByRole('dialog', { name: 'Melden' });
    await form.getByLabel('Sag den Betreibern, was nicht in Ordnung ist').fill('Nicht ihres');
    await submit(form);
    await message('Danke. Deine Meldung').getByText('Only you can see this').waitFor(TOLD);
    await chats.mika.press(chats.mika.message('Shared by'), 'Report');
    const takeDown = chats.mika.page.getByRole('dialog', { name: 'Take down here' });
    await takeDown.waitFor();
    await chats.mika.submit(takeDown);
    const over = message('Taken down here by @Mika');
    await over.waitFor(TOLD);
    expect(await over.getByRole('link', { name: 'Open' }).count()).toBe(0);
  });

  test('/list finds it; deleted after a question, its link says Folder Not Found', async () => {
    const { use, message, press } = chats.mika;
    await use('list');
    const list = message('Your folders');
    await list.getByText('Harbour lights').first().waitFor(TOLD);
    await press(list, 'Delete');
    const question = message('Delete Harbour lights');
    await press(question, 'Delete');
    await message('Harbour lights is deleted').waitFor(TOLD);
    await findsNothing('jonas', link);
  });
});

describe('a private folder', () => {
  let link: string;

  test('a person known to the bot gets a filled-in form', async () => {
    // The last folder had a Discord link: the option says otherwise.
    await chats.mika.use('upload', { folder: 'Bridge walk', who_opens: { pick: 'Anyone with my full link' } });
    const tab = await follow(chats.mika.message('Bridge walk').getByRole('link', { name: 'Make the folder' }));
    await expect.poll(() => tab.getByLabel('Folder name').inputValue()).toBe('Bridge walk');
    link = await createAndFill(tab, [NOTE]);
    expect(link).toMatch(FULL_LINK);
    await tab.close();
    await chats.mika.message('Bridge walk').getByText('now holds 1 file').waitFor(TOLD);
  });

  test('without a card: the owner’s browser copies the full link, which opens the folder for a friend', async () => {
    const { use, message, press } = chats.mika;
    await use('share', { folder: { pick: 'Bridge walk' } });
    await press(message('Bridge walk opens only with its full link'), 'Copy full link');
    const tab = await follow(message('copy it in your browser').getByRole('link', { name: 'Copy full link' }));
    expect(await chats.jonas.messages().filter({ hasText: 'Bridge walk' }).count()).toBe(0);
    const sheet = tab.getByRole('dialog', { name: /^Share / });
    await sheet.getByText('This link contains the key.').waitFor();
    await sheet.getByRole('button', { name: /^(Copy|✓ Copied!)$/ }).click();
    await expect.poll(() => tab.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await tab.close();
    const friend = await visitors.jonas.context.newPage();
    await visit(friend, link);
    await card(friend, NOTE.name).waitFor();
    await friend.close();
  });

  test('a posted link gets a card without name and key', async () => {
    await chats.mika.say(`Look: ${link}`);
    const said = chats.jonas.message('Look: ');
    const preview = said.getByRole('group');
    await preview.waitFor();
    expect(await preview.innerText()).not.toMatch(/Bridge|#k=|meeting/);
  });

  test('/share with a person lets in that person alone', async () => {
    await chats.mika.use('share', {
      folder: { pick: 'Bridge walk' },
      with: { pick: 'Jonas' },
      members_only: { pick: 'True' },
    });
    await postSoThatOpenWorks(chats.mika.message('copy it in your browser'));
    await chats.lena.message('Lets in').waitFor(TOLD);
    await chats.lena.press(chats.lena.message('Lets in'), 'Open');
    await chats.lena.message('Cette carte est pour quelqu’un d’autre').getByText('Only you can see this').waitFor(TOLD);
    await findsNothing('lena', shortLinkOf(link));
    await findsNothing('lena', link);

    const tab = await openRestricted('Lets in', 'Bridge walk');
    await tab.getByRole('heading', { name: 'Bridge walk' }).waitFor();
    await card(tab, NOTE.name).waitFor();
    await tab.close();
  });

  test('revoked on the receipt, after a confirmation, it opens for no one', async () => {
    const { message, press } = chats.mika;
    await press(message('gets in with Open'), 'Revoke');
    await press(message('Revoke the link of'), 'Revoke');
    await message('is revoked: it opens no files').waitFor(TOLD);
    await findsNothing('jonas', link);
    await chats.jonas.press(chats.jonas.message('Lets in'), 'Open');
    await chats.jonas.message('This card lets no one in any more').waitFor(TOLD);
  });
});

test('the bot sent nothing that Discord would not accept, and no browser reported an error', async () => {
  expect(await wrongAnswers(site.sandboxUrl)).toEqual([]);
  expect(PERSONAS.flatMap((name) => visitors[name].problems())).toEqual([]);
});
