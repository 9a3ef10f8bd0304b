import type { DecodedHeader } from '@satchel/container/format';
import { encodeHeader } from '@satchel/container/format';
import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import { sealLabel } from '@satchel/container/label';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenProgress, OpenRequest } from '../../lib/open-protocol.ts';
import { openFile } from './open-file.ts';

type Bytes = Uint8Array<ArrayBuffer>;

let keys: FolderKeys;
let small: { bytes: Bytes; plain: Bytes; sealed: string; decoded: DecodedHeader };

const randomBytes = (length: number): Bytes => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
};

async function seal(plain: Bytes, name: string, type: string, hidden = true) {
  const sealed = hidden ? await sealLabel(keys, { name, type }) : null;
  const decoded = encodeHeader(createHeader({ sizeBytes: plain.length, name, type, sealed }));
  const parts: Bytes[] = [decoded.prefix];
  for await (const unit of sealStream(await createSealer(keys, decoded), new Blob([plain]))) {
    for (const { bytes } of unit) parts.push(bytes);
  }
  return { bytes: (await new Blob(parts).bytes()) as Bytes, plain, sealed: sealed as string, decoded };
}

const requestOf = (over: Partial<OpenRequest> = {}): OpenRequest => ({
  url: '/storage/v1/object/public/unlocked-folders/b/x.enc',
  name: 'shown name',
  sealed: small.sealed,
  keys,
  ...over,
});
const answering = (response: () => Response | Promise<Response>, progress: OpenProgress[] = []) => ({
  fetch: async () => response(),
  onProgress: (step: OpenProgress) => progress.push(step),
});
const failureOf = (opening: Promise<unknown>): Promise<AppError> =>
  opening.then(
    () => Promise.reject(new Error('it opened')),
    (error: unknown) => (error instanceof AppError ? error : Promise.reject(error)),
  );

beforeAll(async () => {
  keys = await importKeys(newFolderKey());
  small = await seal(randomBytes(200_000), 'holiday.png', 'image/png');
});

test('a file opens with the name of its own label and a type that is safe to show', async () => {
  const progress: OpenProgress[] = [];
  const opened = await openFile(
    requestOf(),
    answering(() => new Response(small.bytes), progress),
  );
  expect([opened.name, opened.type, opened.blob.type, opened.sizeBytes]).toEqual([
    'holiday.png',
    'image/png',
    'image/png',
    200_000,
  ]);
  expect(Buffer.from(await opened.blob.bytes()).equals(small.plain)).toBe(true);
  expect(progress[0]).toEqual({ phase: 'downloading', percent: 0 });
  expect(progress.at(-1)).toEqual({ phase: 'decrypting', percent: 100 });
});

test('a web page opens as bytes', async () => {
  const page = await seal(randomBytes(100), 'page.html', 'text/html');
  const opened = await openFile(
    requestOf({ sealed: page.sealed }),
    answering(() => new Response(page.bytes)),
  );
  expect([opened.name, opened.blob.type]).toEqual(['page.html', 'application/octet-stream']);
});

test('a file of more than one part is whole', async () => {
  const big = await seal(randomBytes(20 * MIB + 7), 'big.bin', '', false);
  const opened = await openFile(
    requestOf({ sealed: null }),
    answering(() => new Response(big.bytes)),
  );
  expect(Buffer.from(await opened.blob.bytes()).equals(big.plain)).toBe(true);
});

describe('nothing is handed out', () => {
  test('when the listing names another file than the header', async () => {
    const other = await sealLabel(keys, { name: 'other.png', type: 'image/png' });
    for (const sealed of [other, null]) {
      const error = await failureOf(
        openFile(
          requestOf({ sealed }),
          answering(() => new Response(small.bytes)),
        ),
      );
      expect(error.message).toBe('File is corrupted or truncated');
    }
  });

  test('when a byte was changed', async () => {
    const bytes = small.bytes.slice();
    bytes[150_000] = (bytes[150_000] ?? 0) ^ 1;
    const error = await failureOf(
      openFile(
        requestOf(),
        answering(() => new Response(bytes)),
      ),
    );
    expect(error.message).toMatch(/^HMAC verification failed for chunk \d$/);
  });

  test('when the end is missing or something follows it', async () => {
    const cut = await failureOf(
      openFile(
        requestOf(),
        answering(() => new Response(small.bytes.slice(0, -1))),
      ),
    );
    expect(cut.code).toBe('open.no_hmac');
    const long = new Blob([small.bytes, 'x']);
    const more = await failureOf(
      openFile(
        requestOf(),
        answering(() => new Response(long)),
      ),
    );
    expect(more.message).toBe('Final size mismatch');
  });

  test('without the right key', async () => {
    const wrong = await importKeys(newFolderKey());
    const error = await failureOf(
      openFile(
        requestOf({ keys: wrong }),
        answering(() => new Response(small.bytes)),
      ),
    );
    expect(error.code).toBe('open.bad_hmac');
  });
});

describe('a download that fails says so with the file’s name', () => {
  test('in the server’s words', async () => {
    const refuse = () => Response.json(new AppError('folder.expired').toWire(), { status: 410 });
    const error = await failureOf(openFile(requestOf(), answering(refuse)));
    expect(error.message).toBe('Failed to download file shown name: Folder expired');
  });

  test('by its status', async () => {
    const refuse = () => new Response('<h1>', { status: 502, statusText: 'Bad Gateway' });
    const error = await failureOf(openFile(requestOf(), answering(refuse)));
    expect(error.message).toBe('Failed to download file shown name: 502 Bad Gateway');
  });

  test('when there is no network', async () => {
    const error = await failureOf(
      openFile(
        requestOf(),
        answering(() => Promise.reject(new TypeError('Failed to fetch'))),
      ),
    );
    expect(error.message).toBe('Failed to download file shown name: Failed to fetch');
  });

  test('when the line breaks on the way', async () => {
    const broken = () => {
      let sent = false;
      return new Response(
        new ReadableStream({
          pull: (controller) => {
            if (sent) return controller.error(new TypeError('network error'));
            sent = true;
            controller.enqueue(small.bytes.slice(0, 100_000));
          },
        }),
      );
    };
    const error = await failureOf(openFile(requestOf(), answering(broken)));
    expect(error.message).toBe('Failed to download file shown name: network error');
  });
});
