import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientRequest, get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { randomBytesOf } from '../../support/files/samples.ts';
import { createPlainFolder, signIn } from '../../support/people/client.ts';
import { startSite } from '../../support/site/site.ts';
import { mibPerSecond, ROUNDS, type Row } from '../report.ts';

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

async function startBare(dir: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${line.toString().trim()}`, child };
}

async function startNginx(binary: string, dir: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir}/t-${name};`)
    .join(' ');
  // For root only: nginx would start its workers as a user who can't read the file.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const conf = `daemon off; ${user} pid ${dir}/nginx.pid; error_log ${dir}/error.log; worker_processes 1; events {}
    http { access_log off; sendfile on; tcp_nopush on; ${temp} server { listen 127.0.0.1:${port}; root ${dir}; } }`;
  await writeFile(join(dir, 'nginx.conf'), conf);
  const child = spawn(binary, ['-c', join(dir, 'nginx.conf'), '-p', dir, '-e', join(dir, 'error.log')], {
    stdio: 'ignore',
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { url: `http://127.0.0.1:${port}`, child };
}

interface Rounds {
  readonly satchel: number[];
  readonly bare: number[];
  readonly nginx: number[];
}

/** Upload and download of 1 GiB, compared with a bare Node pipe with the same sync, and with nginx for the download. */
export async function benchBytes(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const site = await startSite({
    env: { MAX_FILE_BYTES: String(2 * SIZE_BYTES), FREE_STORAGE_BYTES: String(8 * SIZE_BYTES), LOG_LEVEL: 'warn' },
  });
  const bare = await startBare(dir);
  const nginx = process.env.NGINX_PATH ? await startNginx(process.env.NGINX_PATH, dir) : null;
  const up: Rounds = { satchel: [], bare: [], nginx: [] };
  const down: Rounds = { satchel: [], bare: [], nginx: [] };
  const rate = (ms: number) => mibPerSecond(SIZE_BYTES, ms);
  try {
    const mika = await signIn(site, 'mika');
    const folder = await createPlainFolder(mika, 'Bench');
    const auth = { authorization: `Bearer ${mika.token}`, 'tus-resumable': '1.0.0' };
    for (let round = 0; round < ROUNDS; round++) {
      up.bare.push(rate(await sendAll(`${bare.url}/big`, 'PUT', {})));
      const path = `${folder.bucket_storage_path}/bench_${round}_a.bin`;
      const name = `bucketName ${btoa('unlocked-folders')},objectName ${btoa(path)}`;
      const created = await fetch(`${site.url}/storage/v1/upload/resumable`, {
        method: 'POST',
        headers: { ...auth, 'upload-length': String(SIZE_BYTES), 'upload-metadata': name },
      });
      const location = created.headers.get('location') ?? '';
      up.satchel.push(
        rate(await sendAll(location, 'PATCH', { ...auth, 'content-type': 'application/offset+octet-stream' })),
      );
      down.bare.push(rate(await fetchAll(`${bare.url}/big`)));
      if (nginx) down.nginx.push(rate(await fetchAll(`${nginx.url}/big`)));
      down.satchel.push(rate(await fetchAll(`${site.url}/storage/v1/object/public/unlocked-folders/${path}`)));
      await mika.rpc('get_folder_complete_data', { input_folder_slug: folder.slug });
      await fetch(`${site.url}/storage/v1/object/unlocked-folders/${path}`, { method: 'DELETE', headers: auth });
    }
  } finally {
    bare.child.kill('SIGTERM');
    nginx?.child.kill('SIGTERM');
    await site.stop();
    await rm(dir, { recursive: true, force: true });
  }
  const bareName = 'bare Node pipe with fdatasync per body';
  return [
    {
      name: 'tus upload of 1 GiB',
      unit: 'MiB/s',
      measured: up.satchel,
      bounds: [{ name: bareName, measured: up.bare, atLeast: 0.7 }],
    },
    {
      name: 'Download of 1 GiB',
      unit: 'MiB/s',
      measured: down.satchel,
      bounds: [
        { name: 'bare Node pipe', measured: down.bare, atLeast: 0.9 },
        ...(nginx ? [{ name: 'nginx with sendfile', measured: down.nginx, atLeast: 0.7 }] : []),
      ],
    },
  ];
}
