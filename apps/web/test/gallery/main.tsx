import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { PATHS } from '@satchel/contract/paths';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import page from '../../index.html?raw';
import { givenServer, SETTINGS } from '../given-server.ts';
import { hands, whatIsAwaited } from './hands.ts';
import { STATES } from './states.ts';
import { giveWorkers } from './workers.ts';

/**
 * Shows one state of one screen: the real page with given answers, and no server, no service worker and no upload.
 * Its address is `/?state=` with the name, and `&theme=light`; without a name the page lists them.
 */

/** As in a browser that has never been here. */
async function forgetAll(): Promise<void> {
  localStorage.clear();
  sessionStorage.clear();
  const databases = await indexedDB.databases();
  const ends = databases.map(({ name = '' }) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    indexedDB.deleteDatabase(name).onsuccess = resolve;
    return promise;
  });
  await Promise.all(ends);
}

/** The page has the mark before its scripts. */
const giveMark = () =>
  document.body.prepend(new DOMParser().parseFromString(page, 'text/html').querySelector('svg:has(#mark)')!);

async function show(name: string): Promise<void> {
  const state = STATES.find((each) => each.name === name);
  if (!state) throw new Error(`there is no state ${name}`);
  await forgetAll();
  const { address, answers = {}, settings, ...workers } = await state.given();
  const site = { [`GET ${PATHS.settings}`]: { ...SETTINGS, ...settings } };
  globalThis.fetch = givenServer({ ...site, ...answers }) as typeof fetch;
  giveWorkers(workers);
  giveMark();
  history.replaceState(null, '', address);
  // The page's own modules read the address as they are loaded.
  const { startSession } = await import('../../src/account/session/session.ts');
  const { loadSettings } = await import('../../src/lib/base/settings.ts');
  const { startLanguage } = await import('../../src/lib/texts/language.ts');
  const { router } = await import('../../src/shell/router.tsx');
  const { addLateParts } = await import('../../src/shell/late/late-parts.tsx');
  const { importWithTexts } = await import('../../src/lib/texts/import-with-texts.ts');
  startSession();
  await Promise.all([startLanguage(), loadSettings(), router.load()]);
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterProvider router={router} />
      </I18nProvider>
    </StrictMode>,
  );
  (await importWithTexts('foot', async () => ({ addLateParts }))).addLateParts();
  await hands.shown(state.text);
  await state.steps?.(hands);
}

function list(): void {
  const links = STATES.map(({ name }) => {
    const link = Object.assign(document.createElement('a'), { href: `/?state=${name}`, textContent: name });
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  document.getElementById('root')?.append(...links);
}

// Nothing is stored by a worker that stays.
Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
globalThis.galleryAwaits = whatIsAwaited;
const search = new URLSearchParams(location.search);
document.documentElement.dataset.theme = search.get('theme') ?? 'dark';
const asked = search.get('state');
if (asked === null) list();
else globalThis.galleryShown = show(asked);
