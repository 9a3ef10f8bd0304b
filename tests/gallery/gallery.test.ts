import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FILE_NAMES, TEXTS } from '../../apps/web/test/gallery/files.ts';
import { STATES } from '../../apps/web/test/gallery/states.ts';
import { launchForShortVisits } from '../support/browser.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { coveredTexts, inForcedColours } from '../support/gallery/forced-colours.ts';
import { pageTexts, switchLanguage } from '../support/gallery/page-texts.ts';
import { cutTexts, settle, takePicture, tooWide } from '../support/gallery/pictures.ts';
import { smallTargets } from '../support/gallery/touch-targets.ts';
import { AXE, serveGallery } from './serve-gallery.ts';

/**
 * Every screen in every state (apps/web/test/gallery): no axe violation, console error, horizontal scroll, cut text,
 * target too small for a finger, text that forced colours cover, or untranslated text. Each state has one look, the next state the next
 * look; with GALLERY_LOOKS=all it has all four, and their pictures are in GALLERY_DIR, else in test-results/gallery.
 */

const LOOKS = [
  { name: 'desktop.dark', theme: 'dark', device: 'desktop' },
  { name: 'mobile.light', theme: 'light', device: 'phone' },
  { name: 'desktop.light', theme: 'light', device: 'desktop' },
  { name: 'mobile.dark', theme: 'dark', device: 'phone' },
] as const;
type Look = (typeof LOOKS)[number];
const IS_WHOLE = process.env.GALLERY_LOOKS === 'all';
const PICTURES = process.env.GALLERY_DIR ?? join(import.meta.dirname, '../../test-results/gallery');

let gallery: Awaited<ReturnType<typeof serveGallery>>;
let browser: Browser;
let pages: Readonly<Record<Look['device'], Page>>;
/** Console errors and uncaught exceptions of the state that is shown. */
let problems: string[] = [];

async function openPage(options: Parameters<Browser['newPage']>[0]): Promise<Page> {
  const page = await browser.newPage(options);
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', ({ stack }) => problems.push(`uncaught: ${stack}`));
  return page;
}

beforeAll(async () => {
  // Vitest's own would make React's development build.
  vi.stubEnv('NODE_ENV', 'production');
  [gallery, browser] = await Promise.all([serveGallery(), launchForShortVisits()]);
  pages = {
    desktop: await openPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' }),
    phone: await openPage({
      viewport: { width: 390, height: 900 },
      isMobile: true,
      hasTouch: true,
      reducedMotion: 'reduce',
    }),
  };
  if (IS_WHOLE) await mkdir(PICTURES, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await gallery?.stop();
});

/** Opens the page of a state; what it waits for in vain is said. */
async function show(name: string, { theme, device }: Look): Promise<Page> {
  const page = pages[device];
  problems = [];
  await page.goto(`${gallery.url}/?${new URLSearchParams({ state: name, theme })}`);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(async () => {
    const awaited = await page.evaluate(() => globalThis.galleryAwaits());
    const said = await page.evaluate(() => document.body.innerText);
    late.reject(new Error([`${awaited} did not come. The page says:`, said, ...problems].join('\n')));
  }, WAIT_MS);
  try {
    await Promise.race([page.evaluate(() => globalThis.galleryShown), late.promise]);
  } finally {
    clearTimeout(timer);
  }
  await page.addScriptTag({ url: AXE });
  await settle(page);
  return page;
}

/** Texts that are equal in English and German although translated, or that need no translation. */
const SAME =
  /^(Satchel|Discord|Info|Server|Link|Name|Passphrase|API|Esc|Download|Downloads|Uploads|Videos|Text|Video|Audio|PDF|Manifest|Deutsch|English|Français|Español|Status|\/\w+|[a-z]+\/[\w.+-]+|([\d.,:%\s×·–-]|Bytes|KB|MB|GB|d|h|m|s|B)+)$/u;
/** Links, commands, and names of people, folders, files and their kinds. */
const DATA =
  /^(https?:\/\/|\/f\/|#)|^[A-E]x7kQ2mN9pR4sT6v$|^(npm (start|run [\w:]+)|satchel( \w+.*)?|[0-9a-f]{64})$|\.(webp|webm|wav|pdf|txt|bin|md|csv|py|zip|png|heic|ts|mp3|jpg|html|enc|iso)$|^(WEBP|WEBM|WAV|TXT|BIN|CSV|ZIP|MD|PY|HEIC|TS|PNG|JPG|MP3|ISO)$/;
const NAMES: readonly string[] = [
  'Lantern Festival',
  'Open letters',
  'Empty shelf',
  'Withdrawn',
  'Under seal',
  'For the server',
  'Odd things',
  'Winter trip',
  'Photos',
  'Notes',
  'day 1',
  'photos',
  'harbour',
  'Mika',
  '@mika.sandbox',
  'mika@sandbox.example',
  'Jonas',
  '@jonas.sandbox',
  'jonas@sandbox.example',
  '@otto.sandbox',
  'Lena',
  'lena#1234',
  'lena@sandbox.example',
  'Chromium on Linux',
  'Discord Employee',
  'HypeSquad Events',
  'House Bravery',
  'Early Supporter',
  'Early Bot Developer',
  'Active Developer',
  'Harbour song',
  'Harbour Club',
  'The Gulls',
  ...FILE_NAMES,
  ...TEXTS.map((text) => text.replace(/\s+/g, ' ')),
];
const isText = (text: string) => {
  const plain = text.replace(/ · Satchel$/, '');
  return /\p{L}{2}/u.test(text) && !SAME.test(text) && !DATA.test(plain) && !NAMES.some((name) => name.includes(plain));
};

/** Texts that an earlier state has shown in German, too. */
const translated = new Set<string>();

/** Texts that stay the same in German and are not data; and what is too wide in German, whose words are the longest. */
async function faultsInGerman(page: Page): Promise<string[]> {
  const english = (await pageTexts(page)).filter(isText);
  if (english.every((text) => translated.has(text))) return [];
  await switchLanguage(page, 'de');
  await settle(page);
  const german = new Set(await pageTexts(page));
  for (const text of english) if (!german.has(text)) translated.add(text);
  const same = english.filter((text) => german.has(text)).map((text) => `untranslated: ${text}`);
  const wrong = [...(await tooWide(page)), ...(await cutTexts(page))].map((fault) => `in German: ${fault}`);
  return [...same, ...wrong];
}

/** All that is wrong with the page as it is. */
async function faultsOf(page: Page, { device }: Look): Promise<string[]> {
  return [
    ...(await axeViolations(page)),
    ...(await tooWide(page)),
    ...(await cutTexts(page)),
    ...(device === 'phone' ? await smallTargets(page) : []),
    ...(await inForcedColours(page, coveredTexts)),
  ];
}

test('the gallery finds faults that are there', async () => {
  const [, look] = LOOKS;
  const page = await show('landing', look);
  await page.evaluate(() => {
    document
      .querySelector('main')!
      .insertAdjacentHTML(
        'beforeend',
        '<img src="data:,"><div style="width: 5000px">Never translated</div><button style="all: unset; display: block; width: 9px; height: 9px">x</button><div style="forced-color-adjust: none; background: teal"><p style="forced-color-adjust: auto">Behind a box</p></div><p style="width: 40px; white-space: nowrap; overflow: hidden">Cut by its box</p>',
      );
    console.error('an error');
  });
  const found = [...(await faultsOf(page, look)), ...(await faultsInGerman(page)), ...problems];
  const there = [
    /^image-alt/,
    /px too wide$/,
    /^cut: p “Cut by its box”/,
    /px to touch: button/,
    /^covered: Behind a box/,
    /^untranslated: Never/,
    /^console: an error/,
  ];
  expect(found).toEqual(expect.arrayContaining(there.map((fault) => expect.stringMatching(fault))));
});

for (const [place, { name }] of STATES.entries()) {
  test(name, async () => {
    const looks = IS_WHOLE ? LOOKS : [LOOKS[place % LOOKS.length]!];
    const faults: string[] = [];
    for (const look of looks) {
      const page = await show(name, look);
      const found = await faultsOf(page, look);
      if (IS_WHOLE) await takePicture(page, join(PICTURES, `${name}.${look.name}.png`));
      if (IS_WHOLE && look === LOOKS[0]) {
        const path = join(PICTURES, `${name}.forced-colours.png`);
        await inForcedColours(page, () => takePicture(page, path));
      }
      found.push(...(await faultsInGerman(page)), ...problems);
      faults.push(...found.map((fault) => `${look.name}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
}
