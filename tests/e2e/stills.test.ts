import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Browser, Page } from 'playwright-core';
import { afterEach, describe, expect, vi } from 'vitest';
import { card, makeFolder, newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { makePhoto } from '../support/files.ts';
import { makePdf, padding, turned } from '../support/media.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Stills: a folder shows its pictures without fetching one of its files (docs/container.md §6). */

const CLIP = join(dirname(fileURLToPath(import.meta.url)), '..', 'fixtures', 'clip.webm');
const STILL_PATH = '/storage/v1/still/';
/** It begins as a PDF, and continues as noise. */
const NOISY_PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), padding()]);
/** A JPEG that begins as one, and is none. */
const BROKEN = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(50_000, 7)]);
/** What the camera wrote into the photograph: it may be in the file alone. */
const MAKER = 'Canary Optics 7';

let site: Site;
let browser: Browser;
let owner: Visitor;
let visitors: Visitor[] = [];
let link: string;
/** What the owner's page fetched while it uploaded and showed the folder. */
let ownersRequests: Requests;

interface Requests {
  /** Paths of files that were fetched. */
  readonly originals: string[];
  readonly stills: { readonly size: string; readonly names: number }[];
}

function watchRequests(page: Page): Requests {
  const originals: string[] = [];
  const stills: { size: string; names: number }[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(storage\/v1\/object\/(public|sign)|media)\//.test(pathname)) originals.push(pathname);
    if (!pathname.startsWith(STILL_PATH) || request.method() !== 'POST') return;
    const { size, names } = request.postDataJSON() as { size: string; names: string[] };
    stills.push({ size, names: names.length });
  });
  return { originals, stills };
}

/** How many stills of a size were asked for, in all requests. */
const asked = (stills: Requests['stills'], wanted: string) =>
  stills.reduce((sum, { size, names }) => sum + (size === wanted ? names : 0), 0);

const picture = (page: Page, name: string) => card(page, name).locator('img');

const sizeOf = (page: Page, name: string) =>
  picture(page, name).evaluate(({ naturalWidth, naturalHeight }: HTMLImageElement) => [naturalWidth, naturalHeight]);

/** Waits for the larger still of a file. A card may draw its picture again while it waits. */
async function shown(page: Page, name: string): Promise<void> {
  const edgePx = () =>
    picture(page, name).evaluateAll((images: HTMLImageElement[]) =>
      Math.max(0, ...images.flatMap(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])),
    );
  await vi.waitUntil(async () => (await edgePx()) > 96, WAIT_MS);
}

/** The colour in the middle of an area of what a card shows, as shares of its width and height. */
const colourAt = (page: Page, name: string, x: number, y: number) =>
  picture(page, name).evaluate(
    (image: HTMLImageElement, [left, top]) => {
      const { naturalWidth: width, naturalHeight: height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context?.drawImage(image, 0, 0);
      const [red = 0, , blue = 0] = context?.getImageData(width * left, height * top, 1, 1).data ?? [];
      return red > blue ? 'red' : 'blue';
    },
    [x, y] as const,
  );

const jpeg = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  owner = await newVisitor(browser);
  const { page } = owner;
  await signInAs(page, site.url, 'mika');
  await page.goto(`${site.url}/upload`);
  const photo = await makePhoto(page, { widthPx: 1200, heightPx: 900 });
  const clip = { name: 'clip.webm', mimeType: 'video/webm', buffer: await readFile(CLIP) };
  const { originals, stills } = watchRequests(page);
  const files = [jpeg('upright.jpg', turned(photo, 6, MAKER)), clip, jpeg('level.jpg', photo)];
  link = await makeFolder(page, site.url, { name: 'A walk', files });
  await shown(page, 'clip.webm');
  ownersRequests = { originals: [...originals], stills: [...stills] };
});

/** A new visitor, who leaves at the end of the test: the next test's has their profile. */
async function arrived(): Promise<Visitor> {
  const visitor = await newVisitor(browser);
  visitors.push(visitor);
  return visitor;
}
afterEach(async () => {
  await Promise.all(visitors.map((visitor) => visitor.close()));
  visitors = [];
});

describe('a visitor', () => {
  test('sees pictures and films as they were held, without fetching a file', async () => {
    const { page, problems } = await arrived();
    const { originals, stills } = watchRequests(page);
    await page.goto(link);
    for (const name of ['upright.jpg', 'level.jpg', 'clip.webm']) await shown(page, name);
    expect(await sizeOf(page, 'upright.jpg')).toEqual([360, 480]);
    expect([await colourAt(page, 'upright.jpg', 0.1, 0.5), await colourAt(page, 'upright.jpg', 0.9, 0.5)]).toEqual([
      'blue',
      'red',
    ]);
    expect([await colourAt(page, 'level.jpg', 0.5, 0.1), await colourAt(page, 'level.jpg', 0.5, 0.9)]).toEqual([
      'red',
      'blue',
    ]);
    // Cards that come into view later are asked for in their own request, and none of them twice.
    expect({ originals, small: asked(stills, 'small'), large: asked(stills, 'large') }).toEqual({
      originals: [],
      small: 3,
      large: 3,
    });
    expect(problems()).toEqual([]);
  });
});

describe('an owner', () => {
  test('sees what they have just uploaded without fetching it back', () => {
    expect(ownersRequests).toEqual({ originals: [], stills: [] });
    expect(owner.problems()).toEqual([]);
  });
});

describe('PDFs', () => {
  const LETTER = { widthPt: 612, heightPt: 792 };
  const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer });
  /** Its table of contents is whole, and its pages are not where it says. */
  const HOLLOW_PDF = Buffer.from(
    makePdf(LETTER).toString('latin1').replaceAll(' obj\n<</Type/Page/', ' obX\n<</Type/Page/'),
    'latin1',
  );

  test('are shown by their first pages of any size, and read and drawn without a call to anywhere', async () => {
    const { page } = owner;
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith('blob:')) elsewhere.push(request.url());
    });
    const made = await makeFolder(page, site.url, {
      name: 'Papers',
      files: [
        pdf('letter.pdf', makePdf(LETTER)),
        pdf('poster.pdf', makePdf({ widthPt: 20_000, heightPt: 10_000 })),
        pdf('dot.pdf', makePdf({ widthPt: 1, heightPt: 1 })),
      ],
      stills: 3,
    });
    const visitor = await arrived();
    const { originals } = watchRequests(visitor.page);
    await visitor.page.goto(made);
    for (const name of ['letter.pdf', 'poster.pdf', 'dot.pdf']) await shown(visitor.page, name);
    expect(await sizeOf(visitor.page, 'letter.pdf')).toEqual([371, 480]);
    expect(await sizeOf(visitor.page, 'poster.pdf')).toEqual([480, 240]);
    expect(await sizeOf(visitor.page, 'dot.pdf')).toEqual([480, 480]);
    expect([
      await colourAt(visitor.page, 'letter.pdf', 0.1, 0.1),
      await colourAt(visitor.page, 'letter.pdf', 0.1, 0.9),
    ]).toEqual(['red', 'blue']);
    expect({ originals, elsewhere }).toEqual({ originals: [], elsewhere: [] });
    expect([owner.problems(), visitor.problems()]).toEqual([[], []]);
  });

  test('that are damaged, encrypted or without a page are uploaded as before, and have none', async () => {
    const { page } = owner;
    const files = [
      pdf('noise.pdf', NOISY_PDF),
      pdf('other.pdf', BROKEN),
      pdf('hollow.pdf', HOLLOW_PDF),
      pdf('locked.pdf', makePdf({ ...LETTER, isEncrypted: true })),
      pdf('empty.pdf', makePdf({ ...LETTER, pages: 0 })),
      pdf('whole.pdf', makePdf(LETTER)),
    ];
    // The last one's still is made after the others were tried.
    const made = await makeFolder(page, site.url, { name: 'Scraps', files, stills: 1 });
    const visitor = await arrived();
    await visitor.page.goto(made);
    await shown(visitor.page, 'whole.pdf');
    for (const { name } of files.slice(0, -1)) expect(await picture(visitor.page, name).count(), name).toBe(0);
    expect([owner.problems(), visitor.problems()]).toEqual([[], []]);
  });
});
