import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Folder } from '@satchel/contract/entities';
import { MIB } from '@satchel/contract/limits';
import { PARTS_TYPE, type PartAddress, type PartAddresses } from '@satchel/contract/wire/direct-reads';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createS3Blobs } from '../../src/platform/blobs/blobs-s3.ts';
import { createDirectAccess } from '../../src/platform/blobs/direct/direct-access.ts';
import { files } from '../../src/platform/schema/files.ts';
import { allowPages } from '../support/blobs/gateway.ts';
import { describeS3 } from '../support/blobs/s3-tests.ts';
import { freePort } from '../support/free-port.ts';
import { createOperatedApp, operate } from '../support/operators.ts';
import {
  codeOf,
  createTus,
  deleteFolder,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  sha256,
  someBytes,
  upload,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** BLOBS_DIRECT: sealed files that browsers read from a real S3 gateway. */

const PAGE = 'http://127.0.0.1:3999';

/** Counts the bytes of all connections that a server takes from now on. @returns their sum so far */
function countBytes(server: Server): () => number {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  return () => [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0);
}

await describeS3('with BLOBS_DIRECT', async (gateway) => {
  const settings = await gateway.bucket();
  const told: (string | null)[] = [];
  const blobs = await createS3Blobs(settings);
  const open = async () =>
    createDirectAccess({
      store: await blobs.direct!(),
      pageOrigin: PAGE,
      report: (problem) => void told.push(problem),
    });
  // Before the bucket lets pages read.
  expect((await open()).isOpen()).toBe(false);
  await allowPages(settings, PAGE);
  const direct = await open();
  expect(direct.isOpen()).toBe(true);
  const app = await createOperatedApp({ deps: { blobs, direct } });
  const moved = countBytes(app.server);
  const mika = await app.signIn('mika');

  const pathOf = (folder: Folder, name: string) => `unlocked-folders/${folder.bucket_storage_path}/${name}`;
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${app.baseUrl}${OBJECT}/${path}`, { headers: { accept: PARTS_TYPE, ...headers } });
  const addressesIn = async (response: Response) => {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, PARTS_TYPE]);
    return (await response.json()) as PartAddresses;
  };
  const fetchPart = ({ url }: { url: string }, from: number, to: number) =>
    fetch(url, { headers: { origin: PAGE, range: `bytes=${from}-${to - 1}` } });

  /** A sealed file that came in two requests: of two parts. */
  async function sealedFile(mode: 'plain' | 'private' = 'private', length = 3 * MIB) {
    const folder = await makeFolder(app, mika, mode);
    const name = freshName().replace(/bin$/, mode === 'plain' ? 'bin' : 'enc');
    const bytes = someBytes(length);
    const tus = createTus(app, mika);
    const url = await tus.create({ folder, name, length });
    const half = Math.floor(length / 2);
    for (const [start, end] of [
      [0, half],
      [half, length],
    ] as const) {
      const piece = bytes.subarray(start, end);
      // Nothing of a request with a checksum is acknowledged before its end, so that it makes one part however slow it is.
      const digest = createHash('sha256').update(piece).digest('base64');
      expect((await tus.patch(url, start, piece, { 'upload-checksum': `sha256 ${digest}` })).status).toBe(204);
    }
    return { folder, name, bytes, half, path: pathOf(folder, name) };
  }

  test('a sealed file’s bytes come from the store, by ranges and to the site’s pages alone', async () => {
    expect(told).toEqual([expect.stringContaining("don't allow the origin")]);
    const { bytes, half, path } = await sealedFile();
    const answer = await ask(`public/${path}`);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    const { size_bytes, parts, valid_seconds } = await addressesIn(answer);
    expect([size_bytes, valid_seconds]).toEqual([bytes.length, 60]);
    expect(parts.map(({ start, end }) => [start, end])).toEqual([
      [0, half],
      [half, bytes.length],
    ]);
    const pieces: Uint8Array[] = [];
    for (const part of parts) {
      const response = await fetchPart(part, 0, part.end - part.start);
      expect(response.status).toBe(206);
      expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(response.headers.get('content-disposition')).toBe('attachment');
      pieces.push(await response.bytes());
    }
    expect(sha256(Buffer.concat(pieces))).toBe(sha256(bytes));
    const end = await addressesIn(await ask(`public/${path}`, { range: `bytes=${half + 5}-` }));
    expect(end.parts).toHaveLength(1);
    const tail = await fetchPart(end.parts[0]!, 5, 105);
    expect(Buffer.from(await tail.bytes()).equals(bytes.subarray(half + 5, half + 105))).toBe(true);
  });

  test('an address opens one part, for reading, and not after its end', async () => {
    const { path, folder, half, bytes, name } = await sealedFile();
    await app.database.db.execute(
      sql`update folders set expires_at = clock_timestamp() + interval '45 seconds' where id = ${folder.id}::uuid`,
    );
    const { parts, valid_seconds } = await addressesIn(await ask(`public/${path}`));
    expect(valid_seconds).toBeLessThan(45);
    const [first, second] = parts as [PartAddress, PartAddress];
    expect(new URL(first.url).searchParams.get('X-Amz-Expires')).toBe(String(valid_seconds));
    expect((await fetch(first.url, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await fetch(first.url, { method: 'DELETE' })).status).toBe(403);
    const keyOf = ({ url }: { url: string }) => new URL(url).pathname.split('/').at(-1)!;
    expect((await fetch(first.url.replace(keyOf(first), keyOf(second)))).status).toBe(403);
    expect((await fetch(first.url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=60'))).status).toBe(403);
    // The same address as it is a minute later.
    const [row] = await app.database.db.select().from(files).where(eq(files.name, name));
    const blob = { blobKey: row!.blob_key, parts: [{ start: 0, name: keyOf(first) }] };
    const past = { now: new Date(Date.now() - 61_000), seconds: 60 };
    const direct = app.deps.direct!;
    const [ended] = await direct.addressesOf(blob, bytes.length, { start: 0, end: half }, past);
    const [begun] = await direct.addressesOf(blob, bytes.length, { start: 0, end: half }, { ...past, seconds: 120 });
    expect((await fetchPart(ended!, 0, half)).status).toBe(403);
    expect((await fetchPart(begun!, 0, half)).status).toBe(206);
  });

  test('who may not read gets no address, and a folder that expired, was deleted or taken down gives none', async () => {
    const { path, folder } = await sealedFile();
    await app.database.db.execute(sql`update folders set access = 'restricted' where id = ${folder.id}::uuid`);
    expect((await ask(`public/${path}`)).status).toBe(404);
    const bearer = { authorization: `Bearer ${mika.bearer}` };
    expect((await addressesIn(await ask(path, bearer))).parts).toHaveLength(2);
    await expire(app, folder);
    expect(await codeOf(await ask(path, bearer))).toBe('folder.expired');
    const other = await sealedFile();
    const { parts } = await addressesIn(await ask(`public/${other.path}`));
    await deleteFolder(app, mika, other.folder);
    expect((await ask(`public/${other.path}`)).status).toBe(404);
    expect((await fetch(parts[0]!.url)).status).toBe(404);
    const taken = await sealedFile();
    const { parts: takenParts } = await addressesIn(await ask(`public/${taken.path}`));
    const takedown = { folder_slug: taken.folder.slug, reason: 'Malware' };
    expect((await operate(app, app.olga, 'POST', '/takedowns', takedown)).status).toBe(204);
    const refused = await ask(`public/${taken.path}`);
    expect([refused.status, await codeOf(refused)]).toEqual([410, 'folder.taken_down']);
    expect(await Promise.all(takenParts.map(async ({ url }) => (await fetch(url)).status))).toEqual([404, 404]);
  });

  test('a signed link leads to the store as well, and a forged one nowhere', async () => {
    const { path } = await sealedFile();
    const signed = await app.call('POST', `${OBJECT}/sign/${path}`, { body: { expiresIn: 60 } });
    const { signedURL } = (await signed.json()) as { signedURL: string };
    const link = `sign/${path}${signedURL.slice(signedURL.indexOf('?'))}`;
    expect((await addressesIn(await ask(link))).parts).toHaveLength(2);
    expect(await codeOf(await ask(`sign/${path}?token=forged`))).toBe('storage.bad_token');
  });

  test('a reader that does not ask for addresses, and one of a plain folder, get bytes from the server', async () => {
    const sealed = await sealedFile();
    const usual = await fetch(`${app.baseUrl}${OBJECT}/public/${sealed.path}`);
    expect(sha256(await usual.bytes())).toBe(sha256(sealed.bytes));
    const plain = await sealedFile('plain', 1000);
    const response = await ask(`public/${plain.path}`);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(sha256(await response.bytes())).toBe(sha256(plain.bytes));
    const beyond = await ask(`public/${sealed.path}`, { range: 'bytes=99999999-' });
    expect(beyond.status).toBe(416);
  });

  test('with USERCONTENT_URL, who asks for addresses gets them from the site, and others are led to that origin', async () => {
    const port = String(await freePort());
    const content = `http://localhost:${port}`;
    const { database, blobs: store, direct } = app.deps;
    // Closing a site closes its database, which the others here still use.
    const shared = { ...database, close: async () => undefined };
    const site = await createTestApp({
      env: { PORT: port, USERCONTENT_URL: content },
      deps: { blobs: store, direct, database: shared },
    });
    const { bytes, path } = await sealedFile();
    const url = `${site.baseUrl}${OBJECT}/public/${path}`;
    expect((await addressesIn(await fetch(url, { headers: { accept: PARTS_TYPE } }))).size_bytes).toBe(bytes.length);
    const led = await fetch(url, { redirect: 'manual' });
    expect([led.status, led.headers.get('location')]).toEqual([307, expect.stringContaining(content)]);
    const there = await fetch(led.headers.get('location')!, { headers: { accept: PARTS_TYPE } });
    expect(sha256(await there.bytes())).toBe(sha256(bytes));
  });

  test('the server sends and receives none of a file’s bytes, and no address is logged', async () => {
    const { bytes, path } = await sealedFile('private', 6 * MIB);
    const before = moved();
    const { parts } = await addressesIn(await ask(`public/${path}`));
    for (const part of parts) await (await fetchPart(part, 0, part.end - part.start)).bytes();
    expect(moved() - before).toBeLessThan(bytes.length / 100);
    expect(app.log.join('\n')).not.toContain('X-Amz-');
  });

  test('small files that came whole are one part, under the folder’s checks', async () => {
    const folder = await makeFolder(app, mika, 'private');
    const name = freshName().replace(/bin$/, 'enc');
    const bytes = someBytes(700);
    await upload(createTus(app, mika), folder, name, bytes);
    const { parts } = await addressesIn(await ask(`public/${pathOf(folder, name)}`));
    expect(parts).toHaveLength(1);
    expect(Buffer.from(await (await fetchPart(parts[0]!, 0, 700)).bytes()).equals(bytes)).toBe(true);
  });
});
