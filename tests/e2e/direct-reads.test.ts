import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, type Visitor, visit } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { createS3Sites, type S3Site } from '../support/s3-site.ts';
import { test } from '../support/shared.ts';

/** BLOBS_DIRECT in a real browser, with a real S3 gateway. */

const MIB = 1024 ** 2;
const sites = await createS3Sites();

describe.skipIf(!sites)('with BLOBS_DIRECT', () => {
  let site: S3Site;
  let browser: Browser;
  let link: string;
  /** Of three objects in the store. */
  const noise = randomBytesOf(20 * MIB);

  test.beforeAll(async ({ chromium }) => {
    browser = chromium;
    site = await sites!.start({ env: { BLOBS_DIRECT: 'on' } });
    const files = [
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words beside it') },
      { name: 'noise.bin', mimeType: 'application/octet-stream', buffer: noise },
    ];
    link = (await createFolderAs(await signIn(site, 'mika'), site, { name: 'From the store', files })).link();
  });
  afterAll(async () => {
    await site?.stop();
    await sites?.stop();
  });

  async function sentBytes(): Promise<number> {
    const figures = await (await fetch(`${site.url}/metrics`)).text();
    return Number(/^satchel_network_sent_bytes_total (\S+)$/m.exec(figures)?.[1]);
  }

  /** Opens the folder and saves the large file. @returns what the server sent for it */
  async function save({ page }: Visitor): Promise<number> {
    await visit(page, link);
    const cell = page.getByRole('gridcell').filter({ hasText: 'noise.bin' });
    const button = cell.getByRole('button', { name: 'Download' });
    await button.waitFor();
    const before = await sentBytes();
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(await download.failure()).toBeNull();
    expect(sha256(await readFile(await download.path()))).toBe(sha256(noise));
    return (await sentBytes()) - before;
  }

  test('a large file is saved without a byte of it from the server', async () => {
    const friend = await newVisitor(browser);
    expect(await save(friend)).toBeLessThan(MIB);
    expect(friend.problems()).toEqual([]);
    await friend.close();
  });

  test('where the bucket lets no page read any more, it is saved all the same, from the server', async () => {
    await site.allowPages('https://other.example');
    const friend = await newVisitor(browser);
    // Chromium's own words for it.
    friend.allow(/CORS|ERR_FAILED/);
    expect(await save(friend)).toBeGreaterThan(20 * MIB);
    expect(friend.problems()).toEqual([]);
    await friend.close();
  });
});
