import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { PATHS } from '@satchel/contract/paths';
import { creationHeaders } from '../../apps/server/test/support/folders.ts';
import { randomBytesOf } from './files.ts';
import { createPlainFolder, type Person, pieceHeaders, tusHeaders } from './people.ts';

const ADDRESS = '127.0.0.2';
const FILE_BYTES = 10_000_000;
const BODY_BYTES = 6 * 1024 ** 2;
const FILES = 20;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An honest visitor with an own address. Each action returns its duration in milliseconds. */
export interface Stranger {
  /** A folder's page: the HTML, and the requests of its script. */
  page(): Promise<number>;
  /** 10 MB, in bodies of the page's size. */
  upload(): Promise<number>;
}

function createAsker(siteUrl: string) {
  const agent = new Agent({ keepAlive: true, localAddress: ADDRESS });
  return (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const url = path.startsWith('/') ? siteUrl + path : path;
      const sent = request(url, { method, agent, headers: { ...headers, ...length } }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        const status = response.statusCode ?? 0;
        if (status >= 400) reject(new Error(`${method} ${path.split('?')[0]}: ${status} ${text}`));
        else resolve({ status, headers: response.headers, text });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

/** Creates the stranger, with a folder of some files. */
export async function createStranger(siteUrl: string, person: Person): Promise<Stranger> {
  const ask = createAsker(siteUrl);
  const folder = await createPlainFolder(person, 'A stranger’s');
  const bytes = new Uint8Array(randomBytesOf(FILE_BYTES));
  let uploads = 0;

  async function send(content: Uint8Array): Promise<string> {
    const path = `${folder.bucket_storage_path}/file_${++uploads}_abcdefgh.bin`;
    const made = await ask(PATHS.resumable, {
      method: 'POST',
      headers: { ...tusHeaders(person), ...creationHeaders(path, content.length) },
    });
    for (let offset = 0; offset < content.length; offset += BODY_BYTES) {
      await ask(made.headers.location ?? '', {
        method: 'PATCH',
        headers: pieceHeaders(person, offset),
        body: content.subarray(offset, offset + BODY_BYTES),
      });
    }
    return path;
  }
  for (let at = 0; at < FILES; at++) await send(bytes.subarray(at, at + 1));

  async function timed(act: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    await act();
    return performance.now() - started;
  }
  const post = (path: string, input: object) =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) });

  return {
    page: () =>
      timed(async () => {
        await ask(`/f/${folder.slug}`);
        await ask('/auth/v1/session');
        await post('/rest/v1/rpc/get_folder_complete_data', { input_folder_slug: folder.slug });
        await post('/storage/v1/object/list/unlocked-folders', { prefix: folder.bucket_storage_path });
      }),
    async upload() {
      let path = '';
      const waitedMs = await timed(async () => {
        path = await send(bytes);
      });
      await ask(`/storage/v1/object/unlocked-folders/${path}`, { method: 'DELETE', headers: tusHeaders(person) });
      return waitedMs;
    },
  };
}
