import 'fake-indexeddb/auto';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { PATHS } from '@satchel/contract/paths';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { WebSettings } from '@satchel/contract/wire/web-settings';
import { RouterProvider } from '@tanstack/react-router';
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, expect, vi } from 'vitest';
import { type Answers, type Asked, givenServer, SETTINGS, waiting } from './given-server.ts';

export { type Answer, type Answers, type Asked, respond, unreachable, waiting } from './given-server.ts';

/**
 * The real page without a browser: every module of it is loaded again, and the server's answers are given
 * where the page asks for them, at `fetch`. For what a screen does with an answer; what needs layout, workers or a
 * second person is a test of tests/e2e.
 */

/** All that the open page has asked for, oldest first. */
let asked: Asked[] = [];
export const askedFor = (call: string): readonly Asked[] =>
  asked.filter(({ method, path }) => `${method} ${path}`.startsWith(call));

/** There is no layout here: each box that the page measures is this wide. */
const WIDTH_PX = 1200;
class FixedSize {
  readonly #tell: ResizeObserverCallback;
  constructor(tell: ResizeObserverCallback) {
    this.#tell = tell;
  }
  observe(): void {
    const size = { contentRect: { width: WIDTH_PX } } as ResizeObserverEntry;
    queueMicrotask(() => act(() => this.#tell([size], this)));
  }
  unobserve(): void {}
  disconnect(): void {}
}

/**
 * Opens a page of the site in a new profile.
 * @param changes to the settings of the site
 */
export async function openPage(
  address: string,
  answers: Answers = {},
  changes: Partial<WebSettings> = {},
): Promise<HTMLElement> {
  asked = [];
  // The clock stands still unless a test moves it (vi.setSystemTime); timers run.
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'] });
  vi.resetModules();
  vi.stubGlobal(
    'fetch',
    givenServer({ [`GET ${PATHS.settings}`]: { ...SETTINGS, ...changes }, ...answers }, (request) =>
      asked.push(request),
    ),
  );
  vi.stubGlobal('indexedDB', new IDBFactory());
  globalThis.satchelEarlyAnswers = undefined;
  vi.stubGlobal('ResizeObserver', FixedSize);
  // Nor a style sheet that hides something; asking for each element's style takes longer than the page itself.
  vi.spyOn(Element.prototype, 'checkVisibility').mockReturnValue(true);
  Object.defineProperty(document, 'fonts', { configurable: true, value: { check: () => true, load: waiting } });
  window.history.replaceState(null, '', address);
  const { startSession } = await import('../src/account/session/session.ts');
  const { loadSettings } = await import('../src/lib/base/settings.ts');
  const { startLanguage } = await import('../src/lib/texts/language.ts');
  const { router } = await import('../src/shell/router.tsx');
  startSession();
  await Promise.all([startLanguage(), loadSettings(), router.load()]);
  // As for a person, parts and texts may come at any time. React would complain of each that comes outside of an act.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  render(
    <I18nProvider i18n={i18n}>
      <RouterProvider router={router} />
    </I18nProvider>,
  );
  return document.body;
}

/** Clicks a button, switch or tab as a person does: once it is there, and not disabled. */
export async function press(name: string, role = 'button', within: Pick<typeof screen, 'getByRole'> = screen) {
  const target = await waitFor(() => {
    const found = within.getByRole(role, { name });
    expect((found as HTMLButtonElement).disabled ?? false, `${name} is disabled`).toBe(false);
    return found;
  });
  fireEvent.click(target);
}

configure({
  asyncUtilTimeout: WAIT_MS,
  // The page's markup would bury what was looked for.
  getElementError: (message) => new Error(`${message?.split('\n')[0]}\n${document.body.textContent}`),
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
});
