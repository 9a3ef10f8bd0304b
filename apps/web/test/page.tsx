import 'fake-indexeddb/auto';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { PATHS, SETTINGS_META } from '@satchel/contract/paths';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import { RouterProvider } from '@tanstack/react-router';
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, expect, vi } from 'vitest';

/**
 * The real page without a browser: every module of it is loaded anew, and the server's answers are given
 * where the page asks for them, at `fetch`. For what a screen does with an answer; what needs layout, workers or a
 * second person is a test of tests/e2e.
 */

/** What the server answers to one call; a number is a bare status. */
export type Answer = object | number | null | ((request: Asked) => Promise<Response> | Response);
/** By the method and the beginning of the path, such as `GET /rest/v1/folders/`; the longest one counts. */
export type Answers = Readonly<Record<string, Answer>>;

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** All that the open page has asked for, oldest first. */
let asked: Asked[] = [];
export const askedFor = (call: string): readonly Asked[] =>
  asked.filter(({ method, path }) => `${method} ${path}`.startsWith(call));

/** A server that never answers. */
export const waiting = (): Promise<Response> => new Promise(() => undefined);
/** A server that can't be reached. */
export const unreachable = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'));

export function respond(answer: Answer, request: Asked): Promise<Response> | Response {
  if (typeof answer === 'function') return answer(request);
  if (typeof answer === 'number') return new Response(answer === 204 ? null : '{}', { status: answer });
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
}

function answering(answers: Answers) {
  return async (url: string | URL, { method = 'GET', body }: RequestInit = {}): Promise<Response> => {
    const request = { method, path: String(url), body: typeof body === 'string' ? JSON.parse(body) : body };
    asked.push(request);
    const call = `${method} ${request.path}`;
    const [known] = Object.keys(answers)
      .filter((beginning) => call.startsWith(beginning))
      .sort((a, b) => b.length - a.length);
    if (known === undefined) throw new Error(`this test has no answer to ${call}`);
    return respond(answers[known]!, request);
  };
}

/** What the server writes into its page (WebSettings): the defaults of DESIGN R4. */
const SETTINGS = {
  max_file_bytes: 100 * 1024 ** 2,
  free_storage_bytes: 1024 ** 3,
  folder_lifetime_hours: 24,
  max_folder_files: 2000,
  admits: 'anyone',
  add_to_discord_url: 'https://discord.example/add',
  public_url: 'https://satchel.example',
  links: { source: null, docs: null, privacy: null, terms: null, contact: null, status: null },
};

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
 * @param changes to what the server writes into its page
 */
export async function openPage(
  address: string,
  answers: Answers = {},
  changes: Partial<typeof SETTINGS> = {},
): Promise<HTMLElement> {
  asked = [];
  // The clock stands still unless a test moves it (vi.setSystemTime); timers run.
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'] });
  vi.resetModules();
  vi.stubGlobal(
    'fetch',
    answering({ [`GET ${PATHS.session}`]: { session: null }, [`POST ${CHANGES_PATH}`]: waiting, ...answers }),
  );
  vi.stubGlobal('indexedDB', new IDBFactory());
  globalThis.satchelEarlyAnswers = undefined;
  vi.stubGlobal('ResizeObserver', FixedSize);
  // Nor a style sheet that hides something; asking for each element's style takes longer than the page itself.
  vi.spyOn(Element.prototype, 'checkVisibility').mockReturnValue(true);
  Object.defineProperty(document, 'fonts', { configurable: true, value: { check: () => true, load: waiting } });
  const settings = Object.assign(document.createElement('meta'), {
    name: SETTINGS_META,
    content: JSON.stringify({ ...SETTINGS, ...changes }),
  });
  document.head.replaceChildren(settings);
  window.history.replaceState(null, '', address);
  const { startSession } = await import('../src/account/session/session.ts');
  const { startLanguage } = await import('../src/lib/texts/language.ts');
  const { router } = await import('../src/shell/router.tsx');
  startSession();
  await Promise.all([startLanguage(), router.load()]);
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
  asyncUtilTimeout: 10_000,
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
