import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf } from '../support/files.ts';
import { type CreatedFolder, createPlainFolder, type Person, runTus, signIn } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';
import { createStranger, type Stranger } from '../support/stranger.ts';

/** One network with more idle readers than the process has descriptors: other clients are not affected. */

const MAX_DESCRIPTORS = 512;
const READERS = 1500;
const FILE_BYTES = 12 * 1024 ** 2;
/** All of 127.0.0.0/8 is this machine: the attacker is 127.0.0.1, the stranger 127.0.0.2. */
const [ATTACKER, OBSERVER] = ['127.0.0.1', '127.0.0.3'];

describe('idle readers of one network', () => {
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;
  let stranger: Stranger;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    site = await startSite({ maxDescriptors: MAX_DESCRIPTORS, hasOneServer: true });
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
    stranger = await createStranger(site.url, await signIn(site, 'jonas'));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await site.stop();
  });

  /** Sends a request on a connection of its own. */
  const ask = (from: string, path: string) =>
    new Promise<{ status: number | undefined; retryAfter: string | undefined; text: string }>((resolve, reject) => {
      get(site.url + path, { localAddress: from, agent: false }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'], text });
      }).on('error', reject);
    });

  /** Open connections, as the server reports them. */
  const openDescriptors = async () =>
    Number(/^process_open_fds (\d+)$/m.exec((await ask(OBSERVER, '/metrics')).text)?.[1]);

  /** Requests the file and never reads it; resolves once the request is sent, or the connection is refused. */
  const openReader = (path: string) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port: Number(new URL(site.url).port), host: '127.0.0.1', localAddress: ATTACKER });
      sockets.push(socket);
      socket.pause();
      socket.on('error', () => resolve()).on('close', () => resolve());
      socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`, () => resolve()));
    });

  test('don’t affect pages, lists and uploads of other networks, and free everything when they leave', async () => {
    const path = `${folder.bucket_storage_path}/film_1_a.bin`;
    const { error } = await runTus({ url: site.url, person: mika, path }, randomBytesOf(FILE_BYTES));
    expect(error).toBeNull();
    const before = await openDescriptors();
    expect(before).toBeGreaterThan(0);

    await Promise.all(
      Array.from({ length: READERS }, () => openReader(`/storage/v1/object/public/unlocked-folders/${path}`)),
    );
    // Both fail on the first answer that is not 2xx.
    await stranger.page();
    await stranger.upload();
    expect(await openDescriptors()).toBeLessThan(MAX_DESCRIPTORS / 2);

    for (const socket of sockets.splice(0)) socket.destroy();
    // A connection of the stranger may stay open for the next request.
    await expect.poll(openDescriptors).toBeLessThanOrEqual(before + 2);
    expect((await ask(ATTACKER, '/healthz')).status).toBe(200);
    expect(site.logs()).not.toMatch(/EMFILE|"unexpected"/);
  });
});
