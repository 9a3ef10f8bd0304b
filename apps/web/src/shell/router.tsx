import { Trans, useLingui } from '@lingui/react/macro';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTitle } from '../lib/base/page-hooks.ts';
import { loadTexts, type Texts, useLanguage } from '../lib/texts/language.ts';
import { Button, LinkButton } from '../ui/base/button.tsx';
import { Mark } from '../ui/base/mark.tsx';
import { type FolderSearch, readFolderSearch } from './folder-search.ts';
import { Shell } from './shell.tsx';

/** Shown when a page breaks or its code can't be loaded, so it is part of the first chunk. */
function ErrorScreen() {
  const { t } = useLingui();
  useTitle(t`Something went wrong`);
  return (
    <div className="wrap grid min-h-[calc(100dvh-15rem)] place-items-center py-14">
      <div className="max-w-md text-center">
        <Mark sizePx={72} className="mx-auto" />
        <h1 className="display mt-6 text-2xl">
          <Trans>Something went wrong</Trans>
        </h1>
        <p className="mt-3 text-sm text-muted">
          <Trans>This page could not be shown. Your files are not affected.</Trans>
        </p>
        <div className="mt-8 flex flex-col justify-center gap-2.5 sm:flex-row">
          <Button tone="primary" size="lg" onClick={() => location.reload()}>
            <Trans>Try Again</Trans>
          </Button>
          <LinkButton to="/" reloadDocument size="lg">
            <Trans>Go Home</Trans>
          </LinkButton>
        </div>
      </div>
    </div>
  );
}

/** Remounts a page when the language changes: sizes, dates and texts made by functions don't follow it otherwise. */
function inLanguage(Page: ComponentType): ComponentType {
  return function InLanguage() {
    useLanguage();
    return <Page />;
  };
}

/**
 * A page whose code and texts are fetched side by side on the first visit.
 * @param texts the catalogues of its texts
 */
function lazyPage<Name extends string>(
  texts: readonly Texts[],
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    const [page] = await Promise.all([load(), ...texts.map(loadTexts)]);
    return { Page: inLanguage(page[name]) };
  }, 'Page');
}

const NotFoundPage = lazyPage(['common', 'later'], () => import('../pages/not-found.tsx'), 'NotFoundPage');
const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });
const getParentRoute = () => rootRoute;

const route = <Path extends string>(path: Path, component: ReturnType<typeof lazyPage>) =>
  createRoute({ getParentRoute, path, component });

const landingRoute = route(
  '/',
  lazyPage(['landing'], () => import('../pages/landing.tsx'), 'LandingPage'),
);
const authRoute = route(
  '/auth',
  lazyPage(['common', 'account'], () => import('../pages/auth.tsx'), 'AuthPage'),
);
const authCallbackRoute = route(
  '/auth/callback',
  lazyPage(['common', 'account'], () => import('../pages/auth-callback.tsx'), 'AuthCallbackPage'),
);
const deviceRoute = route(
  '/device',
  lazyPage(['common', 'device'], () => import('../pages/device.tsx'), 'DevicePage'),
);
const profileRoute = route(
  '/profile',
  lazyPage(['common', 'account'], () => import('../pages/profile.tsx'), 'ProfilePage'),
);
const createFolderRoute = route(
  '/upload',
  lazyPage(['common', 'create', 'upload'], () => import('../pages/create-folder.tsx'), 'CreateFolderPage'),
);
const privacyRoute = route(
  '/privacy',
  lazyPage(['privacy'], () => import('../pages/privacy.tsx'), 'PrivacyPage'),
);
const docsRoute = route(
  '/docs',
  lazyPage(['privacy'], () => import('../pages/docs.tsx'), 'DocsPage'),
);
const checkRoute = route(
  '/check',
  lazyPage(['common', 'privacy'], () => import('../pages/check.tsx'), 'CheckPage'),
);
const noSlugRoute = route(
  '/f',
  lazyPage(['common', 'later'], () => import('../features/folder/folder-ends.tsx'), 'NoSlug'),
);

/** Tab, open file and upload panel live in the address; the key lives in its fragment, which every step keeps. */
export const folderRoute = createRoute({
  getParentRoute,
  path: '/f/$slug',
  validateSearch: (search: Record<string, unknown>): FolderSearch => readFolderSearch(search),
  component: lazyPage(['common', 'folder'], () => import('../pages/folder/folder.tsx'), 'FolderPage'),
});

/** The short form of a folder's address; what can't be a slug is not found. */
const shortRoute = createRoute({
  getParentRoute,
  path: '/$slug',
  beforeLoad: async ({ params, location }) => {
    const { isSlug } = await import('@satchel/contract/naming');
    if (!isSlug(params.slug)) return;
    throw redirect({ to: '/f/$slug', params, hash: location.hash, replace: true });
  },
  component: NotFoundPage,
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    landingRoute,
    authRoute,
    authCallbackRoute,
    deviceRoute,
    profileRoute,
    createFolderRoute,
    privacyRoute,
    docsRoute,
    checkRoute,
    noSlugRoute,
    folderRoute,
    shortRoute,
  ]),
  defaultErrorComponent: ErrorScreen,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

router.subscribe('onBeforeNavigate', async ({ fromLocation: from, toLocation: to }) => {
  if (!from || !`${from.pathname} ${to.pathname}`.includes('/auth')) return;
  const { rememberOnSignIn } = await import('../account/sign-in/return-to.ts');
  rememberOnSignIn(from, to);
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
