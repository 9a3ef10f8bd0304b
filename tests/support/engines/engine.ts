import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserType, firefox, type Locator, type Page, webkit } from 'playwright-core';
import { launchForShortVisits, newVisitor, type VisitorOptions } from '../browser.ts';
import { openWebkitVisitor } from './webkit.ts';

/**
 * One way to act as a person in Chromium, Firefox and WebKit. Playwright drives Chromium, Firefox (by WebDriver BiDi) and its own
 * build of WebKit; the WebKit of a Debian, which it can't drive, is driven by WebDriver (`webkit.ts`) with the part of Playwright's
 * interface that is named here.
 */

export const ENGINES = ['chromium', 'firefox', 'webkit'] as const;
export type Engine = (typeof ENGINES)[number];

type Role = Parameters<Page['getByRole']>[0];

/** The part of a locator's interface that finds others. As in Playwright, a text is a part of what is meant, in any case. */
interface Finding {
  getByRole(role: Role, options?: { name?: string | RegExp; exact?: boolean }): Found;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Found;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Found;
  locator(selector: string): Found;
}

/** What matches at the moment it is asked for. Acts wait until it is one element that can be acted on. */
export interface Found extends Finding {
  filter(options: { hasText: string | RegExp }): Found;
  first(): Found;
  click(): Promise<void>;
  check(): Promise<void>;
  fill(text: string): Promise<void>;
  setInputFiles(paths: readonly string[]): Promise<void>;
  count(): Promise<number>;
  innerText(): Promise<string>;
  waitFor(options?: { state?: 'attached' | 'detached' | 'visible' }): Promise<void>;
  evaluate: Locator['evaluate'];
}

/** A tab. */
export interface Tab extends Finding {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string | Promise<string>;
  waitForURL(url: string | RegExp | ((url: URL) => boolean)): Promise<void>;
  evaluate: Page['evaluate'];
  readonly keyboard: { press(key: string): Promise<void> };
  screenshot(options: { path: string }): Promise<unknown>;
  bringToFront(): Promise<void>;
  close(): Promise<void>;
}

/** A person's browser with nothing in it. */
export interface EngineVisitor {
  readonly page: Tab;
  newTab(): Promise<Tab>;
  /** The file that the browser saves by what `start` does, once it is whole. */
  saved(start: () => Promise<unknown>): Promise<Buffer>;
  /** What the browser's console has of errors, warnings and refusals, but for what `allow` names. */
  problems(): readonly string[];
  allow(pattern: RegExp): void;
  close(): Promise<void>;
}

export interface EngineBrowser {
  visit(options?: VisitorOptions): Promise<EngineVisitor>;
  close(): Promise<void>;
}

/** The engines that this machine has: tests/needs/engines.mjs says at the end of a run which it lacks. */
export const enginesHere = (): Engine[] =>
  ENGINES.filter((engine) => (process.env.TEST_ENGINES ?? 'chromium').split(' ').includes(engine));

/** A browser's own settings that a page meets: nothing asks the person, and nothing is fetched from its makers. */
const FIREFOX_PREFS = {
  'app.normandy.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
};

const OLDER_FIREFOX = join(import.meta.dirname, 'older-firefox.mjs');

export async function openEngine(engine: Engine): Promise<EngineBrowser> {
  const own = { firefox, webkit }[engine as 'firefox' | 'webkit'] as BrowserType | undefined;
  const isPlaywrights = own !== undefined && existsSync(own.executablePath());
  if (engine === 'webkit' && !isPlaywrights) return { visit: openWebkitVisitor, close: async () => {} };
  const browser = await (isPlaywrights
    ? own.launch()
    : engine === 'firefox'
      ? firefox.launch({
          channel: 'moz-firefox',
          executablePath: OLDER_FIREFOX,
          firefoxUserPrefs: FIREFOX_PREFS,
        })
      : launchForShortVisits());
  return {
    async visit(options) {
      const { context, page, problems, allow, close } = await newVisitor(browser, options);
      return {
        page,
        newTab: () => context.newPage(),
        async saved(start) {
          const [download] = await Promise.all([context.pages()[0]!.waitForEvent('download'), start()]);
          const failure = await download.failure();
          if (failure !== null) throw new Error(`the browser could not save it: ${failure}`);
          return readFile(await download.path());
        },
        problems,
        allow,
        close,
      };
    },
    close: () => browser.close(),
  };
}
