import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, firefox, webkit } from 'playwright-core';
import { launchForShortVisits, newVisitor, type VisitorOptions } from '../browser.ts';
import { savedIn } from './downloads.ts';
import type { EngineVisitor } from './tab.ts';
import { openWebkitVisitor } from './webkit.ts';

/**
 * One way to act as a person in Chromium, Firefox and WebKit. Playwright drives Chromium, Firefox (by WebDriver BiDi) and its own
 * build of WebKit; the WebKit of a Debian, which it can't drive, is driven by WebDriver (`webkit.ts`) with the part of Playwright's
 * interface that `tab.ts` names.
 */

export const ENGINES = ['chromium', 'firefox', 'webkit'] as const;
export type Engine = (typeof ENGINES)[number];

/** Settings that a person has made in the browser itself. */
export interface OwnSettings {
  readonly firefoxPrefs?: Readonly<Record<string, boolean | number | string>>;
  /** Arguments of webkit-browser.js. */
  readonly webkitArgs?: readonly string[];
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

/**
 * Firefox prints this as an error whenever the reader of a service worker's answer leaves before its end, as a player does at each jump
 * and when its film is closed. No site can avoid it: an answer that is a Blob, a stream with or without `cancel`, or what `fetch` gave
 * has it alike, in a page of ten lines (Firefox ESR 153; SynthesizeResponseWatcher::BodyComplete in FetchEventOpChild.cpp). Between the
 * quotes stands the address that the answer came from, which is empty where the worker made the answer: so an answer that was passed on
 * from the network is not allowed to end like that. A save or a film that fails for a reason of ours fails its own test.
 */
const LEFT_UNREAD = /Failed to load ‘’\. A ServiceWorker intercepted the request and encountered an unexpected error/;
/** Firefox shows a PDF that it has saved, and its own viewer warns of the file's address. */
const OWN_PDF_VIEWER = /Invalid absolute docBaseUrl: "file:/;

const OLDER_FIREFOX = join(import.meta.dirname, 'older-firefox.mjs');

function launch(engine: Engine, own: OwnSettings, isPlaywrights: boolean, downloadsPath: string): Promise<Browser> {
  if (engine === 'chromium') return launchForShortVisits({ downloadsPath });
  const firefoxUserPrefs = { ...FIREFOX_PREFS, ...own.firefoxPrefs };
  if (isPlaywrights) return { firefox, webkit }[engine].launch({ downloadsPath, firefoxUserPrefs });
  return firefox.launch({ channel: 'moz-firefox', executablePath: OLDER_FIREFOX, firefoxUserPrefs, downloadsPath });
}

export async function openEngine(engine: Engine, own: OwnSettings = {}): Promise<EngineBrowser> {
  const isPlaywrights = engine !== 'chromium' && existsSync({ firefox, webkit }[engine].executablePath());
  if (engine === 'webkit' && !isPlaywrights) {
    return { visit: (options) => openWebkitVisitor(options, own.webkitArgs), close: async () => {} };
  }
  const downloads = await mkdtemp(join(tmpdir(), 'satchel-downloads-'));
  const browser = await launch(engine, own, isPlaywrights, downloads);
  return {
    async visit(options) {
      const { context, page, problems, allow, close } = await newVisitor(browser, { ...options, hearsWarnings: true });
      if (engine === 'firefox') for (const line of [LEFT_UNREAD, OWN_PDF_VIEWER]) allow(line);
      // A person who leaves a page with a running upload means it, as one who is driven by WebDriver does.
      page.on('dialog', (dialog) => dialog.accept());
      return {
        page,
        newTab: () => context.newPage(),
        saved: (start) => savedIn(downloads, start),
        problems,
        allow,
        close,
      };
    },
    async close() {
      await browser.close();
      await rm(downloads, { recursive: true, force: true });
    },
  };
}
