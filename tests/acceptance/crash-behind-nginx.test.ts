import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKET } from '@satchel/contract/limits';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf } from '../support/files.ts';
import { type CreatedFolder, createPlainFolder, runTus, signIn } from '../support/people.ts';
import { createServerLine, type ServerLine } from '../support/proxies.ts';
import { type Site, startSite } from '../support/site.ts';

/**
 * Three nodes behind nginx with the very block of docs/deploy/nodes-and-store.md: neither one client, nor a database that pauses, nor a frozen
 * node takes the site from other people.
 */

const NODES = 3;
const MIB = 1024 ** 2;
/** More than the buffers between a node and a reader who doesn't read. */
const FILE_BYTES = 24 * MIB;
const READERS = 192;
const HALF_OPEN = 200;
const REQUESTS_A_SECOND = 60;
const TRIES = 300;
const DATABASE_AWAY_MS = 10_000;
/** All of 127.0.0.0/8 is this machine. */
const [ATTACKER, STRANGER] = ['127.0.0.2', '127.0.0.3'];
/** Words of deploy/away.html. */
const AWAY = 'This page opens by itself once the site is back.';

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

describe.skipIf(!process.env.NGINX_PATH)('three nodes behind nginx (left out where there is no nginx)', () => {
  let line: ServerLine;
  let site: Site;
  let folder: CreatedFolder;
  /** Everything that a stranger asks for: a page, what its script reads, and a file. */
  let visits: readonly (readonly [path: string, body?: object])[];
  let large: string;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    line = await createServerLine(process.env.TEST_DATABASE_URL ?? '');
    site = await startSite({ nodes: NODES, databaseEnv: (url) => ({ DATABASE_URL: line.urlOf(url) }) });
    const mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
    const store = async (name: string, bytes: number) => {
      const path = `${folder.bucket_storage_path}/${name}`;
      expect((await runTus({ url: site.url, person: mika, path }, randomBytesOf(bytes))).error).toBeNull();
      return `/storage/v1/object/public/${BUCKET}/${path}`;
    };
    large = await store('film_1_a.bin', FILE_BYTES);
    visits = [
      ['/'],
      [`/f/${folder.slug}`],
      ['/auth/v1/session'],
      ['/rest/v1/rpc/get_folder_complete_data', { input_folder_slug: folder.slug }],
      [`/storage/v1/object/list/${BUCKET}`, { prefix: folder.bucket_storage_path }],
      [await store('note_1_b.bin', 1000)],
    ];
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await site?.stop();
    await line?.close();
  });

  /** Sends a request on its own connection. */
  const ask = (from: string, path: string, { method = 'GET', body }: { method?: string; body?: object } = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const options = { localAddress: from, agent: false, method, ...(body && post) };
      request(site.url + path, options, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('latin1')) text += chunk;
        resolve({ status: response.statusCode, text, retryAfter: response.headers['retry-after'] });
      })
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });

  /** A stranger's tries, which continue where the visits end; only what was not answered as usual. */
  async function wrongAnswers(tries: number): Promise<string[]> {
    const wrong: string[] = [];
    for (let at = 0; at < tries; at += 1) {
      const [path, body] = visits[at % visits.length]!;
      const { status } = await ask(STRANGER, path, body && { body });
      if (status !== 200) wrong.push(`${path}: ${status}`);
    }
    return wrong;
  }

  /** Sends bytes from the attacker's address and reads nothing of the answer. */
  function push(text: string): Socket {
    const socket = connect({ port: Number(new URL(site.url).port), host: '127.0.0.1', localAddress: ATTACKER });
    sockets.add(socket);
    socket.pause();
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.write(text);
    return socket;
  }
  const head = (method: string, path: string, ...lines: string[]) =>
    [`${method} ${path} HTTP/1.1`, 'host: x', ...lines, '', ''].join('\r\n');

  /** Each makes a node refuse something, or wait for something. */
  const ACTS: readonly (() => string)[] = [
    () => head('GET', large),
    () => head('GET', '/'),
    // Refused in the middle of their bodies.
    () => head('POST', '/rest/v1/rpc/get_folder_complete_data', `content-length: ${MIB}`) + 'x'.repeat(MIB / 8),
    () => head('PATCH', '/storage/v1/upload/resumable/x', `content-length: ${MIB}`) + 'x'.repeat(MIB / 8),
    () => head('GET', UPLOAD_SOCKET_PATH, 'connection: upgrade', 'upgrade: websocket'),
    () => head('POST', `/storage/v1/object/list/${BUCKET}`, 'content-type: application/json', 'content-length: 100'),
    () => 'GET /no-end-of-this-header HTTP/1.1\r\nhost: x\r\n',
  ];

  test('a client that does its worst changes no other person’s answer', async () => {
    for (let at = 0; at < READERS; at += 1) push(head('GET', large));
    for (let at = 0; at < HALF_OPEN; at += 1) push('GET / HTTP/1.1\r\nhost: x\r\n');
    let acts = 0;
    const flood = setInterval(() => {
      push(ACTS[acts % ACTS.length]!());
      acts += 1;
    }, 1000 / REQUESTS_A_SECOND);
    try {
      // It has all that it can get, and is told so by itself.
      await expect.poll(async () => (await ask(ATTACKER, large, { method: 'HEAD' })).status).toBe(429);
      expect(await wrongAnswers(TRIES)).toEqual([]);
    } finally {
      clearInterval(flood);
      for (const socket of sockets) socket.destroy();
    }
    expect(acts).toBeGreaterThan(0);
    await expect.poll(async () => (await ask(ATTACKER, large, { method: 'HEAD' })).status).toBe(200);
  });

  test.each(['freeze', 'cut'] as const)(
    'a database that is away for ten seconds (%s) shows a page that tells, and all heals without a restart',
    async (act) => {
      const [page, card] = [`/f/${folder.slug}`, `/s/${folder.slug}`];
      const pids = site.pids();
      await line[act]();
      try {
        const looking = sleep(DATABASE_AWAY_MS);
        const shown = await ask(STRANGER, card);
        expect(shown.text).toContain(AWAY);
        expect([503, 504]).toContain(shown.status);
        expect(shown.retryAfter).toBe('5');
        // What needs no database is there.
        for (const path of ['/', page]) {
          const { status, text } = await ask(STRANGER, path);
          expect([path, status, text.includes('id="root"')]).toEqual([path, 200, true]);
        }
        await looking;
        expect((await ask(STRANGER, card)).text).toContain(AWAY);
      } finally {
        await line.restore();
      }
      // As the page that tells asks, until it may open; each node finds its database by itself.
      await expect.poll(async () => (await ask(STRANGER, card, { method: 'HEAD' })).status).toBe(200);
      await expect.poll(() => wrongAnswers(NODES * visits.length)).toEqual([]);
      expect((await ask(STRANGER, card)).text).toContain(`href="${page}"`);
      expect(site.pids()).toEqual(pids);
    },
  );

  test('a frozen node takes no page and no read away: another one answers them', async () => {
    process.kill(site.pid(), 'SIGSTOP');
    try {
      // The file itself may wait for its node: it is no read that is answered at once.
      const reads = visits.slice(0, -1);
      const answers = await Promise.all(
        [...reads, ...reads, ...reads].map(([path, body]) => ask(STRANGER, path, body && { body })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    } finally {
      process.kill(site.pid(), 'SIGCONT');
    }
    expect(await wrongAnswers(visits.length)).toEqual([]);
  });
});
