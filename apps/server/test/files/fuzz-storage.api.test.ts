import { createHash } from 'node:crypto';
import { BUCKET } from '@satchel/contract/limits';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { FUZZ_DEADLINE, fuzzRuns, hostileHeader, hostileText } from '../roles/hostile-values.ts';
import { exchange, expectAnswer, type RawAnswer, type RawRequest } from '../support/raw-http.ts';
import {
  BYTES_TYPE,
  base64,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  RESUMABLE,
  someBytes,
} from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp } from '../support/test-app.ts';

/** Uploads and downloads with any headers: always an answer, never 5xx, and a refusal leaves nothing. */

const LENGTH = 100;
type Headers = readonly (readonly [name: string, value: string])[];

/** A header that is mostly valid, sometimes hostile, and sometimes missing. */
const mostly = (name: string, ...right: string[]): fc.Arbitrary<Headers> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...right).map((value) => [[name, value]] as const) },
    { weight: 2, arbitrary: hostileHeader.map((value) => [[name, value]] as const) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
/** A header that is mostly missing. */
const seldom = (name: string, ...right: string[]): fc.Arbitrary<Headers> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: mostly(name, ...right) });
const together = (...headers: fc.Arbitrary<Headers>[]): fc.Arbitrary<Headers> =>
  fc.tuple(...headers).map((all) => all.flat());

const bodies = fc.uint8Array({ maxLength: LENGTH + 20 });
const DIGESTS = ['sha1', 'sha256', 'md5'];
const WRONG_DIGEST = `sha1 ${base64('n'.repeat(20))}`;
/** The headers of a body: a digest's bare name is replaced by the right digest. */
const headersFor = (headers: Headers, body: Uint8Array): Headers =>
  headers.map(([name, value]) => {
    if (name !== 'upload-checksum' || !DIGESTS.includes(value)) return [name, value];
    return [name, `${value} ${createHash(value).update(body).digest('base64')}`];
  });

/** Upload-Metadata by its grammar, and off it. */
function metadataFor(storagePath: string): fc.Arbitrary<string> {
  const encoded = (text: string) => base64(text);
  const values: Record<string, string[]> = {
    bucketName: [BUCKET],
    objectName: [`${storagePath}/fuzz_1_abcdefgh.bin`, `${storagePath}/é_1_abcdefgh.bin`],
    contentType: ['text/plain', 'image/svg+xml;charset=utf-8'],
    cacheControl: ['3600', 'max-age=1'],
    sealed: ['2.AAAA'],
  };
  const right = Object.entries(values).map(([key, some]) => fc.constantFrom(...some).map((value) => [key, value]));
  const wrongValue = fc.tuple(
    fc.constantFrom(...Object.keys(values), '__proto__', 'constructor', ''),
    fc.oneof(
      hostileText,
      hostileText.map((text) => `${storagePath}/${text}`),
    ),
  );
  const write = ([key, value]: readonly string[]) => `${key} ${encoded(value ?? '').slice(0, 3000)}`;
  const pairs = fc
    .tuple(fc.tuple(...right), fc.array(wrongValue, { maxLength: 2 }), fc.boolean())
    .map(([good, wrong, isReplacing]) => {
      const kept = isReplacing ? good.filter(([key]) => !wrong.some(([other]) => other === key)) : good;
      return [...kept, ...wrong].map(write);
    });
  const broken = fc
    .tuple(pairs, fc.constantFrom(', ', ',,', ' ,', ';', '\t,', ', ,'), hostileHeader)
    .map(([all, comma, more]) => `${all.join(comma)}${comma}${more}`);
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(...right).map((all) => all.map(write).join(',')) },
    { weight: 6, arbitrary: pairs.map((all) => all.join(',')) },
    { weight: 2, arbitrary: broken },
  );
}

const app = await createTestApp();
const mika = await app.signIn('mika');
const tus = createTus(app, mika);
const folder = await makeFolder(app, mika);

describe('with any storage headers', FUZZ_DEADLINE, () => {
  let state: unknown;

  beforeEach(async () => {
    state = await storedState(app);
  });

  const asMika = (): Headers => [['authorization', `Bearer ${mika.bearer}`]];

  /** Sends it, and checks that a refusal leaves no trace. */
  async function send(request: RawRequest): Promise<RawAnswer> {
    const answer = await exchange(app.config.port, request);
    expectAnswer(answer, request);
    if (answer.status >= 400) expect(await storedState(app)).toEqual(state);
    return answer;
  }

  test('uploads begin, and each of them can be terminated', async () => {
    const request = fc.record({
      body: bodies,
      headers: together(
        mostly('tus-resumable', '1.0.0'),
        mostly('upload-length', String(LENGTH), '10'),
        fc.oneof(
          {
            weight: 6,
            arbitrary: metadataFor(folder.bucket_storage_path).map((value) => [['upload-metadata', value]] as const),
          },
          { weight: 1, arbitrary: mostly('upload-metadata', 'a') },
        ),
        mostly('content-type', BYTES_TYPE, 'application/json'),
        seldom('upload-checksum', ...DIGESTS),
        seldom('upload-offset', '0', '1'),
        seldom('upload-defer-length', '1'),
        seldom('upload-concat', 'partial'),
        seldom('x-upsert', 'true'),
        seldom('x-http-method-override', 'PATCH', 'DELETE'),
        fc.constantFrom<Headers>([], [], [], [['expect', '100-continue']]),
      ),
    });
    let begun = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ body, headers }) => {
        const answer = await send({
          method: 'POST',
          path: RESUMABLE,
          headers: [...asMika(), ...headersFor(headers, body)],
          body,
        });
        if (answer.status >= 400) return;
        expect(answer.status).toBe(201);
        begun++;
        expect((await tus.terminate(answer.headers.get('location')!)).status).toBe(204);
        expect(await storedState(app)).toEqual(state);
      }),
      fuzzRuns(80),
    );
    expect(begun).toBeGreaterThan(0);
  });

  test('uploads continue, and never after a refusal', async () => {
    const begin = () => tus.create({ folder, name: freshName(), length: LENGTH });
    let url = await begin();
    state = await storedState(app);
    const request = fc.record({
      body: bodies,
      method: fc.constantFrom('PATCH', 'PATCH', 'PATCH', 'HEAD', 'DELETE', 'POST', 'GET', 'PUT'),
      headers: together(
        mostly('tus-resumable', '1.0.0'),
        mostly('upload-offset', '0', '0', '1', String(LENGTH)),
        mostly('content-type', BYTES_TYPE),
        seldom('upload-checksum', ...DIGESTS, WRONG_DIGEST),
        seldom('x-http-method-override', 'PATCH', 'DELETE', 'HEAD', 'patch'),
        seldom('upload-length', '1', '1000'),
        seldom('upload-metadata', 'a'),
      ),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, body, headers }) => {
        const { pathname } = new URL(url);
        const answer = await send({
          method,
          path: pathname,
          headers: [...asMika(), ...headersFor(headers, body)],
          body,
        });
        if (answer.status >= 400 || method === 'HEAD') return;
        await expectExactSums(app);
        await tus.terminate(url);
        url = await begin();
        state = await storedState(app);
      }),
      fuzzRuns(80),
    );
  });

  test('downloads send the bytes that their headers promise', async () => {
    const bytes = someBytes(1000);
    const name = freshName();
    expect((await tus.patch(await tus.create({ folder, name, length: 1000 }), 0, bytes)).status).toBe(204);
    state = await storedState(app);
    const path = `${OBJECT}/public/${BUCKET}/${folder.bucket_storage_path}/${name}`;
    const etag = (await app.call('HEAD', path)).headers.get('etag')!;
    const position = fc.oneof(
      fc.nat(1200).map(String),
      fc.constantFrom('', '-1', '999', '1000', '9'.repeat(15), '9'.repeat(30)),
    );
    const ranges = fc
      .array(fc.tuple(position, position), { minLength: 1, maxLength: 3 })
      .map((all) => `bytes=${all.map((pair) => pair.join('-')).join(',')}`);
    const request = fc.record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      headers: together(
        fc.oneof(
          ranges.map((range) => [['range', range]] as const),
          mostly('range', 'bytes=0-', 'bytes=-0', `bytes=${'0-0,'.repeat(1000)}1-1`),
        ),
        seldom('if-range', etag, `W/${etag}`, new Date().toUTCString()),
        seldom('if-none-match', '*', etag, `"a", ${etag}`),
        seldom('if-match', '"a"'),
        seldom('if-modified-since', new Date(0).toUTCString()),
        seldom('accept-encoding', 'gzip', '*;q=0'),
      ),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, headers }) => {
        const { status, headers: said, body } = await send({ method, path, headers });
        expect([200, 206, 304, 416]).toContain(status);
        if (status >= 300) return;
        const [, start, end] = /^bytes (\d+)-(\d+)\/1000$/.exec(said.get('content-range') ?? 'bytes 0-999/1000') ?? [];
        const part = bytes.subarray(Number(start), Number(end) + 1);
        expect(said.get('content-length')).toBe(String(part.length));
        expect(part.length > 0 && body.equals(method === 'HEAD' ? Buffer.alloc(0) : part)).toBe(true);
      }),
      fuzzRuns(80),
    );
  });
});
