import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, makeFolder, newVisitor, signInAs } from '../support/browser.ts';
import { test } from '../support/shared.ts';

/** Files that stop a page which shows them as they are, and letters that a person chooses. What each engine shows: tests/engines/cases. */

/** What stops a browser that draws or lays it out as it is. */
const HOSTILE = [
  {
    name: 'shapes.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">${'<rect width="1" height="1"/>'.repeat(5000)}</svg>`,
    ),
  },
  {
    name: 'line.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ key: `value ${n}` })))),
  },
  {
    name: 'both-directions.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('\u0627\u0644a'.repeat(100_000)),
  },
  {
    name: 'both-directions.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('\u0627\u0644a'.repeat(100_000)),
  },
  {
    name: 'marks.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from(`a${'\u0301'.repeat(250_000)}`),
  },
  {
    name: 'icon.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="60" height="60"/></svg>',
    ),
  },
];

let link: string;
let browser: Browser;
let count: number;

test.beforeAll(async ({ place }) => {
  ({ browser } = place);
  const owner = await newVisitor(browser);
  await signInAs(owner.page, place.site.url, 'mika');
  const files = [
    ...HOSTILE,
    {
      name: 'koi8-r.txt',
      mimeType: 'text/plain',
      buffer: await readFile(join(import.meta.dirname, '../fixtures/cases/koi8-r.txt')),
    },
  ];
  count = files.length;
  link = await makeFolder(owner.page, place.site.url, { name: 'Cases', files });
  await owner.close();
});

async function view(page: Page, name: string): Promise<Locator> {
  await card(page, name).getByText('Cached').waitFor();
  await card(page, name).getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  return dialog;
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('what would stop the page is shown as text or in pieces, and letters are read as a person chooses', async () => {
  const { page, problems, close: leave } = await newVisitor(browser);
  await page.setViewportSize({ width: 1280, height: 3000 });
  await page.goto(link);
  await expect.poll(() => page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').count()).toBe(count);

  // A person chooses other letters by keyboard, and keeps the focus there.
  const koi = await view(page, 'koi8-r.txt');
  const choice = koi.getByRole('combobox', { name: /Read as/ });
  await choice.focus();
  await choice.selectOption('windows-1251');
  await koi.getByText('уВПТ').first().waitFor();
  expect(await choice.evaluate((element) => element === document.activeElement)).toBe(true);
  await choice.selectOption('koi8-r');
  await koi.getByText('Сбор').first().waitFor();
  await close(page);

  // A drawing that would stop the page is its text, until it is asked for; no card draws it.
  expect(await card(page, 'shapes.svg').locator('img').count()).toBe(0);
  await card(page, 'icon.svg').locator('img').waitFor();
  const shapes = await view(page, 'shapes.svg');
  await shapes.getByText('<rect').first().waitFor();
  expect(await shapes.locator('img[alt="shapes.svg"]').count()).toBe(0);
  await shapes.getByRole('button', { name: 'Draw it all the same' }).click();
  await shapes.getByRole('img', { name: 'shapes.svg' }).waitFor();
  await close(page);
  const icon = await view(page, 'icon.svg');
  await icon.getByRole('img', { name: 'icon.svg' }).waitFor();
  await close(page);

  // A line of megabytes is laid out in pieces: none of them is the whole.
  for (const name of ['line.json', 'both-directions.txt', 'both-directions.md', 'marks.md']) {
    const dialog = await view(page, name);
    const text = dialog.locator(name.endsWith('.md') ? 'article' : 'pre');
    await text.waitFor();
    const lengths = await text.evaluate((element) =>
      [...element.querySelectorAll('code > span, p')].map((block) => block.textContent?.length ?? 0),
    );
    expect(lengths.length, name).toBeGreaterThan(10);
    expect(Math.max(...lengths), name).toBeLessThan(5000);
    await close(page);
  }
  expect(problems()).toEqual([]);
  await leave();
});
