import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadline, until, WAIT_MS } from '@satchel/contract/testing/pace';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import type { VisitorOptions } from '../browser.ts';
import { savedIn } from './downloads.ts';
import type { EngineVisitor, Found, Tab } from './tab.ts';

/** WebKitGTK, the engine of Safari, driven by its WebDriver (https://www.w3.org/TR/webdriver2/). */

const TESTING_LIBRARY = createRequire(import.meta.url).resolve(
  '@testing-library/dom/dist/@testing-library/dom.umd.min.js',
);
const BROWSER = join(import.meta.dirname, 'webkit-browser.js');
/** https://www.w3.org/TR/webdriver2/#elements: the name of an element's id in JSON. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/** https://www.w3.org/TR/webdriver2/#keyboard-actions */
const KEYS: Readonly<Record<string, string>> = {
  Escape: '\uE00C',
  Enter: '\uE007',
  Tab: '\uE004',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
};
/** Of an act on an element that is not ready yet, or on a page that is being left. */
const PASSING = /stale element reference|element not interactable|element click intercepted|no such element/;

/** A text to match, as it goes to the page. */
interface Wanted {
  readonly text: string;
  /** Of a regular expression. */
  readonly flags: string | null;
  readonly isExact: boolean;
}
type Step =
  | { readonly by: 'role'; readonly role: string; readonly name: Wanted | null }
  | { readonly by: 'text' | 'label' | 'hasText'; readonly wanted: Wanted }
  | { readonly by: 'css'; readonly selector: string }
  | { readonly by: 'first' };

const wantedOf = (text: string | RegExp, isExact = false): Wanted =>
  typeof text === 'string' ? { text, flags: null, isExact } : { text: text.source, flags: text.flags, isExact: false };

/** Runs in the page. */
function find(steps: readonly Step[]): Element[] {
  const library = (globalThis as unknown as { TestingLibraryDom: typeof import('@testing-library/dom') })
    .TestingLibraryDom;
  const spaced = (text: string | null) => (text ?? '').replaceAll(/\s+/g, ' ').trim();
  const matcher = ({ text, flags, isExact }: Wanted) => {
    if (flags !== null) return (value: string | null) => new RegExp(text, flags).test(spaced(value));
    if (isExact) return (value: string | null) => spaced(value) === spaced(text);
    return (value: string | null) => spaced(value).toLowerCase().includes(spaced(text).toLowerCase());
  };
  const take = (roots: readonly Element[], step: Step): Element[] => {
    if (step.by === 'first') return roots.slice(0, 1);
    if (step.by === 'css') return roots.flatMap((root) => [...root.querySelectorAll(step.selector)]);
    if (step.by === 'role') {
      const options = step.name ? { name: matcher(step.name) } : {};
      return roots.flatMap((root) => library.queryAllByRole(root as HTMLElement, step.role, options));
    }
    const matches = matcher(step.wanted);
    if (step.by === 'hasText') return roots.filter(({ textContent }) => matches(textContent));
    if (step.by === 'label') return roots.flatMap((root) => library.queryAllByLabelText(root as HTMLElement, matches));
    const withText = (element: Element) => !element.matches('script, style, template') && matches(element.textContent);
    return roots.flatMap((root) =>
      [...root.querySelectorAll('*')].filter((element) => withText(element) && ![...element.children].some(withText)),
    );
  };
  return [...new Set(steps.reduce(take, [document.body as Element]))];
}

/** Runs in the page. */
const isSeen = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
};

/** One window of a browser; its requests are sent one after the other, since the browser acts in one window at a time. */
class Session {
  readonly #address: string;
  readonly #handle: string;
  readonly #turn: { last: Promise<unknown>; handle: string };

  constructor(address: string, handle: string, turn = { last: Promise.resolve() as Promise<unknown>, handle }) {
    this.#address = address;
    this.#handle = handle;
    this.#turn = turn;
  }

  /** Another window of the same browser. */
  beside = (handle: string): Session => new Session(this.#address, handle, this.#turn);

  call<Result = void>(method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown = {}): Promise<Result> {
    const turn = this.#turn.last.then(async () => {
      if (this.#turn.handle !== this.#handle)
        await request(`${this.#address}/window`, 'POST', { handle: this.#handle });
      this.#turn.handle = this.#handle;
      return request<Result>(`${this.#address}${path}`, method, body);
    });
    this.#turn.last = turn.catch(() => undefined);
    return turn;
  }

  /** Runs a function's source in the page, with arguments that JSON can say, and waits for its promise. */
  async run<Result>(source: string, args: readonly unknown[] = []): Promise<Result> {
    const script = `const done = arguments[arguments.length - 1];
      (async () => (${source})(...[...arguments].slice(0, -1)))().then(
        (value) => done({ value }), (error) => done({ error: String(error) }));`;
    type Outcome = { value: Result; error?: string };
    const { value, error } = await this.call<Outcome>('POST', '/execute/async', { script, args });
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Runs a function on the elements that the steps lead to. */
  async runFound<Result>(steps: readonly Step[], act: string, ...args: readonly unknown[]): Promise<Result> {
    const source = `async (steps, ...rest) =>
      'TestingLibraryDom' in globalThis ? { it: await (${act})((${find})(steps), ...rest) } : null`;
    const first = await this.run<{ it: Result } | null>(source, [steps, ...args]);
    if (first) return first.it;
    library ??= readFile(TESTING_LIBRARY, 'utf8');
    await this.call('POST', '/execute/sync', {
      script: `(function () { ${await library} }).call(globalThis);`,
      args: [],
    });
    return this.runFound(steps, act, ...args);
  }
}

let library: Promise<string> | undefined;

async function request<Result>(address: string, method: string, body: unknown): Promise<Result> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method, headers, body: method === 'POST' ? JSON.stringify(body) : null });
  const { value } = (await answer.json()) as { value: Result & { error?: string; message?: string } };
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** Does it once what it needs is there. @throws what stood in the way at last */
async function eventually<Result>(act: () => Promise<Result>): Promise<Result> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > end || !PASSING.test((error as Error).message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Runs in the page. @throws unless the element can be used, stands still, and a pointer in its middle would meet it */
async function meetPointer(all: readonly Element[]): Promise<void> {
  const [element] = all;
  element?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  const place = () => JSON.stringify(element?.getBoundingClientRect());
  const before = place();
  await new Promise((resolve) => setTimeout(resolve, 40));
  const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  const isMet = element?.contains(hit) || (element && hit?.closest('label')?.control === element);
  const isDisabled = element?.matches(':disabled, [aria-disabled=true]');
  if (isDisabled || !isMet || place() !== before) throw new Error('element click intercepted');
}

/** Runs in the page: what a function makes of the first of the elements. */
const ofFirst = (run: string) => `(all, arg) => {
  if (!all[0]) throw new Error('no such element');
  return (${run})(all[0], arg);
}`;

function found(session: Session, steps: readonly Step[]): Found {
  const words = JSON.stringify(steps);
  async function element(): Promise<string> {
    const all: Record<string, string>[] = await session.runFound(steps, '(all) => all');
    if (all.length > 1) throw new Error(`${all.length} elements match ${words}`);
    return all[0]?.[ELEMENT] ?? Promise.reject(new Error(`no such element: ${words}`));
  }
  const act = (path: string, body?: unknown): Promise<void> =>
    eventually(async () => session.call('POST', `/element/${await element()}/${path}`, body));
  const evaluate = <Result>(run: string, arg: unknown = null): Promise<Result> =>
    eventually(() => session.runFound(steps, ofFirst(run), arg));
  async function click(): Promise<void> {
    await eventually(() => session.runFound(steps, String(meetPointer)));
    await act('click');
  }
  const more = (step: Step) => found(session, [...steps, step]);
  return {
    ...finding(more),
    filter: ({ hasText }) => more({ by: 'hasText', wanted: wantedOf(hasText) }),
    first: () => more({ by: 'first' }),
    click,
    check: click,
    pressSequentially: (text) => act('value', { text }),
    setInputFiles: (paths) => act('value', { text: paths.join('\n') }),
    count: () => session.runFound(steps, '(all) => all.length'),
    innerText: () => evaluate('(element) => element.innerText'),
    async waitFor({ state = 'visible' } = {}) {
      const counted = state === 'visible' ? `(all) => all.filter(${isSeen}).length` : '(all) => all.length';
      const isSo = async () => {
        // While a page is left for the next one, a script has nowhere to run.
        const count = await session.runFound<number>(steps, counted).catch(() => null);
        return state === 'detached' ? count === 0 : count !== null && count > 0;
      };
      await until(isSo, () => `${words} was not ${state}`);
    },
    evaluate: ((run: unknown, arg?: unknown) => evaluate(String(run), arg)) as Found['evaluate'],
  };
}

const finding = (more: (step: Step) => Found): Pick<Found, 'getByRole' | 'getByText' | 'getByLabel' | 'locator'> => ({
  getByRole: (role, { name, exact } = {}) =>
    more({ by: 'role', role, name: name === undefined ? null : wantedOf(name, exact) }),
  getByText: (text, { exact } = {}) => more({ by: 'text', wanted: wantedOf(text, exact) }),
  getByLabel: (text, { exact } = {}) => more({ by: 'label', wanted: wantedOf(text, exact) }),
  locator: (selector) => more({ by: 'css', selector }),
});

function tab(session: Session): Tab {
  const url = (): Promise<string> => session.call('GET', '/url');
  return {
    ...finding((step) => found(session, [step])),
    goto: (address) => session.call('POST', '/url', { url: address }),
    reload: () => session.call('POST', '/refresh'),
    url,
    async waitForURL(wanted) {
      const isThere = (address: string) =>
        typeof wanted === 'function'
          ? wanted(new URL(address))
          : typeof wanted === 'string'
            ? wanted === address
            : wanted.test(address);
      await until(
        async () => isThere(await url()),
        () => `the address was not ${wanted}`,
      );
    },
    evaluate: ((run: unknown, arg: unknown = null) => session.run(String(run), [arg])) as Tab['evaluate'],
    keyboard: {
      async press(key) {
        const value = KEYS[key] ?? key;
        const actions = [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ];
        await session.call('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
      },
    },
    screenshot: async ({ path }) =>
      writeFile(path, Buffer.from(await session.call<string>('GET', '/screenshot'), 'base64')),
    bringToFront: () => session.call('GET', '/url'),
    close: () => session.call('DELETE', '/window'),
  };
}

/** What the browser prints of a page, among lines about itself and its machine. */
const OF_A_PAGE = /\bCONSOLE ([A-Z]+ )*(ERROR|WARN)/;

/**
 * What WebKitGTK says on each page of what it leaves out by itself, and others need: it has no manifests of apps, and `interactive-widget`
 * is Chromium's on Android.
 */
const LEFT_OUT = [
  /Unrecognized Content-Security-Policy directive 'manifest-src'/,
  /Viewport argument key "interactive-widget" not recognized and ignored/,
  // The container authenticates by HMAC (docs/container.md).
  /AES-CBC and AES-CTR do not provide authentication by default/,
  // What a page still asked of its own origin when it was left.
  /(https?:\/\/[^/]+)\/\S+ CONSOLE JS ERROR Fetch API cannot load \1\/\S+ due to access control checks/,
];

export async function openWebkitVisitor(
  { width = 1440, height = 900 }: VisitorOptions = {},
  own: readonly string[] = [],
): Promise<EngineVisitor> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-webkit-'));
  const downloads = join(folder, 'Downloads');
  const log = join(folder, 'console.log');
  await Promise.all([mkdir(downloads), mkdir(join(folder, '.config')), writeFile(log, '')]);
  await writeFile(join(folder, '.config/user-dirs.dirs'), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n');
  // The driver drops what its browser prints, which is all that tells what the console says.
  const binary = join(folder, 'browser');
  await writeFile(binary, `#!/bin/sh\nexec "${process.env.GJS_PATH}" -m "${BROWSER}" "$@" >>"${log}" 2>&1\n`, {
    mode: 0o755,
  });
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_DATA_HOME: join(folder, '.local'),
    XDG_CACHE_HOME: join(folder, '.cache'),
    LIBGL_ALWAYS_SOFTWARE: '1',
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  };
  const port = await freePort();
  const driver = spawn(process.env.WEBKIT_DRIVER_PATH ?? '', [`--port=${port}`], {
    env,
    stdio: 'ignore',
    detached: true,
  });
  const address = `http://127.0.0.1:${port}`;
  await until(
    () =>
      fetch(`${address}/status`).then(
        ({ ok }) => ok,
        () => false,
      ),
    () => 'WebKitWebDriver did not start',
  );
  const alwaysMatch = {
    'webkitgtk:browserOptions': { binary, args: own },
  };
  const { sessionId } = await request<{ sessionId: string }>(`${address}/session`, 'POST', {
    capabilities: { alwaysMatch },
  });
  const base = `${address}/session/${sessionId}`;
  const first = new Session(base, await request(`${base}/window`, 'GET', null));
  await first.call('POST', '/timeouts', { script: deadline(300), pageLoad: WAIT_MS, implicit: 0 });
  await resize(first, width, height);
  const allowed: RegExp[] = [...LEFT_OUT];
  return {
    page: tab(first),
    async newTab() {
      const { handle } = await first.call<{ handle: string }>('POST', '/window/new', { type: 'tab' });
      const beside = first.beside(handle);
      await resize(beside, width, height);
      return tab(beside);
    },
    saved: (start) => savedIn(downloads, start),
    problems: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => OF_A_PAGE.test(line) && !allowed.some((pattern) => pattern.test(line))),
    allow: (pattern) => void allowed.push(pattern),
    async close() {
      await first.call('DELETE', '').catch(() => {}); // it may have crashed
      process.kill(-driver.pid!, 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Gives the page itself this size, without the window's frame. */
async function resize(session: Session, width: number, height: number): Promise<void> {
  await session.call('POST', '/window/rect', { width, height });
  const [innerWidth, innerHeight] = await session.run<[number, number]>('() => [innerWidth, innerHeight]');
  await session.call('POST', '/window/rect', { width: 2 * width - innerWidth, height: 2 * height - innerHeight });
}
