import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';

/** What each engine's driver hears of the console. If it heard nothing, each story would find its console clean. */

const FAULTS: Readonly<Record<string, { readonly script: string; readonly worker?: string; readonly said: RegExp }>> = {
  'an error in the console': { script: `console.error('bad news')`, said: /bad news/ },
  'a warning in the console': { script: `console.warn('odd news')`, said: /odd news/ },
  'an exception': { script: `setTimeout(() => { throw new Error('thrown late'); })`, said: /thrown late/ },
  'a rejection that nothing handles': { script: `Promise.reject(new Error('not awaited'))`, said: /not awaited/ },
  'a picture that the policy forbids': {
    script: `document.body.append(Object.assign(new Image(), { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' }))`,
    said: /policy/i,
  },
  'a style that the policy forbids': {
    script: `document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { color: red }' }))`,
    said: /policy/i,
  },
  'a string that the policy forbids to run': {
    script: `document.body.setAttribute('onclick', 'void 0'); document.body.click()`,
    said: /policy/i,
  },
  'an error in a worker’s console': {
    script: `new Worker('/worker.js')`,
    worker: `console.error('hard at work')`,
    said: /hard at work/,
  },
  'an exception in a worker': {
    script: `new Worker('/worker.js')`,
    worker: `throw new Error('broke at work')`,
    said: /broke at work/,
  },
  'a rejection in a worker that nothing handles': {
    script: `new Worker('/worker.js')`,
    worker: `Promise.reject(new Error('left at work'))`,
    said: /left at work/,
  },
};

let server: Server;
let url: string;
/** Of the page that is open. */
let fault: (typeof FAULTS)[string] | null;

beforeAll(async () => {
  server = createServer(({ url: path }, response) => {
    const scripts: Readonly<Record<string, string | undefined>> = {
      '/page.js': fault?.script,
      '/worker.js': fault?.worker,
    };
    const isScript = path !== undefined && path in scripts;
    response.writeHead(200, {
      'Content-Type': isScript ? 'text/javascript' : 'text/html',
      'Content-Security-Policy': "default-src 'self'",
      'Cache-Control': 'no-store',
    });
    response.end(
      isScript
        ? (scripts[path] ?? '')
        : '<!doctype html><link rel="icon" href="/page.js"><body><p>Open</p><script src="/page.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

describe.each(enginesHere())('the console of %s', (engine) => {
  let browser: EngineBrowser;
  let visitor: EngineVisitor;
  beforeAll(async () => {
    browser = await openEngine(engine);
    visitor = await browser.visit();
  });
  afterAll(async () => {
    await visitor?.close();
    await browser?.close();
  });

  test('has nothing to say of a page that does nothing wrong', async () => {
    fault = null;
    await visitor.page.goto(url);
    await visitor.page.getByText('Open').waitFor();
    expect(visitor.problems()).toEqual([]);
  });

  test.each(Object.entries(FAULTS))('tells of %s', async (_what, made) => {
    fault = made;
    const before = visitor.problems().length;
    await visitor.page.goto(url);
    const since = () => visitor.problems().slice(before).join('\n');
    await expect.poll(since).toMatch(made.said);
  });
});
