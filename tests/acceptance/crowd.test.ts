import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { DefaultHttpStack } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf } from '../support/files.ts';
import { type CreatedFolder, createPlainFolder, type Person, runTus, signIn } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

/** One network with more idle readers than the process has descriptors: other clients are not affected. */

const MAX_DESCRIPTORS = 512;
const READERS = 1500;
const FILE_BYTES = 12 * 1024 ** 2;
/** All of 127.0.0.0/8 is this machine. */
const [ATTACKER, STRANGER, OBSERVER] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

describe('idle readers of one network', () => {
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;
  let jonas: Person;
  let own: CreatedFolder;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    site = await startSite({ maxDescriptors: MAX_DESCRIPTORS, hasOneServer: true });
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
    jonas = await signIn(site, 'jonas');
    own = await createPlainFolder(jonas, 'A stranger’s');
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await site.stop();
  });

  /** Sends a request on its own connection. */
  const ask = (from: string, path: string, body?: object) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const options = { localAddress: from, agent: false, ...(body && post) };
      request(site.url + path, options, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, text });
      })
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });

  /** A folder's page as the stranger loads it: the HTML, and the requests of its script. */
  async function visitOwn(): Promise<void> {
    const answers = [
      await ask(STRANGER, `/f/${own.slug}`),
      await ask(STRANGER, '/auth/v1/session'),
      await ask(STRANGER, '/rest/v1/rpc/get_folder_complete_data', { input_folder_slug: own.slug }),
      await ask(STRANGER, '/storage/v1/object/list/unlocked-folders', { prefix: own.bucket_storage_path }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }

  /** A plain file of a person's, from that address. */
  async function upload(person: Person, { bucket_storage_path: folderPath }: CreatedFolder, from: string) {
    const path = `${folderPath}/film_1_a.bin`;
    const httpStack = new DefaultHttpStack({ localAddress: from });
    const { error } = await runTus({ url: site.url, person, path }, randomBytesOf(FILE_BYTES), { httpStack });
    expect(error).toBeNull();
    return path;
  }

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
    const path = await upload(mika, folder, ATTACKER);
    const before = await openDescriptors();
    expect(before).toBeGreaterThan(0);

    await Promise.all(
      Array.from({ length: READERS }, () => openReader(`/storage/v1/object/public/unlocked-folders/${path}`)),
    );
    await visitOwn();
    await upload(jonas, own, STRANGER);
    expect(await openDescriptors()).toBeLessThan(MAX_DESCRIPTORS / 2);

    for (const socket of sockets.splice(0)) socket.destroy();
    // A connection of the stranger may stay open for the next request.
    await expect.poll(openDescriptors).toBeLessThanOrEqual(before + 2);
    expect((await ask(ATTACKER, '/healthz')).status).toBe(200);
    expect(site.logs()).not.toMatch(/EMFILE|"unexpected"/);
  });
});
