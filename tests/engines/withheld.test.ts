import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type Engine, enginesHere, type OwnSettings, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';
import { randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { bodyOf, passOn } from '../support/lying-server.ts';
import { createFolderAs, type OwnedFolder, signIn } from '../support/people.ts';
import { refuseStorage } from '../support/refuse-storage.ts';
import { test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';
import { clip, MIB, NOTES, PICTURE } from './kinds.ts';
import { card, look, playFrom } from './looking.ts';

/** What a page can do in every engine where the browser withholds a part of it: cells of the table in docs/browsers.md. */

/** More than a page opens unasked, and so large that the page offers to compare it. */
const LARGE: TestFile = { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(26 * MIB) };
let files: readonly TestFile[];
/** More than a page saves from memory. */
const TOO_LARGE: TestFile = { name: 'disk.img', mimeType: 'application/octet-stream', buffer: Buffer.alloc(257 * MIB) };

function withholdServiceWorkers(): void {
  Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
}

function failDatabases(): void {
  IDBFactory.prototype.open = () => {
    throw new DOMException('Internal error opening backing store.', 'UnknownError');
  };
}

interface Cell {
  readonly what: string;
  /** Without these, what is withheld is withheld in every engine by a script. */
  readonly own?: Partial<Record<Engine, OwnSettings>>;
  readonly withhold: (() => void) | null;
  readonly saves: 'from memory' | 'as ever';
  /** What the page says of this browser. */
  readonly says: RegExp | null;
}

const CELLS: readonly Cell[] = [
  { what: 'all storage', withhold: refuseStorage, saves: 'from memory', says: /keeps no data for this site/ },
  { what: 'service workers', withhold: withholdServiceWorkers, saves: 'from memory', says: null },
  { what: 'databases', withhold: failDatabases, saves: 'as ever', says: null },
  {
    what: 'what Firefox withholds where cookies are blocked',
    own: { firefox: { firefoxPrefs: { 'network.cookie.cookieBehavior': 2 } } },
    withhold: null,
    saves: 'from memory',
    says: /keeps nothing for this site/,
  },
  {
    what: 'what Firefox withholds from a private window',
    own: { firefox: { firefoxPrefs: { 'browser.privatebrowsing.autostart': true } } },
    withhold: null,
    saves: 'as ever',
    says: null,
  },
  {
    what: 'what WebKit withholds from a private window',
    own: { webkit: { webkitArgs: ['--private'] } },
    withhold: null,
    saves: 'as ever',
    says: null,
  },
  {
    what: 'the cookies that WebKit refuses',
    own: { webkit: { webkitArgs: ['--no-cookies'] } },
    withhold: null,
    saves: 'as ever',
    says: null,
  },
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
let tooLarge: OwnedFolder;
test.beforeAll(async () => {
  const port = await freePort();
  front = createServer((request, response) => answer(port, request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  site = await startSite({ port, publicUrl, env: { MAX_FILE_BYTES: '300MiB', FREE_STORAGE_BYTES: '1GiB' } });
  const owner = await signIn(site, 'mika');
  files = [NOTES, PICTURE, await clip(), LARGE];
  folder = await createFolderAs(owner, site, { name: 'Driftwood', files });
  tooLarge = await createFolderAs(owner, site, { name: 'Wreck', files: [NOTES, TOO_LARGE] });
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await site?.stop();
});

describe.each(enginesHere())('in %s', (engine) => {
  // Firefox overwrites the file of an earlier visit that has the same name.
  let close: () => Promise<void>;
  afterEach(() => close());

  async function visitAs({ own, withhold: script }: Cell): Promise<EngineVisitor> {
    withhold = script;
    const browser = await openEngine(engine, own?.[engine]);
    close = browser.close;
    const visitor = await browser.visit();
    close = () => visitor.close().finally(browser.close);
    return visitor;
  }

  test.each(CELLS.filter(({ own }) => !own || engine in own))(
    'without $what, files are looked at, and saved $saves',
    async (cell) => {
      const visitor = await visitAs(cell);
      const { page } = visitor;
      await page.goto(folder.link());
      const notes = await look(page, NOTES.name);
      await notes.dialog.getByText('The ferry leaves at nine.').first().waitFor();
      await notes.close();
      const { dialog, close } = await look(page, PICTURE.name);
      const picture = dialog.getByRole('img', { name: PICTURE.name });
      await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(512);
      await close();
      const film = await look(page, 'clip.webm');
      await film.dialog.locator('video').evaluate(playFrom, 0);
      await film.close();
      const saved = await visitor.saved(() => card(page, LARGE.name).getByRole('button', { name: 'Download' }).click());
      expect(sha256(saved)).toBe(sha256(LARGE.buffer));
      const zip = await visitor.saved(() => page.getByRole('button', { name: 'Download all' }).click());
      const packed = unzip(zip).map(({ name, bytes }) => [name, sha256(bytes)]);
      expect(Object.fromEntries(packed)).toEqual(
        Object.fromEntries(files.map(({ name, buffer }) => [name, sha256(buffer)])),
      );
      const notice = page.getByRole('complementary', { name: 'What this browser keeps' });
      if (cell.says) await notice.getByText(cell.says).waitFor();
      else expect(await notice.count()).toBe(0);
      // Nothing tells the page there whether the browser wrote it all.
      if (cell.saves === 'from memory') await page.getByRole('region', { name: 'Is the download whole?' }).waitFor();

      await page.goto(tooLarge.link());
      await card(page, TOO_LARGE.name).waitFor();
      const ofOne = page.getByRole('complementary', { name: 'Download' });
      const ofZip = page.getByText(/can pack at most 256\.00 MB into one zip/);
      if (cell.saves === 'from memory') {
        await ofOne.getByText(/can only save encrypted files of up to 256\.00 MB/).waitFor();
        await ofZip.waitFor();
      } else expect([await ofOne.count(), await ofZip.count()]).toEqual([0, 0]);
      expect(visitor.problems()).toEqual([]);
    },
  );
});
