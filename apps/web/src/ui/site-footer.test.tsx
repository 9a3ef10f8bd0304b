// @vitest-environment happy-dom

import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import type { SiteLinks } from '@satchel/contract/wire/web-settings';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { settings } from '../lib/base/settings.ts';
import { SiteFooter } from './site-footer.tsx';

/** The links at the foot of each page, by the server's settings. */

const NO_LINKS: SiteLinks = { source: null, docs: null, privacy: null, terms: null, contact: null, status: null };
const OWN = { Documentation: '/docs', Privacy: '/privacy', 'Check this site': '/check' };
vi.mock('../lib/base/settings.ts', () => ({ settings: { folder_lifetime_hours: 24, links: {} } }));
afterEach(cleanup);

/** @returns the links of a footer, by their texts */
async function linksWith(changes: Partial<SiteLinks>): Promise<Record<string, string | null>> {
  Object.assign(settings.links, NO_LINKS, changes);
  const root = createRootRoute({ component: SiteFooter });
  const privacy = createRoute({ getParentRoute: () => root, path: '/privacy' });
  const docs = createRoute({ getParentRoute: () => root, path: '/docs' });
  const check = createRoute({ getParentRoute: () => root, path: '/check' });
  const router = createRouter({ routeTree: root.addChildren([privacy, docs, check]), history: createMemoryHistory() });
  await router.load();
  render(
    <I18nProvider i18n={i18n}>
      <RouterProvider router={router} />
    </I18nProvider>,
  );
  const list = within(await screen.findByRole('navigation', { name: 'About this site' }));
  return Object.fromEntries(list.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]));
}

test('without settings, the only links are the pages of this site about privacy, about itself and how to check it', async () => {
  expect(await linksWith({})).toEqual(OWN);
});

test.each([
  ['source', 'Source code', 'https://code.example/satchel'],
  ['docs', 'Documentation', 'https://docs.example/'],
  ['terms', 'Terms', 'https://satchel.example/terms'],
  ['contact', 'Contact', 'mailto:help@satchel.example'],
  ['status', 'Status', 'https://status.example/'],
] as const)('the setting %s adds its link and no other', async (name, text, address) => {
  expect(await linksWith({ [name]: address })).toEqual({ ...OWN, [text]: address });
});

test('the setting privacy leads to another page about privacy', async () => {
  expect(await linksWith({ privacy: 'https://satchel.example/gdpr' })).toEqual({
    ...OWN,
    Privacy: 'https://satchel.example/gdpr',
  });
});

test('pages open in their own tab, and the mail program does not', async () => {
  await linksWith({ docs: 'https://docs.example/', contact: 'mailto:help@satchel.example' });
  expect(screen.getByRole('link', { name: 'Documentation' }).getAttribute('target')).toBe('_blank');
  expect(screen.getByRole('link', { name: 'Contact' }).getAttribute('target')).toBeNull();
});
