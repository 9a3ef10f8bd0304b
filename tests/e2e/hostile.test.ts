import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { newVisitor, test, type Visitor } from '../support/browser.ts';
import { createSealedFolder, putContainer, type SealedFolder, sealedContainer } from '../support/crafted-containers.ts';
import { hostileFiles } from '../support/files/hostile-files.ts';
import { type CreatedFolder, createPlainFolder, type Person, runTus, signIn } from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** Malicious files (DESIGN §6): opened in any way, they run no script and send no request off the site. */

let site: Site;
let browser: Browser;
let owner: Person;
/** The address that the files try to call: every request that arrives is a leak. */
let trap: Server;
let trapUrl: string;
const trapped: string[] = [];

let visitor: Visitor;
/** Requests of the visitor's browser to other origins, and dialogs that a script opened. */
const escapes: string[] = [];
const dialogs: string[] = [];

function watch({ context }: Visitor): void {
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(site.url) && !/^(data|blob|about):/.test(url)) escapes.push(url);
  });
  context.on('dialog', async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
}

const hasRun = (page: Page) =>
  Promise.all(page.frames().map((frame) => frame.evaluate<boolean>('Boolean(globalThis.harm)')));

async function expectNoHarm(): Promise<void> {
  for (const page of visitor.context.pages()) expect(await hasRun(page)).not.toContain(true);
  expect(escapes).toEqual([]);
  expect(trapped).toEqual([]);
  expect(dialogs).toEqual([]);
}

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  trap = createServer((request, response) => {
    trapped.push(`${request.method} ${request.url}`);
    response.end('globalThis.harm = true');
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  owner = await signIn(site, 'mika');
});
beforeEach(async () => {
  visitor = await newVisitor(browser);
  watch(visitor);
});
afterAll(async () => {
  await new Promise((resolve) => trap.close(resolve));
});

/** Checks the trap and the watch themselves: otherwise their silence would prove nothing. */
test('a script that runs is noticed', async () => {
  const { page } = visitor;
  await page.goto(`${trapUrl}/`);
  await page.addScriptTag({ url: `${trapUrl}/script.js` });
  expect(await hasRun(page)).toEqual([true]);
  expect(trapped).toContain('GET /script.js');
  expect(escapes).toContain(`${trapUrl}/script.js`);
  await visitor.close();
  trapped.length = 0;
  escapes.length = 0;
});

/** Serves the page without Trusted Types, as for a browser that lacks them: the other defences must suffice. */
async function withoutTrustedTypes(route: Route): Promise<void> {
  const response = await route.fetch();
  const { 'content-security-policy': policy = '', ...headers } = response.headers();
  const rest = policy.split('; ').filter((directive) => !directive.includes('trusted-types'));
  expect(rest.length).toBe(policy.split('; ').length - 2);
  await route.fulfill({ response, headers: { ...headers, 'content-security-policy': rest.join('; ') } });
}

const addressOf = (path: string) =>
  `/storage/v1/object/public/unlocked-folders/${path.split('/').map(encodeURIComponent).join('/')}`;
const cards = (page: Page) => page.getByRole('grid', { name: 'Files' }).getByRole('gridcell');

/** Has every card in view, so that it is rendered. */
async function lookAtEverything(page: Page, count: number): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 3000 });
  await expect.poll(() => cards(page).count()).toBe(count);
  await expect
    .poll(() =>
      cards(page)
        .getByText(/^(API|Decrypting|Downloading)/)
        .count(),
    )
    .toBe(0);
  await expectNoHarm();
}

/** Opens every file in the viewer, one after the other. */
async function openEverything(page: Page, count: number): Promise<void> {
  await cards(page).first().getByRole('button').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let index = 1; index <= count; index++) {
    await dialog.getByText(`${index} / ${count}`).waitFor();
    // It is read, laid out and drawn, as far as it can be.
    await expect.poll(() => dialog.getByText('Loading', { exact: true }).count()).toBe(0);
    expect(await dialog.locator('iframe, embed, object, script, style, base, form').count()).toBe(0);
    expect(await dialog.locator('a:not([href^="http"]), img:not([src^="blob:"])').count()).toBe(0);
    await expectNoHarm();
    if (index < count) await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

describe('files of an encrypted folder', () => {
  test('do no harm as cards, in the viewer and as saved files', async () => {
    const folder: SealedFolder = await createSealedFolder(site, owner, '"><img src=x onerror=alert(1)>');
    const files = hostileFiles(trapUrl);
    for (const [index, file] of files.entries()) {
      const bytes = await sealedContainer(folder.keys, file);
      await putContainer(site, owner, { folder, name: `hostile-${index}`, bytes });
    }
    const { page } = visitor;
    await page.goto(folder.link);
    await page.getByRole('heading', { name: '"><img src=x onerror=alert(1)>' }).waitFor();
    await lookAtEverything(page, files.length);
    await page.getByText('in\ufffdvoice\ufffd.txt').first().waitFor();
    await openEverything(page, files.length);
    const buttons = await cards(page).getByRole('button', { name: 'Download' }).all();
    for (const [index, button] of buttons.entries()) {
      // Chromium drops what a page saves beyond ten files within a second.
      if (index % 9 === 8) await page.waitForTimeout(1100);
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      expect(await download.failure()).toBeNull();
      // No name escapes the download folder or hides its type.
      expect(download.suggestedFilename()).not.toMatch(/[/\\\u202e\u200b]|^\.+$/);
    }
    await expectNoHarm();
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  });
});

describe('files of a folder that is not encrypted', () => {
  let folder: CreatedFolder;
  let paths: string[];

  beforeAll(async () => {
    folder = await createPlainFolder(owner, 'Plain harm');
    paths = [];
    for (const [index, { name, type, content }] of hostileFiles(trapUrl).entries()) {
      const [, base, extension] = /^(.*?)(\.\w+)$/su.exec(name.replaceAll(/[/\\\p{Cc}]/gu, '')) ?? [];
      const path = `${folder.bucket_storage_path}/${base}${index}_1763750000000_abcdefgh${extension}`;
      const metadata = { bucketName: 'unlocked-folders', objectName: path, contentType: type, cacheControl: '3600' };
      const { error } = await runTus({ url: site.url, person: owner, path }, content, { metadata });
      // Refused: an invalid type, a name that reverses its extension, and a name with invisible characters.
      if (!type.includes('/') || /[\u202e\u200b]/.test(name)) expect(error?.originalResponse?.getStatus()).toBe(400);
      else expect(error).toBeNull();
      if (!error) paths.push(path);
    }
  });

  test('do no harm as cards', async () => {
    const { page } = visitor;
    await page.goto(`${site.url}/f/${folder.slug}`);
    await lookAtEverything(page, paths.length);
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  });

  test('are saved and never shown when their own address is opened', async () => {
    const { page } = visitor;
    await page.goto('about:blank');
    for (const path of paths) {
      const address = `${site.url}${addressOf(path)}`;
      const [download] = await Promise.all([page.waitForEvent('download'), page.goto(address).catch(() => undefined)]);
      expect(await download.failure()).toBeNull();
      expect(page.url()).toBe('about:blank');
    }
    await expectNoHarm();
    await visitor.close();
  });

  test.each([
    ['', false],
    [', nor in a browser that has no Trusted Types', true],
  ])('can’t be framed, run as a script or taken as a style by another page%s', async (_name, isOld) => {
    const { page } = visitor;
    visitor.allow(/ERR_BLOCKED|CORP|same-origin|MIME|nosniff|Refused|not executable|Content Security Policy|Trusted/i);
    if (isOld) await page.route(`${site.url}/`, withoutTrustedTypes);
    await page.goto(site.url);
    // The site's own origin would be the worst place to run them.
    const outcome = await page.evaluate(async (addresses) => {
      const loads = addresses.flatMap((address) =>
        ['script', 'iframe', 'object', 'embed'].map((tag) => {
          const element = document.createElement(tag);
          try {
            element.setAttribute(tag === 'object' ? 'data' : 'src', address);
          } catch {
            return `${tag} refused`;
          }
          document.body.append(element);
          return new Promise((resolve) => {
            element.addEventListener('load', () => resolve(`${tag} load`));
            element.addEventListener('error', () => resolve(`${tag} error`));
            setTimeout(() => resolve(`${tag} silent`), 300);
          });
        }),
      );
      return Promise.all(loads);
    }, paths.map(addressOf));
    expect(outcome).not.toContain('script load');
    expect(outcome.includes('script refused')).toBe(!isOld);
    await expectNoHarm();
    await visitor.close();
  });
});
