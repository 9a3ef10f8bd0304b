import { rmSync, writeFileSync } from 'node:fs';
import { BUCKET } from '@satchel/contract/limits';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUpload, endAt, inDatabase, patch, pointedSite, pointNamed, type Trial } from '../faults/points/trial.ts';
import { SWEPT_WITHIN_MS, within } from '../faults/within.ts';
import { randomBytesOf } from '../support/files.ts';
import { signIn, tusHeaders } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

/** A short run of `npm run test:faults`: three of its points of kill -9, and a disk that fails to sync. */

const MIB = 1024 ** 2;
const BYTES = new Uint8Array(randomBytesOf(2 * MIB));
const NOTHING = { lost: [], wrong: [] };

let pointed: ReturnType<typeof pointedSite>;
let site: Site;
let trial: Trial;

beforeAll(async () => {
  pointed = pointedSite();
  site = await startSite(pointed.options);
  const tally = { acts: 0, lost: [], wrong: [] };
  const lena = await signIn(site, 'lena');
  trial = { site, store: 'disk', workers: [], tally, lena, flag: pointed.flag };
});
afterAll(async () => {
  await site.stop();
  pointed.remove();
});

const offsetOf = async (url: string) =>
  Number((await fetch(url, { method: 'HEAD', headers: tusHeaders(trial.lena) })).headers.get('upload-offset'));
const read = (path: string) => fetch(`${site.url}/storage/v1/object/public/${BUCKET}/${path}`);
const isRight = async (path: string) => Buffer.from(await (await read(path)).arrayBuffer()).equals(BYTES);

test('what an upload and a deletion had committed when the server was killed stays so', async () => {
  const { url, path } = await createUpload(trial, BYTES.length);
  const half = () => patch(trial.lena, url, 0, BYTES.slice(0, MIB));
  const committed = pointNamed('an offset is committed, before the answer');
  const first = await endAt(trial, committed, () => half().catch(() => undefined));
  expect(first).toMatchObject(NOTHING);
  expect(await offsetOf(url)).toBe(MIB);

  const rest = () => patch(trial.lena, url, MIB, BYTES.slice(MIB));
  const ended = pointNamed('an upload is a file, before the answer');
  expect(await endAt(trial, ended, () => rest().catch(() => undefined))).toMatchObject(NOTHING);
  expect(await isRight(path)).toBe(true);

  const remove = () =>
    fetch(`${site.url}/storage/v1/object/${BUCKET}/${path}`, { method: 'DELETE', headers: tusHeaders(trial.lena) });
  const deleted = pointNamed('a deletion is committed, before its bytes go');
  expect(await endAt(trial, deleted, () => remove().catch(() => undefined))).toMatchObject(NOTHING);
  expect((await read(path)).status).toBe(404);
  const isSwept = async () => (await inDatabase(site, 'select from blob_removals')).length === 0;
  expect(await within(SWEPT_WITHIN_MS, isSwept)).toBe(true);
  expect((await site.fsck()).output).toContain(', 0 blobs');
});

test('bytes that a disk did not sync are not acknowledged, and the upload continues once it does', async () => {
  const { url, path } = await createUpload(trial, BYTES.length);
  expect((await patch(trial.lena, url, 0, BYTES.slice(0, MIB))).status).toBe(204);
  writeFileSync(pointed.syncFails, '');
  const refused = await patch(trial.lena, url, MIB, BYTES.slice(MIB));
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
  expect(await offsetOf(url)).toBe(MIB);
  rmSync(pointed.syncFails);
  expect((await patch(trial.lena, url, MIB, BYTES.slice(MIB))).status).toBe(204);
  expect(await isRight(path)).toBe(true);
  expect(await site.fsck('--hash')).toMatchObject({ code: 0 });
});
