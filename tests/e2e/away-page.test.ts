import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, signInAs } from '../support/browser.ts';
import { createFolderAs } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** deploy/away.html, which the web server shows while no Satchel answers. */

let site: Site;
let browser: Browser;
test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
});

test('the page that the web server shows meanwhile opens the folder by its full link, once the site is back', async () => {
  const owner = await newVisitor(browser);
  const mika = await signInAs(owner.page, site.url, 'mika');
  const files = [{ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Nine o’clock.') }];
  const link = (await createFolderAs(mika, site, { name: 'Letters', files })).link();
  await owner.close();

  const visitor = await newVisitor(browser);
  visitor.allow(/status of 503/);
  const body = await readFile(join(import.meta.dirname, '../../deploy/away.html'), 'utf8');
  let isAway = true;
  await visitor.page.route(`${site.url}/f/**`, (route) =>
    isAway ? route.fulfill({ status: 503, contentType: 'text/html', body }) : route.continue(),
  );
  const asked = visitor.page.waitForRequest((request) => request.method() === 'HEAD');
  await visitor.page.goto(link);
  await visitor.page.getByRole('heading', { name: 'Back in a moment' }).waitFor();
  // It asks, hears that the site is still away, and asks again.
  await asked;
  await visitor.page.getByRole('heading', { name: 'Back in a moment' }).waitFor();
  isAway = false;
  await visitor.page.getByText('note.txt').waitFor();
  expect(visitor.problems()).toEqual([]);
  await visitor.close();
});
