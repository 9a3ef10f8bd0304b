import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadline } from '@satchel/contract/testing/pace';
import { afterAll, expect } from 'vitest';
import { newVisitor, signInAs } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { test } from '../support/shared.ts';

/**
 * Forty files on a line that is away for longer than all of the first tries: they wait, and arrive without a click. What else a line
 * does: packages/client/src/send/transfer.test.ts.
 */

const COUNT = 40;
const LARGE_BYTES = 3 * 1024 ** 2;
const SMALL_BYTES = 300_000;

let dir = '';
test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-away-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test.afterEach(({ behindLine }) => behindLine.line.goAway(false));

const sizeOf = (place: number) => (place % 5 === 0 ? LARGE_BYTES : SMALL_BYTES);

async function newFiles(name: string): Promise<string[]> {
  const paths = Array.from({ length: COUNT }, (_, place) => join(dir, `${name}-${place}.bin`));
  for (const [place, path] of paths.entries()) await writeFile(path, randomBytesOf(sizeOf(place)));
  return paths;
}

/** So often the page asks in vain whether the server is back: for longer than a request is tried that fails for good. */
const ASKED = 9;

test.for([
  ['refuses every connection', 'refused'],
  ['is gone, as the browser says', 'offline'],
] as const)('while the line %s they wait, say so, and are in without a click', async ([, how], { behindLine }) => {
  const { line, site, browser } = behindLine;
  const { context, page, allow, problems, close } = await newVisitor(browser);
  allow(/net::ERR_|Failed to load resource/);
  await signInAs(page, site.url, 'mika');
  await page.goto(`${site.url}/upload`);
  await page.getByRole('textbox', { name: /name/i }).fill(`Away, ${how}`);
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  await page.getByLabel('Choose files').setInputFiles(await newFiles(how));
  line.hold(2_000_000);
  await page.getByRole('button', { name: `Upload ${COUNT} files` }).click();
  await expect.poll(() => line.heldCount()).toBeGreaterThan(0);
  if (how === 'offline') await context.setOffline(true);
  else line.goAway(true);
  line.hold(null);
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/healthz')) asked += 1;
  });
  const waits = () => page.getByText(/^Waiting for the server, trying again/).waitFor();
  if (how === 'offline') await page.getByText('Waiting for a connection').first().waitFor();
  else {
    await waits();
    await expect.poll(() => asked, { timeout: deadline(240) }).toBeGreaterThan(ASKED);
    await waits();
  }
  expect(await page.getByText(/failed/).count()).toBe(0);
  if (how === 'offline') await context.setOffline(false);
  else line.goAway(false);
  await page.getByRole('heading', { name: `${COUNT} files are in` }).waitFor({ timeout: deadline(120) });
  expect(problems()).toEqual([]);
  await close();
});
