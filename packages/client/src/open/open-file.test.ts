import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { beforeAll, describe, expect, test } from 'vitest';
import { proofForTest, type SealedForTest, sealForTest } from '../testing/sealed-file.ts';
import { type OpenProgress, type OpenRequest, openFile } from './open-file.ts';

type Bytes = Uint8Array<ArrayBuffer>;

let keys: FolderKeys;
let small: SealedForTest & { plain: Bytes; proof: FileProof };

const randomBytes = (length: number): Bytes => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
};

const seal = async (plain: Bytes, name: string, type: string) => {
  const file = await sealForTest(keys, plain, { name, type });
  return { ...file, plain, proof: await proofForTest(keys, file) };
};

const requestOf = (over: Partial<OpenRequest> = {}): OpenRequest => ({
  url: '/storage/v1/object/public/unlocked-folders/b/x.enc',
  name: 'shown name',
  proof: small.proof,
  ...over,
});
const answering = (response: () => Response | Promise<Response>, progress: OpenProgress[] = []) => ({
  fetch: async () => response(),
  isThere: async () => true,
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
    answering(() => new Response(small.container), progress),
  );
  expect([opened.name, opened.type, opened.blob.type, opened.sizeBytes]).toEqual([
    'holiday.png',
    'image/png',
    'image/png',
    200_000,
  ]);
  expect(Buffer.compare(await opened.blob.bytes(), small.plain)).toBe(0);
  expect(progress[0]).toEqual({ phase: 'downloading', percent: 0 });
  expect(progress.at(-1)).toEqual({ phase: 'decrypting', percent: 100 });
});

test('an empty file opens by its label; a container without chunks that another label names is refused', async () => {
  const empty = await seal(new Uint8Array(0), '__init__.py', 'text/x-python');
  const answer = answering(() => new Response(empty.container));
  const { name, sizeBytes, blob } = await openFile(requestOf({ proof: empty.proof }), answer);
  expect([name, sizeBytes, blob.size]).toEqual(['__init__.py', 0, 0]);
  expect((await failureOf(openFile(requestOf(), answer))).code).toBe('open.empty');
});

test('a web page opens as its text, and never as a page', async () => {
  const page = await seal(randomBytes(100), 'page.html', 'text/html');
  const opened = await openFile(
    requestOf({ proof: page.proof }),
    answering(() => new Response(page.container)),
  );
  expect([opened.name, opened.blob.type]).toEqual(['page.html', 'text/plain']);
});

test('a file of more than one part is whole', async () => {
  const big = await seal(randomBytes(20 * MIB + 7), 'big.bin', '');
  const opened = await openFile(
    requestOf({ proof: big.proof }),
    answering(() => new Response(big.container)),
  );
  expect(Buffer.compare(await opened.blob.bytes(), big.plain)).toBe(0);
});

describe('nothing is handed out', () => {
  const refusal = (request: OpenRequest, container: Bytes) =>
    failureOf(
      openFile(
        request,
        answering(() => new Response(container)),
      ),
    );

  test('when the container is another file’s of the same folder, key and size', async () => {
    const other = await seal(randomBytes(200_000), 'other.png', 'image/png');
    expect((await refusal(requestOf(), other.container)).message).toBe('Not from this folder');
    expect((await refusal(requestOf({ proof: other.proof }), small.container)).message).toBe('Not from this folder');
  });

  test('when its label says another size', async () => {
    const proof = { ...small.proof, sizeBytes: 199_999 };
    expect((await refusal(requestOf({ proof }), small.container)).code).toBe('open.foreign');
  });

  test('when a byte was changed', async () => {
    const bytes = small.container.slice();
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
        answering(() => new Response(small.container.slice(0, -1))),
      ),
    );
    expect(cut.code).toBe('open.no_hmac');
    const long = new Blob([small.container, 'x']);
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
        requestOf({ proof: { ...small.proof, keys: wrong } }),
        answering(() => new Response(small.container)),
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
            controller.enqueue(small.container.slice(0, 100_000));
          },
        }),
      );
    };
    const error = await failureOf(openFile(requestOf(), answering(broken)));
    expect(error.message).toBe('Failed to download file shown name: network error');
  });
});

describe('a lost answer is requested again', () => {
  /** Answers in turn, the last one ever after; says what was asked for. */
  function server(...answers: readonly (() => Response)[]) {
    const ranges: (string | null)[] = [];
    const ask = async (_url: unknown, init?: RequestInit) => {
      const range = new Headers(init?.headers).get('Range');
      ranges.push(range);
      return (answers[ranges.length - 1] ?? answers.at(-1)!)();
    };
    const deps = { fetch: ask as typeof fetch, isThere: async () => true, onProgress: () => {}, retryDelaysMs: [0, 0] };
    return { ranges, deps };
  }
  const lost = (): Response => {
    throw new TypeError('Failed to fetch');
  };
  const badGateway = () => new Response('<h1>', { status: 502, statusText: 'Bad Gateway' });
  const brokenAtOnce = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('network error')) }));
  const whole = () => new Response(small.container);

  test('for the whole file, when no answer came, a proxy had no server, or the line broke before the first byte', async () => {
    const { ranges, deps } = server(lost, badGateway, brokenAtOnce, whole);
    const opened = await openFile(requestOf(), deps);
    expect(Buffer.compare(await opened.blob.bytes(), small.plain)).toBe(0);
    expect(ranges).toEqual([null, null, null, null]);
  });

  test('for the rest of the file, when the line broke later', async () => {
    const big = await seal(randomBytes(3 * MIB), 'big.bin', '');
    const broken = () => {
      const pieces = [big.container.slice(0, 2 * MIB)];
      const pull = (controller: ReadableStreamDefaultController) => {
        const piece = pieces.pop();
        if (piece) controller.enqueue(piece);
        else controller.error(new TypeError('network error'));
      };
      return new Response(new ReadableStream({ pull }));
    };
    const asked: string[] = [];
    const rest = (range: string) => {
      const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
      asked.push(range);
      const headers = { 'Content-Range': `bytes ${from}-${last}/${big.container.length}` };
      return new Response(big.container.slice(Number(from), Number(last) + 1), { status: 206, headers });
    };
    const { ranges, deps } = server(broken, lost, () => rest(ranges.at(-1) ?? ''));
    const opened = await openFile(requestOf({ proof: big.proof }), deps);
    expect(Buffer.compare(await opened.blob.bytes(), big.plain)).toBe(0);
    expect(asked).toEqual([expect.stringMatching(/^bytes=[1-9]\d+-\d+$/)]);
  });

  test('but only a few times, and not after a refusal', async () => {
    const away = server(lost);
    const error = await failureOf(openFile(requestOf(), away.deps));
    expect([error.message, away.ranges.length]).toEqual(['Failed to download file shown name: Failed to fetch', 3]);
    const gone = server(() => Response.json(new AppError('folder.expired').toWire(), { status: 410 }));
    await failureOf(openFile(requestOf(), gone.deps));
    expect(gone.ranges).toHaveLength(1);
  });
});
