import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { RouterContextProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { settings } from '../../lib/base/settings.ts';
import { importWithTexts } from '../../lib/texts/import-with-texts.ts';
import { SiteFooter } from '../../ui/site-footer.tsx';
import { router } from '../router.tsx';
import { startLinkDrops } from './link-drops.ts';

/* Parts that every page has and no first screen needs. They load with the visitor's first action (main.tsx). */

const shownSlug = (): string | null => /^\/f\/([^/]+)/.exec(router.latestLocation.pathname)?.[1] ?? null;

/** Links that are dropped onto a page open here, without reloading the site: uploads continue. */
const takeDroppedLinks = (): void =>
  startLinkDrops({
    origins: [location.origin, settings.public_url],
    shownSlug,
    open: (slug, hash) =>
      // The shown folder's key replaces the one in the address, which is no step to go back to.
      void router.navigate({ to: '/f/$slug', params: { slug }, hash, replace: slug === shownSlug() }),
  });

/** Below the page, in its own root: so the page's code knows nothing of it. */
function showFooter(): void {
  const place = document.createElement('div');
  document.getElementById('root')?.after(place);
  createRoot(place).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterContextProvider router={router}>
          <SiteFooter />
        </RouterContextProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

const APP = '(display-mode: minimal-ui), (display-mode: standalone)';

async function prepareApp(): Promise<void> {
  (await importWithTexts('privacy', () => import('../app/offline-page.ts'))).startOfflinePage();
}

export function addLateParts(): void {
  showFooter();
  if (matchMedia(APP).matches) void prepareApp();
  else addEventListener('appinstalled', prepareApp, { once: true });
  takeDroppedLinks();
}
