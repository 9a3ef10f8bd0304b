import type { Folder } from '@satchel/contract/entities';
import { MIB } from '@satchel/contract/limits';
import {
  DIRECT_LEASE_HEADER,
  DIRECT_UPLOAD_PATH,
  type PartClaim,
  type PutAddress,
} from '@satchel/contract/wire/direct-uploads';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createS3Blobs, type S3Blobs } from '../../src/platform/blobs/blobs-s3.ts';
import { createDirectAccess } from '../../src/platform/blobs/direct/direct-access.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { claimOf, countBytes } from '../support/blobs/direct-sender.ts';
import { allowPages, startGateway } from '../support/blobs/gateway.ts';
import { createOperatedApp, type OperatedApp, operate } from '../support/operators.ts';
import {
  accountOf,
  codeOf,
  createTus,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  sha256,
  someBytes,
  sweepAll,
  uploadState,
} from '../support/storage-kit.ts';
import type { Account } from '../support/test-app.ts';

/** BLOBS_DIRECT: parts of sealed files that browsers store in a real S3 gateway by themselves. */

const gateway = await startGateway();
const settings = await gateway?.bucket();
afterAll(() => gateway?.stop());

const PAGE = 'http://127.0.0.1:3999';
const PART = 4 * MIB;

const send = ({ url, headers }: PutAddress, body: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', headers: { origin: PAGE, ...headers, ...more }, body });

describe.runIf(settings)('parts that browsers store', () => {
  let app: OperatedApp;
  let blobs: S3Blobs;
  let mika: Account;
  const told: (string | null)[] = [];
  let moved: () => number;

  beforeAll(async () => {
    blobs = await createS3Blobs(settings!);
    const open = async () =>
      createDirectAccess({
        ...{ store: await blobs.direct!(), pageOrigin: PAGE },
        ...{ report: () => undefined, reportUploads: (problem) => void told.push(problem) },
      });
    await allowPages(settings!, PAGE, false);
    const readOnly = await open();
    expect([readOnly.isOpen(), readOnly.uploads()]).toEqual([true, null]);
    await allowPages(settings!, PAGE);
    const direct = await open();
    expect([told, direct.uploads()]).toEqual([[expect.stringContaining("don't allow PUT")], expect.anything()]);
    app = await createOperatedApp({ deps: { blobs, direct } });
    moved = countBytes(app.server);
    mika = await app.signIn('mika');
  });
  afterAll(() => app?.close());

  /** The names of all objects of an upload. */
  async function stored(blobKey: string): Promise<string[]> {
    const names: string[] = [];
    for await (const part of blobs.list(blobKey)) names.push(part.name);
    return names.sort();
  }
  const granted = async () => rowsOf(await app.database.db.execute(sql`select name from granted_parts`));

  const takeDown = async ({ slug }: Folder) =>
    (await operate(app, app.olga, 'POST', '/takedowns', { folder_slug: slug, reason: 'Malware' })).status;

  interface Begun {
    readonly as?: Account;
    readonly length?: number;
    readonly mode?: 'plain' | 'private';
    readonly folder?: Folder;
  }

  /** An upload of which nothing is sent, and the calls of its sender. */
  async function begin({ as = mika, length = 2 * PART + MIB, mode = 'private', folder }: Begun = {}) {
    const home = folder ?? (await makeFolder(app, as, mode));
    const name = freshName().replace(/bin$/, mode === 'plain' ? 'bin' : 'enc');
    const bytes = someBytes(length);
    const tus = createTus(app, as);
    const metadata: Record<string, string> = mode === 'plain' ? {} : { sealed: `2.${'a'.repeat(64)}` };
    const created = await tus.post({ folder: home, name, length, metadata });
    const url = created.headers.get('location')!;
    const header = created.headers.get(DIRECT_LEASE_HEADER);
    const call = (what: string, body: unknown) =>
      fetch(`${app.baseUrl}${DIRECT_UPLOAD_PATH}/${url.split('/').at(-1)}/${what}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as.bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const slice = (start: number) => bytes.subarray(start, Math.min(start + PART, length));
    const ask = (lease: number, ...starts: number[]) =>
      call('addresses', { lease, parts: starts.map((start) => claimOf(slice(start), start)) });
    async function addressesOf(lease: number, ...starts: number[]): Promise<PutAddress[]> {
      const answer = await ask(lease, ...starts);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      return ((await answer.json()) as { parts: PutAddress[] }).parts;
    }
    const addressOf = async (lease: number, start: number) => (await addressesOf(lease, start))[0]!;
    const commit = (lease: number, ...parts: PutAddress[]) =>
      call('parts', { lease, names: parts.map((part) => part.name) });
    async function offsetAfter(lease: number, ...parts: PutAddress[]): Promise<number> {
      const answer = await commit(lease, ...parts);
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { offset_bytes: number }).offset_bytes;
    }
    /** Takes the upload over. */
    const takeOver = async () => Number((await tus.head(url)).headers.get(DIRECT_LEASE_HEADER));
    const put = async (address: PutAddress, start: number) =>
      expect((await send(address, slice(start))).status).toBe(200);
    const content = async () => {
      const path = `${home.bucket_storage_path}/${name}`;
      return Buffer.from(await (await fetch(`${app.baseUrl}${OBJECT}/public/unlocked-folders/${path}`)).arrayBuffer());
    };
    const key = (await uploadState(app, url)).blob_key;
    const upload = { bytes, url, header, tus, folder: home, key, slice, content };
    return { ...upload, call, ask, addressOf, addressesOf, commit, offsetAfter, takeOver, put };
  }

  test('a sealed file arrives without a byte of it through the server, in parts at once and acknowledged in order', async () => {
    const { header, addressesOf, offsetAfter, put, content, bytes } = await begin();
    expect(header).toBe('0');
    const before = moved();
    const [first, second, third] = await addressesOf(0, 0, PART, 2 * PART);
    await Promise.all([put(third!, 2 * PART), put(second!, PART)]);
    expect(await offsetAfter(0, second!, third!)).toBe(0);
    await put(first!, 0);
    expect(await offsetAfter(0, second!, first!)).toBe(2 * PART);
    expect(await offsetAfter(0, third!)).toBe(bytes.length);
    expect(moved() - before).toBeLessThan(bytes.length / 100);
    expect(sha256(await content())).toBe(sha256(bytes));
    expect(await granted()).toEqual([]);
    expect(app.log.join('\n')).not.toContain('X-Amz-');
    await expectExactSums(app);
  });

  test('an address takes one content, under one name, for writing alone, and not after its end', async () => {
    const { addressesOf, offsetAfter, slice, put, key } = await begin();
    const [first, second] = (await addressesOf(0, 0, PART)) as [PutAddress, PutAddress];
    const isRefused = async (answer: Promise<Response>) => expect((await answer).status).toBeGreaterThanOrEqual(400);
    await isRefused(send(first, someBytes(PART)));
    await isRefused(send(first, slice(0).subarray(1)));
    await isRefused(send(first, Buffer.concat([slice(0), Buffer.from('x')])));
    await isRefused(send(first, someBytes(PART), { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }));
    await isRefused(send(first, slice(0), { 'x-amz-meta-crc32': 'AAAA' }));
    await isRefused(send(first, slice(0), { 'content-type': 'text/html' }));
    await isRefused(send({ ...first, url: first.url.replace(first.name, second.name) }, slice(0)));
    await isRefused(fetch(first.url));
    await isRefused(fetch(first.url, { method: 'DELETE' }));
    expect(await stored(key)).toEqual([]);
    const past = { now: new Date(Date.now() - 61_000), seconds: 60 };
    const { start, size_bytes: sizeBytes, sha256: hash, crc32: sums } = claimOf(slice(0), 0);
    const part = { start, sizeBytes, sha256: hash, sums };
    const ended = await app.deps.direct!.parts.addressOf(key, first.name, part, past);
    await isRefused(send(ended, slice(0)));
    await put(first, 0);
    // Sent again, it is the same.
    await put(first, 0);
    expect(await offsetAfter(0, first)).toBe(PART);
    await put(first, 0);
    expect(await stored(key)).toEqual([first.name]);
  });

  test('a part is acknowledged under the lease it was asked for alone, and once', async () => {
    const { addressOf, commit, offsetAfter, takeOver, put, url, tus, bytes, ask, content, key } = await begin();
    const stale = await addressOf(0, 0);
    const late = await addressOf(0, PART);
    await put(stale, 0);
    const lease = await takeOver();
    expect(lease).toBe(1);
    expect(await codeOf(await commit(0, stale))).toBe('upload.lost_lease');
    expect(await codeOf(await ask(0, 0))).toBe('upload.lost_lease');
    expect(await offsetAfter(lease, stale)).toBe(0);
    const fresh = await addressOf(lease, 0);
    expect(fresh.name).not.toBe(stale.name);
    await put(fresh, 0);
    expect(await offsetAfter(lease, fresh)).toBe(PART);
    // The answer was lost, or another request was first.
    expect(await offsetAfter(lease, fresh)).toBe(PART);
    expect(await codeOf(await ask(lease, 0))).toBe('upload.wrong_offset');
    // The server takes the rest; a part that a sender with an old lease stores then changes nothing.
    expect((await tus.patch(url, PART, bytes.subarray(PART, 2 * PART))).status).toBe(204);
    await put(late, PART);
    expect(await codeOf(await commit(0, late))).toBe('upload.lost_lease');
    expect((await tus.patch(url, 2 * PART, bytes.subarray(2 * PART))).status).toBe(204);
    expect(sha256(await content())).toBe(sha256(bytes));
    expect(await stored(key)).toHaveLength(5);
  });

  test('two senders under one lease have one winner, and what they both acknowledged is right', async () => {
    const { addressesOf, put, commit, content, bytes } = await begin({ length: 2 * PART });
    const [one, two, other] = (await addressesOf(0, 0, PART, 0)) as [PutAddress, PutAddress, PutAddress];
    await Promise.all([put(one, 0), put(other, 0), put(two, PART)]);
    const answers = await Promise.all([commit(0, one), commit(0, other), commit(0, one, two)]);
    expect(answers.map(({ status }) => status)).toContain(200);
    await commit(0, two);
    expect(sha256(await content())).toBe(sha256(bytes));
    await expectExactSums(app);
  });

  test('what may not be sent gets no address: of others, beyond the length, of ended folders and sessions', async () => {
    const { ask, call, addressOf, commit, put, folder, slice } = await begin();
    const claim = claimOf(slice(0), 0);
    const refused = async (part: Partial<PartClaim>) =>
      codeOf(await call('addresses', { lease: 0, parts: [{ ...claim, ...part }] }));
    expect(await refused({ start: 2 * PART })).toBe('upload.length_exceeded');
    expect(await refused({ size_bytes: 9 * MIB })).toBe('request.invalid');
    expect(await refused({ size_bytes: 1000, crc32: 'AAAAAA==' })).toBe('request.invalid');
    expect(await refused({ crc32: 'AAAAAA==' })).toBe('request.invalid');
    expect(await refused({ sha256: 'UNSIGNED-PAYLOAD' })).toBe('request.invalid');
    const { url } = await begin();
    const stranger = await app.signIn('a stranger');
    const foreign = (headers: Record<string, string>) =>
      fetch(`${app.baseUrl}${DIRECT_UPLOAD_PATH}/${url.split('/').at(-1)}/addresses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ lease: 0, parts: [claim] }),
      });
    expect(await codeOf(await foreign({ authorization: `Bearer ${stranger.bearer}` }))).toBe('upload.not_found');
    expect(await codeOf(await foreign({}))).toBe('upload.unauthenticated');
    const address = await addressOf(0, 0);
    await expire(app, folder);
    expect(await codeOf(await ask(0, 0))).toBe('folder.expired');
    await put(address, 0);
    expect(await codeOf(await commit(0, address))).toBe('folder.expired');
  });

  test('small files, files of plain folders and of accounts without room go through the server', async () => {
    expect((await begin({ length: 8 * MIB - 1 })).header).toBeNull();
    const plain = await begin({ mode: 'plain' });
    expect(plain.header).toBeNull();
    expect(await plain.addressesOf(0, 0)).toBeNull();
    const ines = await app.signIn('ines');
    const { addressesOf, takeOver } = await begin({ as: ines, length: 40 * MIB });
    const room = app.config.tiers.free.storage_bytes;
    const set = (used: number) =>
      app.database.db.execute(
        sql`update profiles set used_bytes = ${used}::bigint where id = ${ines.profile_id}::uuid`,
      );
    await set(room - 40 * MIB - 2 * PART);
    expect(await addressesOf(0, 0, PART)).toHaveLength(2);
    // Nothing of it is acknowledged, and it counts all the same, under a newer lease, too.
    expect(await addressesOf(0, 2 * PART)).toBeNull();
    expect(await addressesOf(await takeOver(), 0)).toBeNull();
    await set(0);
    expect(await addressesOf(1, 0)).toHaveLength(1);
  });

  test('of an upload that ends, its folder deleted or taken down or itself cancelled, no part is acknowledged, and all are deleted', async () => {
    const codes = { folder: 'upload.gone', takedown: 'upload.gone', upload: 'upload.not_found' };
    for (const [end, code] of Object.entries(codes)) {
      const { ask, addressesOf, offsetAfter, commit, put, folder, url, tus, key } = await begin();
      const [first, second, third] = (await addressesOf(0, 0, PART, 2 * PART)) as [PutAddress, PutAddress, PutAddress];
      await put(first, 0);
      await put(second, PART);
      expect(await offsetAfter(0, first)).toBe(PART);
      if (end === 'folder') await deleteFolder(app, mika, folder);
      else if (end === 'takedown') expect(await takeDown(folder)).toBe(204);
      else expect((await tus.terminate(url)).status).toBe(204);
      await put(third, 2 * PART);
      expect(await codeOf(await commit(0, second))).toBe(code);
      expect(await codeOf(await ask(0, 2 * PART))).toBe(code);
      expect(await stored(key)).toEqual([second.name, third.name].sort());
      await app.database.db.execute(sql`update granted_parts set ends_at = ends_at - interval '62 minutes'`);
      expect(await sweepAll(app)).toEqual([]);
      expect([await stored(key), await granted()]).toEqual([[], []]);
    }
    expect((await accountOf(app, mika)).reserved).toBeGreaterThan(0);
    await expectExactSums(app);
  });

  test('a part that was left for long is not acknowledged any more, and its sweep leaves the others', async () => {
    const { addressOf, offsetAfter, commit, put, takeOver, content, bytes, key } = await begin({ length: 2 * PART });
    const first = await addressOf(0, 0);
    await put(first, 0);
    expect(await offsetAfter(0, first)).toBe(PART);
    const left = await addressOf(0, PART);
    await put(left, PART);
    const set = (minutes: number) =>
      app.database.db.execute(
        sql`update granted_parts set ends_at = clock_timestamp() - make_interval(mins => ${minutes})`,
      );
    await set(31);
    expect(await codeOf(await commit(0, left))).toBe('upload.lost_lease');
    expect(await sweepAll(app)).toEqual([]);
    expect(await stored(key)).toHaveLength(2);
    await set(61);
    expect(await sweepAll(app)).toEqual([]);
    expect(await stored(key)).toEqual([first.name]);
    const lease = await takeOver();
    const again = await addressOf(lease, PART);
    await put(again, PART);
    expect(await offsetAfter(lease, again)).toBe(2 * PART);
    expect(sha256(await content())).toBe(sha256(bytes));
  });
});
