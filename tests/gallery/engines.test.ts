import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { STATES } from '../../apps/web/test/gallery/states.ts';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';
import { IS_WHOLE, type Look, looksOf, pictureOf, SIZES, showState } from '../support/gallery/looks.ts';
import { cutTexts, tooWide } from '../support/gallery/pictures.ts';
import { serveGallery } from './serve-gallery.ts';

/** Every screen in Firefox and WebKit: what their layout cuts or makes too wide, and what their console says of it. */

let gallery: Awaited<ReturnType<typeof serveGallery>>;
beforeAll(async () => {
  // Vitest's own would make React's development build.
  vi.stubEnv('NODE_ENV', 'production');
  gallery = await serveGallery();
});
afterAll(() => gallery?.stop());

describe.each(enginesHere().filter((engine) => engine !== 'chromium'))('in %s', (engine) => {
  let browser: EngineBrowser;
  let visitors: Readonly<Record<Look['device'], EngineVisitor>>;
  beforeAll(async () => {
    browser = await openEngine(engine);
    visitors = { desktop: await browser.visit(SIZES.desktop), phone: await browser.visit(SIZES.phone) };
    if (IS_WHOLE) await mkdir(dirname(pictureOf(engine, '', '')), { recursive: true });
  });
  afterAll(async () => {
    for (const visitor of Object.values(visitors ?? {})) await visitor.close();
    await browser?.close();
  });

  for (const [place, { name }] of STATES.entries()) {
    test(name, async () => {
      const faults: string[] = [];
      for (const { name: look, theme, device } of looksOf(place)) {
        const { page, problems } = visitors[device];
        const before = problems().length;
        const ofState = () => problems().slice(before);
        await showState(page, `${gallery.url}/?${new URLSearchParams({ state: name, theme })}`, ofState);
        if (IS_WHOLE) await page.screenshot({ path: pictureOf(engine, name, look) });
        const found = [...(await tooWide(page)), ...(await cutTexts(page)), ...ofState()];
        faults.push(...found.map((fault) => `${look}: ${fault}`));
      }
      expect(faults).toEqual([]);
    });
  }
});
