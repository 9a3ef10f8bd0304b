import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';
import { randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { bodyOf, passOn } from '../support/lying-server.ts';
import { createFolderAs, type OwnedFolder, signIn } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';
import { FILM_SECONDS, film, PACKED, STREAMED_BYTES } from './kinds.ts';
import { card, look, playFrom } from './looking.ts';

/**
 * A page that gets no bytes for 20 seconds says so, and lets the person try again, in every engine. The server here says that it is
 * there, and never answers requests for stored bytes.
 */

const WAITS = 'Waiting for the server';
const LARGE: TestFile = {
  name: 'archive.bin',
  mimeType: 'application/octet-stream',
  buffer: randomBytesOf(STREAMED_BYTES),
};
/** A listing is read from the end of its zip. */
const ZIP: TestFile = { ...PACKED, buffer: Buffer.concat([randomBytesOf(STREAMED_BYTES), PACKED.buffer]) };

/** Runs in the page: ends when the film has passed a place by itself. */
function plays(element: SVGElement | HTMLElement, seconds: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => (element as HTMLVideoElement).currentTime > seconds + 0.3 && resolve();
    element.addEventListener('timeupdate', look);
  });
}

/** Requests for stored bytes that come while this is true are never answered, also afterwards. */
let isStuck = false;

async function answer(port: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isStuck && request.url?.includes('/storage/')) return;
  const honest = await passOn(port, request, request.url ?? '/', await bodyOf(request));
  response.writeHead(honest.statusCode ?? 502, honest.headers);
  honest.pipe(response);
  response.on('close', () => honest.destroy());
}

let front: Server;
let site: Site;
let folder: OwnedFolder;
let journey: TestFile;
test.beforeAll(async () => {
  const port = await freePort();
  front = createServer((request, response) => answer(port, request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  site = await startSite({ port, publicUrl: `http://127.0.0.1:${(front.address() as AddressInfo).port}` });
  journey = await film('journey.mp4');
  folder = await createFolderAs(await signIn(site, 'mika'), site, { name: 'Still', files: [journey, LARGE, ZIP] });
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await site?.stop();
});

describe.each(enginesHere())('what stands still in %s', (engine) => {
  inOrder();
  let browser: EngineBrowser;
  let visitor: EngineVisitor;

  test.beforeAll(async () => {
    isStuck = false;
    browser = await openEngine(engine);
    visitor = await browser.visit();
    await visitor.page.goto(folder.link());
    await card(visitor.page, journey.name).waitFor();
  });
  afterAll(async () => {
    await visitor?.close();
    await browser?.close();
  });

  test('a film says that the server is waited for, and continues from its place after Retry', async () => {
    const { dialog, close } = await look(visitor.page, journey.name);
    const player = dialog.locator('video');
    await player.waitFor();
    await player.evaluate(playFrom, 0);
    isStuck = true;
    await player.evaluate((element, at) => {
      (element as HTMLVideoElement).currentTime = at;
    }, FILM_SECONDS / 2);
    const said = dialog.getByRole('status').filter({ hasText: WAITS });
    await said.waitFor();
    isStuck = false;
    await said.getByRole('button', { name: 'Retry' }).click();
    await player.evaluate(plays, FILM_SECONDS / 2);
    await said.waitFor({ state: 'detached' });
    await close();
  });

  test('a listing says that the server is waited for, and loads after Retry', async () => {
    isStuck = true;
    const { dialog, close } = await look(visitor.page, ZIP.name);
    await dialog.getByRole('status').filter({ hasText: WAITS }).waitFor();
    isStuck = false;
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText('harbour.txt').first().waitFor();
    await close();
    expect(visitor.problems()).toEqual([]);
  });

  // Drivers of other engines answer nothing while a save waits for its first bytes.
  if (engine !== 'chromium') return;
  test('a save and a zip say that the server is waited for, and are whole when they are tried again', async () => {
    const { page } = visitor;
    isStuck = true;
    await card(page, LARGE.name).getByRole('button', { name: 'Download' }).click();
    await page.getByRole('button', { name: 'Download all' }).click();
    await card(page, LARGE.name).getByText(WAITS).waitFor();
    const zip = page.getByRole('region', { name: 'Download as zip' });
    await zip.getByText(WAITS).waitFor();
    isStuck = false;
    await zip.getByRole('button', { name: 'Cancel' }).click();
    const saved = await visitor.saved(() => card(page, LARGE.name).getByRole('button', { name: 'Retry' }).click());
    expect(sha256(saved)).toBe(sha256(LARGE.buffer));
    const whole = await visitor.saved(() => page.getByRole('button', { name: 'Download all' }).click());
    expect(unzip(whole).map(({ name, bytes }) => [name, sha256(bytes)])).toEqual(
      [journey, LARGE, ZIP].map(({ name, buffer }) => [name, sha256(buffer)]),
    );
    expect(visitor.problems()).toEqual([]);
  });
});
