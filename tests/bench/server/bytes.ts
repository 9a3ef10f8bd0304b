import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytesOf } from '../../support/files/samples.ts';
import { createPlainFolder, signIn } from '../../support/people/client.ts';
import { createOverTus, OFFSET_BYTES, tusHeaders } from '../../support/people/tus.ts';
import { startSite } from '../../support/site/site.ts';
import { startBare, startNginx } from '../bare-servers.ts';
import { byTurns, mibPerSecond, type Row } from '../report.ts';

const SIZE_BYTES = 1024 ** 3;
const BODY_BYTES = 6 * 1024 ** 2;
const BODY = randomBytesOf(BODY_BYTES);

const answered = (client: ClientRequest, body?: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    client.on('error', reject);
    client.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    client.end(body);
  });

/** Sends 1 GiB in bodies of 6 MiB, one after the other, like the tus client. */
async function sendAll(url: string, method: string, headers: Record<string, string>): Promise<number> {
  const started = performance.now();
  for (let offset = 0; offset < SIZE_BYTES; offset += BODY_BYTES) {
    const body = BODY.subarray(0, Math.min(BODY_BYTES, SIZE_BYTES - offset));
    const all = { ...headers, 'upload-offset': String(offset), 'content-length': String(body.length) };
    const status = await answered(request(url, { method, headers: all }), body);
    if (status !== 204) throw new Error(`${method} at ${offset}: ${status}`);
  }
  return performance.now() - started;
}

function fetchAll(url: string): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let received = 0;
      response.on('data', (chunk: Buffer) => (received += chunk.length));
      response.on('error', reject);
      response.on('end', () =>
        received === SIZE_BYTES ? resolve(performance.now() - started) : reject(new Error(`${received} bytes`)),
      );
    }).on('error', reject);
  });
}

/** Upload and download of 1 GiB by Node, compared with a bare pipe with the same sync, and with nginx for the download. */
export async function benchBytes(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const site = await startSite({
    env: { MAX_FILE_BYTES: String(2 * SIZE_BYTES), FREE_STORAGE_BYTES: String(8 * SIZE_BYTES), LOG_LEVEL: 'warn' },
  });
  const bare = await startBare(dir);
  const nginx = process.env.NGINX_PATH ? await startNginx(process.env.NGINX_PATH, dir) : null;
  const rate = (ms: number) => mibPerSecond(SIZE_BYTES, ms);
  try {
    const mika = await signIn(site, 'mika');
    const folder = await createPlainFolder(mika, 'Bench');
    const pathOf = (round: number) => `${folder.bucket_storage_path}/bench_${round}_a.bin`;

    async function sendByTus(round: number): Promise<number> {
      const { url } = await createOverTus({ url: site.url, person: mika, path: pathOf(round) }, SIZE_BYTES);
      return sendAll(url, 'PATCH', { ...tusHeaders(mika), 'content-type': OFFSET_BYTES });
    }
    async function fetchAndDelete(round: number): Promise<number> {
      const ms = await fetchAll(`${site.url}/storage/v1/object/public/unlocked-folders/${pathOf(round)}`);
      const object = `${site.url}/storage/v1/object/unlocked-folders/${pathOf(round)}`;
      const { status } = await fetch(object, { method: 'DELETE', headers: tusHeaders(mika) });
      if (status !== 200) throw new Error(`DELETE: ${status}`);
      return ms;
    }

    const ms = await byTurns({
      bareUp: () => sendAll(`${bare.url}/big`, 'PUT', {}),
      up: sendByTus,
      bareDown: () => fetchAll(`${bare.url}/big`),
      nginxDown: async () => (nginx ? fetchAll(`${nginx.url}/big`) : Number.NaN),
      down: fetchAndDelete,
    });
    return [
      {
        ...{ name: 'tus upload of 1 GiB by Node', unit: 'MiB/s', measured: ms.up.map(rate) },
        bounds: [{ name: 'bare Node pipe, fdatasync per body', measured: ms.bareUp.map(rate), atLeast: 0.7 }],
      },
      {
        ...{ name: 'download of 1 GiB by Node', unit: 'MiB/s', measured: ms.down.map(rate) },
        bounds: [
          { name: 'bare Node pipe', measured: ms.bareDown.map(rate), atLeast: 0.9 },
          ...(nginx ? [{ name: 'nginx with sendfile', measured: ms.nginxDown.map(rate), atLeast: 0.7 }] : []),
        ],
      },
    ];
  } finally {
    bare.end();
    nginx?.end();
    await site.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
