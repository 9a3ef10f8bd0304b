import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, makeFolder, newVisitor, signInAs } from '../support/browser.ts';
import { test } from '../support/shared.ts';

/** Files that people reported: each opens, plays, or the page says why not. */

const CASES = join(import.meta.dirname, '../fixtures/cases');

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
    name: 'icon.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="60" height="60"/></svg>',
    ),
  },
];

/** The type that a person's system gives, where it gives one. */
const TYPES: Readonly<Record<string, string>> = {
  'recording.mkv': 'video/x-matroska',
  'place.mp4': 'video/mp4',
  'card.vcf': 'text/vcard',
  'release.nfo': 'text/x-nfo',
};

let link: string;
let browser: Browser;
let count: number;

test.beforeAll(async ({ place }) => {
  ({ browser } = place);
  const owner = await newVisitor(browser);
  await signInAs(owner.page, place.site.url, 'mika');
  const files = await Promise.all(
    (await readdir(CASES)).map(async (name) => ({
      name,
      mimeType: TYPES[name] ?? (name.endsWith('.txt') ? 'text/plain' : ''),
      buffer: await readFile(join(CASES, name)),
    })),
  );
  files.push(...HOSTILE);
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

test('a visitor reads, plays or is told why not, whatever the files are', async () => {
  const { page, problems, close: leave } = await newVisitor(browser);
  await page.setViewportSize({ width: 1280, height: 3000 });
  await page.goto(link);
  await expect.poll(() => page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').count()).toBe(count);

  const texts: readonly (readonly [name: string, line: string, encoding: string | null])[] = [
    ['gbk.txt', '八点在广场集合。', 'gb18030'],
    ['koi8-r.txt', 'Сбор в восемь на площади.', 'koi8-r'],
    ['shift-jis.txt', '集合は八時、広場です。', 'shift_jis'],
    ['utf-16le-no-mark.txt', 'Meet at eight on the square.', 'utf-16le'],
    ['windows-1250.txt', 'Příliš žluťoučký kůň.', 'windows-1250'],
    ['windows-1251.txt', 'Сбор в восемь на площади.', 'windows-1251'],
    ['release.nfo', '║OK║', 'ibm437'],
    ['Makefile', 'echo hello', null],
    ['README', 'the square', null],
    ['card.vcf', 'FN:Test Person', null],
    ['ZipStream.java', 'ZipInputStream', null],
  ];
  for (const [name, line, encoding] of texts) {
    const dialog = await view(page, name);
    await dialog.getByText(line).first().waitFor();
    const choice = dialog.getByRole('combobox', { name: /Read as/ });
    expect(encoding === null ? await choice.count() : await choice.inputValue(), name).toBe(encoding ?? 0);
    await close(page);
  }

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

  for (const name of ['recording.mkv', 'place.mp4']) {
    const dialog = await view(page, name);
    const film = dialog.locator('video');
    await film.waitFor();
    await expect.poll(() => film.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBeGreaterThan(0);
    await film.evaluate((video: HTMLVideoElement) => {
      video.muted = true;
      return video.play();
    });
    await expect.poll(() => film.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0);
    await close(page);
  }

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
  for (const name of ['line.json', 'both-directions.txt']) {
    const dialog = await view(page, name);
    const text = dialog.locator('pre');
    await text.waitFor();
    const longest = await text.evaluate((element) =>
      Math.max(...[...element.querySelectorAll('code > span')].map((block) => block.textContent?.length ?? 0)),
    );
    expect(longest, name).toBeLessThan(5000);
    await close(page);
  }
  expect(problems()).toEqual([]);
  await leave();
});
