import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { launchBrowser } from '../../support/browser/browser.ts';
import { mibPerSecond, ROUNDS, type Row } from '../report.ts';
import type { Timing } from './container-page.ts';

const SIZE_BYTES = 256 * 1024 ** 2;
const CHUNK_BYTES = 256 * 1024;

/** The same work without a browser: AES-256-CTR and HMAC-SHA256 of OpenSSL, a chunk at a time, one thread. */
function openSslMs(sizeBytes: number): number {
  const [aesKey, macKey] = [randomBytes(32), randomBytes(32)];
  const plain = randomBytes(CHUNK_BYTES);
  const started = performance.now();
  for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
    const cipher = createCipheriv('aes-256-ctr', aesKey, randomBytes(16));
    createHmac('sha256', macKey).update(cipher.update(plain)).digest();
  }
  return performance.now() - started;
}

async function workerScript(): Promise<string> {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'container-page.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].code;
}

/** Seal and open in Chromium compared with OpenSSL, round by round. */
export async function benchContainer(): Promise<Row[]> {
  const script = await workerScript();
  const server = createServer((request, response) => {
    const isScript = request.url === '/worker.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>bench</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await launchBrowser();
  const seal: number[] = [];
  const open: number[] = [];
  const bound: number[] = [];
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (let round = 0; round < ROUNDS; round++) {
      bound.push(mibPerSecond(SIZE_BYTES, openSslMs(SIZE_BYTES)));
      const timing = await page.evaluate(
        (sizeBytes) =>
          new Promise<Timing>((resolve, reject) => {
            const worker = new Worker('/worker.js', { type: 'module' });
            worker.onmessage = ({ data }) => {
              worker.terminate();
              if (data.timing) resolve(data.timing);
              else reject(new Error(data.error));
            };
            worker.onerror = (event) => reject(new Error(event.message));
            worker.postMessage({ sizeBytes });
          }),
        SIZE_BYTES,
      );
      seal.push(mibPerSecond(SIZE_BYTES, timing.sealMs));
      open.push(mibPerSecond(SIZE_BYTES, timing.openMs));
    }
  } finally {
    await browser.close();
    server.close();
  }
  const name = 'OpenSSL in Node, one thread';
  return [
    {
      name: 'Seal 256 MiB in one Chromium worker',
      unit: 'MiB/s',
      measured: seal,
      bounds: [{ name, measured: bound, atLeast: 0.35 }],
    },
    {
      name: 'Open 256 MiB in one Chromium worker',
      unit: 'MiB/s',
      measured: open,
      bounds: [{ name, measured: bound, atLeast: 0.35 }],
    },
  ];
}
