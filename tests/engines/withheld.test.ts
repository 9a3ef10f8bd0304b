import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';
import { randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { bodyOf, passOn } from '../support/lying-server.ts';
import { createFolderAs, type OwnedFolder, signIn } from '../support/people.ts';
import { refuseStorage } from '../support/refuse-storage.ts';
import { test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';
import { MIB, NOTES, PICTURE } from './kinds.ts';
import { card, look } from './looking.ts';

/** What a page can do in every engine where the browser withholds a part of it: cells of the table in docs/browsers.md. */

/** More than a page opens unasked, and so large that the page offers to compare it. */
const LARGE: TestFile = { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(26 * MIB) };
const FILES = [NOTES, PICTURE, LARGE];

function withholdServiceWorkers(): void {
  Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
}

function failDatabases(): void {
  IDBFactory.prototype.open = () => {
    throw new DOMException('Internal error opening backing store.', 'UnknownError');
  };
}

const CELLS = [
  { what: 'all storage', withhold: refuseStorage, saves: 'from memory' },
  { what: 'service workers', withhold: withholdServiceWorkers, saves: 'from memory' },
  { what: 'databases', withhold: failDatabases, saves: 'as ever' },
];

let withhold: (() => void) | null = null;

/** Passes all on, and has the page begin by what the browser of this person withholds: its policy allows that script, too. */
async function answer(port: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const honest = await passOn(port, request, request.url ?? '/', await bodyOf(request));
  const { 'transfer-encoding': _, ...headers } = honest.headers;
  const policy = String(headers['content-security-policy']);
  if (!withhold || !policy.includes('script-src') || !headers['content-type']?.startsWith('text/html')) {
    response.writeHead(honest.statusCode ?? 502, headers);
    honest.pipe(response);
    response.on('close', () => honest.destroy());
    return;
  }
  const script = `(${withhold})()`;
  const hash = createHash('sha256').update(script).digest('base64');
  headers['content-security-policy'] = policy.replace('script-src', `script-src 'sha256-${hash}'`);
  delete headers['content-length'];
  response.writeHead(honest.statusCode ?? 502, headers);
  const page = (await bodyOf(honest)).toString();
  response.end(page.replace(/<head[^>]*>/, (head) => `${head}<script>${script}</script>`));
}

let front: Server;
let site: Site;
let folder: OwnedFolder;
test.beforeAll(async () => {
  const port = await freePort();
  front = createServer((request, response) => answer(port, request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  site = await startSite({ port, publicUrl: `http://127.0.0.1:${(front.address() as AddressInfo).port}` });
  folder = await createFolderAs(await signIn(site, 'mika'), site, { name: 'Driftwood', files: FILES });
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await site?.stop();
});

describe.each(enginesHere())('in %s', (engine) => {
  // Firefox writes a file of the same name over that of an earlier visit.
  let browser: EngineBrowser;
  let visitor: EngineVisitor;
  beforeEach(async () => {
    browser = await openEngine(engine);
    visitor = await browser.visit();
  });
  afterEach(async () => {
    await visitor.close();
    await browser.close();
  });

  test.each(CELLS)('without $what, files are looked at, and saved $saves', async (cell) => {
    ({ withhold } = cell);
    const { page } = visitor;
    await page.goto(folder.link());
    const notes = await look(page, NOTES.name);
    await notes.dialog.getByText('The ferry leaves at nine.').first().waitFor();
    await notes.close();
    const { dialog, close } = await look(page, PICTURE.name);
    const picture = dialog.getByRole('img', { name: PICTURE.name });
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(512);
    await close();
    const saved = await visitor.saved(() => card(page, LARGE.name).getByRole('button', { name: 'Download' }).click());
    expect(sha256(saved)).toBe(sha256(LARGE.buffer));
    const zip = await visitor.saved(() => page.getByRole('button', { name: 'Download all' }).click());
    const packed = unzip(zip).map(({ name, bytes }) => [name, sha256(bytes)]);
    expect(Object.fromEntries(packed)).toEqual(
      Object.fromEntries(FILES.map(({ name, buffer }) => [name, sha256(buffer)])),
    );
    // Nothing tells the page there whether the browser wrote it all.
    if (cell.saves === 'from memory') await page.getByRole('region', { name: 'Is the download whole?' }).waitFor();
    expect(visitor.problems()).toEqual([]);
  });
});
