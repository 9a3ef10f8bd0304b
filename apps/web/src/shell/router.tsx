import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { loadTexts, type Texts, useLanguage } from '../lib/texts/language.ts';
import { ErrorScreen } from './error-screen.tsx';
import { type FolderSearch, readFolderSearch } from './folder-search.ts';
import { Shell } from './shell.tsx';

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

const NotFoundPage = lazyPage(['common', 'folder'], () => import('../pages/not-found.tsx'), 'NotFoundPage');
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
const noSlugRoute = route(
  '/f',
  lazyPage(['common', 'folder'], () => import('../features/folder/folder-ends.tsx'), 'NoSlug'),
);

/** Tab, open file and upload panel live in the address; the key lives in its fragment, which every step keeps. */
export const folderRoute = createRoute({
  getParentRoute,
  path: '/f/$slug',
  validateSearch: (search: Record<string, unknown>): FolderSearch => readFolderSearch(search),
  component: lazyPage(['common', 'folder'], () => import('../pages/folder/folder.tsx'), 'FolderPage'),
});

/** The short form of a folder's address (DESIGN R5); what can't be a slug is not found. */
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
    profileRoute,
    createFolderRoute,
    privacyRoute,
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
