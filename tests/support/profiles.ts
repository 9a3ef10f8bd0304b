import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/**
 * Profiles of a test's browser, with a page each. Where a visitor has left a profile as it can be cleared, the next visitor
 * takes it, also of the next test file: to start a process for a page, and to compile the site's scripts in it, takes more
 * than the half of a short visit. What stays are files of the site that any browser may keep, and their compiled scripts.
 */
export interface Profile {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Clears the profile for a next visitor, or closes it. */
  leave(): Promise<void>;
}

type Ending = { detach(): Promise<void> } | { dispose(): Promise<void> };

interface Profiles {
  readonly taken: Set<Profile>;
  /** By their options. */
  readonly cleared: Map<string, Profile[]>;
}

/** More are seldom open at one time. */
const CLEARED_MAX = 4;
const CLEARING_TIMEOUT_MS = 10_000;
/** What they do can't be undone, or not so surely that the next test may depend on it. */
const LASTING = {
  context: [
    'routeWebSocket',
    'grantPermissions',
    'clearPermissions',
    'setExtraHTTPHeaders',
    'setGeolocation',
    'setHTTPCredentials',
  ],
  page: ['routeWebSocket', 'emulateMedia', 'setExtraHTTPHeaders'],
  clock: ['install', 'fastForward', 'pauseAt', 'resume', 'runFor', 'setFixedTime', 'setSystemTime'],
};
/** Methods whose result has a `dispose` or `detach` that undoes the call. */
const ENDING = ['addInitScript', 'exposeFunction', 'exposeBinding', 'newCDPSession'];
const profilesOf = new WeakMap<Browser, Profiles>();

function profilesIn(browser: Browser): Profiles {
  const known = profilesOf.get(browser) ?? { taken: new Set(), cleared: new Map() };
  profilesOf.set(browser, known);
  return known;
}

/** Takes a cleared profile, or makes one. */
export async function takeProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const { taken, cleared } = profilesIn(browser);
  const profile = cleared.get(JSON.stringify(options))?.pop() ?? (await makeProfile(browser, options));
  taken.add(profile);
  return profile;
}

/** Leaves the profiles that visitors still have, and closes every other context but the cleared ones. */
export async function leaveProfiles(browser: Browser): Promise<void> {
  const { taken, cleared } = profilesIn(browser);
  await Promise.all([...taken].map((profile) => profile.leave()));
  const kept = new Set([...cleared.values()].flat().map(({ context }) => context));
  await Promise.all(browser.contexts().map((context) => (kept.has(context) ? undefined : context.close())));
}

/** A test can answer the dialog of a file input only. */
export const withInputsOnly = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    Reflect.deleteProperty(window, 'showOpenFilePicker');
    Reflect.deleteProperty(window, 'showDirectoryPicker');
  });

/** Runs in the page: resolves once the page has done its waiting tasks and drawn a frame. */
const caughtUp = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    // A hidden page has no frames.
    setTimeout(resolve, 200);
  });

/**
 * Makes `route` resolve only once the open page's process has the new route. Chromium lets a click overtake that message: on a
 * busy page, 22 of 450 clicks sent their request to the server although a route for it was set right before.
 */
export function withRoutesFirst(context: BrowserContext): void {
  const catchUp = async (page: Page) => {
    if (page.url() !== 'about:blank') await page.evaluate(caughtUp).catch(() => undefined);
  };
  const watch = (owner: Pick<Page, 'route'>, pages: () => readonly Page[]) => {
    const route = owner.route.bind(owner);
    owner.route = async (...args) => {
      const routed = await route(...args);
      await Promise.all(pages().map(catchUp));
      return routed;
    };
  };
  watch(context, () => context.pages());
  for (const page of context.pages()) watch(page, () => [page]);
  context.on('page', (page) => watch(page, () => [page]));
}

async function makeProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const context = await browser.newContext(options);
  await withInputsOnly(context);
  withRoutesFirst(context);
  const page = await context.newPage();
  const origins = watchOrigins(context, page);
  const removeListeners = [context, page].map((emitter) => watchListeners(emitter));
  const devtools = await context.newCDPSession(page);
  const lasting = watchCalls(context, page);
  const begun = [context, page].map((owner) => watchEnding(owner));

  /** Clears what the page's origin has stored. */
  async function clearStorage(origin: string): Promise<void> {
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await page.evaluate(() => {
      sessionStorage.clear();
      window.name = '';
    });
  }

  async function clear(): Promise<void> {
    const [first, ...others] = origins;
    if (!first) throw new Error('visited no site');
    if (lasting.size > 0) throw new Error(`called ${[...lasting].join(', ')}`);
    for (const remove of removeListeners) remove();
    for (const endAll of begun) await endAll();
    await Promise.all(context.pages().map((each) => (each === page ? undefined : each.close())));
    await context.setOffline(false);
    // A page of the site without scripts: what is stored can't be written again, and the process stays. The page before it
    // is gone before its routes are: a request that one of them held would go on, and one that is being answered would fail.
    await page.goto(`${first}/healthz`);
    await Promise.all([page, context].map((routed) => routed.unrouteAll({ behavior: 'ignoreErrors' })));
    await context.clearCookies();
    await clearStorage(first);
    for (const origin of others) {
      await page.goto(`${origin}/healthz`);
      await clearStorage(origin);
    }
    await devtools.send('Page.resetNavigationHistory');
    if (options.viewport) await page.setViewportSize(options.viewport);
    await page.mouse.move(-1, -1);
    origins.clear();
  }

  const profile: Profile = {
    context,
    page,
    async leave() {
      const { taken, cleared } = profilesIn(browser);
      if (!taken.delete(profile)) return;
      const key = JSON.stringify(options);
      const alike = cleared.get(key) ?? [];
      cleared.set(key, alike);
      if ((await isDone(clear())) && alike.length < CLEARED_MAX) alike.push(profile);
      else await context.close();
    },
  };
  return profile;
}

/** False if it fails, or takes too long: a page in the midst of another navigation may never answer. */
async function isDone(task: Promise<void>): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, CLEARING_TIMEOUT_MS, false);
  const done = task.then(
    () => true,
    () => false,
  );
  return Promise.race([done, tooLate]).finally(() => clearTimeout(timer));
}

/** @returns names of the lasting calls so far */
function watchCalls(context: BrowserContext, page: Page): Set<string> {
  const called = new Set<string>();
  const watch = (owner: object, names: readonly string[]) => {
    const methods = owner as Record<string, (...args: unknown[]) => unknown>;
    for (const name of names) {
      const method = methods[name];
      if (!method) throw new Error(`there is no ${name}`);
      methods[name] = (...args) => {
        called.add(name);
        return method.apply(owner, args);
      };
    }
  };
  watch(context, LASTING.context);
  watch(page, LASTING.page);
  watch(context.clock, LASTING.clock);
  return called;
}

/** @returns ends what was begun since: scripts for pages, functions of theirs, and what DevTools sessions have set */
function watchEnding(owner: object): () => Promise<void> {
  const methods = owner as Record<string, ((...args: unknown[]) => Promise<Ending>) | undefined>;
  const begun: Ending[] = [];
  for (const name of ENDING) {
    const begin = methods[name];
    if (!begin) continue;
    methods[name] = async (...args) => {
      const ending = await begin.apply(owner, args);
      begun.push(ending);
      return ending;
    };
  }
  return async () => {
    // A closed page has ended its own.
    await Promise.allSettled(begun.splice(0).map((each) => ('detach' in each ? each.detach() : each.dispose())));
  };
}

/** @returns the origins of all documents so far, but for blank ones */
function watchOrigins(context: BrowserContext, page: Page): Set<string> {
  const origins = new Set<string>();
  const watch = (each: Page) =>
    each.on('framenavigated', (frame) => {
      const { origin } = new URL(frame.url());
      if (origin !== 'null') origins.add(origin);
    });
  watch(page);
  context.on('page', watch);
  return origins;
}

interface Emitter {
  eventNames(): (string | symbol)[];
  rawListeners(name: string | symbol): ((...args: unknown[]) => unknown)[];
  off(name: string | symbol, listener: (...args: unknown[]) => unknown): unknown;
}

/** @returns removes the listeners that were added since, such as those of a visitor who was never closed */
function watchListeners(watched: unknown): () => void {
  const emitter = watched as Emitter;
  const list = () =>
    emitter.eventNames().flatMap((name) => emitter.rawListeners(name).map((listener) => ({ name, listener })));
  const first = new Set(list().map(({ listener }) => listener));
  return () => {
    for (const { name, listener } of list()) if (!first.has(listener)) emitter.off(name, listener);
  };
}
