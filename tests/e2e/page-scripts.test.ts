import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { authorize, card, makeFolder, newVisitor, PASSPHRASE, type Visitor } from '../support/browser.ts';
import { noisePng } from '../support/files.ts';
import { test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';

async function withPassphrase(form: Page): Promise<void> {
  await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Passphrase again').fill(PASSPHRASE);
}

/** Trusted Types (docs/security.md): nowhere in the page does text become markup or a script's address. */

const WEB = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'apps/web');
const VITE = join(dirname(createRequire(join(WEB, 'package.json')).resolve('vite/package.json')), 'bin', 'vite.js');

declare global {
  var violations: string[] | undefined;
}

/** A visitor whose pages record each violation of their policy. */
async function newWatchedVisitor(browser: Browser): Promise<Visitor> {
  const visitor = await newVisitor(browser);
  await visitor.context.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, sourceFile, sample }) =>
      globalThis.violations?.push(`${violatedDirective} ${sourceFile} ${sample}`),
    );
  });
  return visitor;
}

async function expectNoBreach({ page, problems }: Visitor): Promise<void> {
  expect(await page.evaluate(() => globalThis.violations)).toEqual([]);
  expect(problems()).toEqual([]);
}

/** Outcome of each way from text to markup or code; "done" if the way is open. */
const tryEveryWay = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(async () => {
    const scripts = document.createElement('script');
    const ways: Record<string, () => unknown> = {
      markup: () => {
        document.createElement('p').innerHTML = '<img src=x onerror=alert(1)>';
      },
      insertion: () => document.createElement('p').insertAdjacentHTML('beforeend', '<img src=x>'),
      document: () => new DOMParser().parseFromString('<p>', 'text/html'),
      frame: () => {
        document.createElement('iframe').srcdoc = '<p>';
      },
      script: () => {
        scripts.src = '/assets/other.js';
      },
      code: () => {
        scripts.text = 'alert(1)';
      },
      worker: () => new Worker('/sw.js?other'),
      'service worker': () => navigator.serviceWorker.register('/sw.js?other'),
      policy: () =>
        (
          globalThis as unknown as { trustedTypes: { createPolicy: (name: string, rules: object) => unknown } }
        ).trustedTypes.createPolicy('default', { createHTML: (text: string) => text }),
    };
    const results: Record<string, string> = {};
    for (const [name, attempt] of Object.entries(ways)) {
      try {
        await attempt();
        results[name] = 'done';
      } catch (error) {
        results[name] = error instanceof Error ? error.name : 'thrown';
      }
    }
    return results;
  });

const REFUSED = {
  markup: 'TypeError',
  insertion: 'TypeError',
  document: 'TypeError',
  frame: 'TypeError',
  script: 'TypeError',
  code: 'TypeError',
  worker: 'TypeError',
  'service worker': 'TypeError',
  policy: 'TypeError',
};

let browser: Browser;
test.beforeAll(async ({ chromium }) => {
  browser = chromium;
});

describe('the built page', () => {
  let site: Site;
  let owner: Visitor;
  let link: string;
  test.beforeAll(async ({ place }) => {
    ({ site } = place);
    owner = await newWatchedVisitor(browser);
  });

  test('signs in, creates a folder with a passphrase and fills it, without a policy violation', async () => {
    const { page } = owner;
    await page.goto(`${site.url}/auth`);
    await authorize(page, site.url, 'Ava');
    link = await makeFolder(page, site.url, {
      name: 'Under seal',
      fill: withPassphrase,
      files: [
        { name: 'noise.png', mimeType: 'image/png', buffer: noisePng(300, 200) },
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Nine o’clock.') },
      ],
    });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('dialog', { name: 'Share Under seal' }).waitFor();
    link = await page.evaluate(() => navigator.clipboard.readText());
    await expectNoBreach(owner);
  });

  test('opens a folder by its passphrase, shows, saves and packs files without a policy violation', async () => {
    const friend = await newWatchedVisitor(browser);
    const { page } = friend;
    await page.goto(link);
    await page.getByRole('textbox', { name: 'Passphrase' }).fill(PASSPHRASE);
    await page.keyboard.press('Enter');
    await card(page, 'noise.png').locator('img').waitFor();
    await card(page, 'noise.png').getByRole('button', { name: 'noise.png' }).click();
    await page.getByRole('dialog').getByRole('img', { name: 'noise.png' }).waitFor();
    await page.keyboard.press('Escape');
    for (const start of [
      card(page, 'notes.txt').getByRole('button', { name: 'Download' }),
      page.getByRole('button', { name: 'Download all' }),
    ]) {
      const [download] = await Promise.all([page.waitForEvent('download'), start.click()]);
      expect(await download.failure()).toBeNull();
    }
    // The service worker is ours, so its address was allowed.
    expect(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toBe(`${site.url}/sw.js`);
    await expectNoBreach(friend);
    await friend.close();
  });

  test.each(['/', '/profile'])('%s turns no text into markup or code', async (path) => {
    const { page } = owner;
    await page.goto(site.url + path);
    await page.getByRole('heading').first().waitFor();
    await expectNoBreach(owner);
    // From here on the console reports the attempts. Each page records its own violations, so also the ones of its own code.
    owner.allow(/Trusted|violates the following Content Security Policy/);
    expect(await tryEveryWay(page)).toEqual(REFUSED);
    expect(owner.problems()).toEqual([]);
  });
});

describe('the development page', () => {
  let site: Site;
  let vite: ChildProcess;
  beforeAll(async () => {
    const [port, pagePort] = [await freePort(), await freePort()];
    site = await startSite({ port, publicUrl: `http://127.0.0.1:${pagePort}` });
    vite = spawn(process.execPath, [VITE, '--port', String(pagePort)], {
      cwd: WEB,
      env: { ...process.env, SATCHEL_SERVER: `http://127.0.0.1:${port}` },
      stdio: 'ignore',
    });
    const isServed = () =>
      fetch(site.url).then(
        ({ ok }) => ok,
        () => false,
      );
    await vi.waitUntil(isServed, WAIT_MS);
  });
  afterAll(async () => {
    const ended = once(vite, 'exit');
    vite.kill();
    await Promise.all([ended, site.stop()]);
  });

  test('has the same policy for scripts, and starts its workers under it', async () => {
    const visitor = await newWatchedVisitor(browser);
    const { page } = visitor;
    // Vite compiles each module on its first request.
    await page.goto(site.url);
    await page.getByText('How It Works').first().waitFor();
    // As a string: the test runner would rewrite an import() of its own code.
    const started = await page.evaluate<string>(`(async () => {
      const { newWorker, workerAddress } = await import('/src/engine/worker-addresses.ts');
      for (const name of ['open', 'passphrase', 'upload']) newWorker(name).terminate();
      const { active, installing, waiting } = await navigator.serviceWorker.register(workerAddress('media'));
      return (active ?? installing ?? waiting)?.scriptURL;
    })()`);
    expect(started).toBe(`${site.url}/sw.js`);
    await expectNoBreach(visitor);
    visitor.allow(/Trusted|violates the following Content Security Policy/);
    expect(await tryEveryWay(page)).toEqual(REFUSED);
    await visitor.close();
  });
});
