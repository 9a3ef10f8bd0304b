import { existsSync } from 'node:fs';
import { BUCKET } from '@satchel/contract/limits';
import { encodeFrames, readStills } from '@satchel/contract/wire/still-frames';
import { newPrivate } from '../../../apps/server/test/support/folders.ts';
import { randomBytesOf } from '../../support/files.ts';
import { createFolder, signIn, tusHeaders } from '../../support/people.ts';
import { createS3Sites } from '../../support/s3-site.ts';
import { type Site, type SiteOptions, startSite } from '../../support/site.ts';
import { type FaultRow, GATEWAY, notRun } from '../fault-row.ts';
import { ageShares, shareFiles } from '../key-shares.ts';
import { createWorker, type Tally, type Worker } from '../recorded-work.ts';
import { SWEPT_WITHIN_MS, within } from '../within.ts';
import {
  type CrashPoint,
  POINTS_OF_CHECKPOINTS,
  POINTS_OF_STILLS,
  POINTS_OF_SWEEPS,
  POINTS_OF_WORK,
} from './crash-points.ts';
import { createUpload, endAt, inDatabase, patch, pointedSite, reached, type Trial } from './trial.ts';

/** kill -9 of the server at each named point, and what is left of everything that was acknowledged. */

const KIB = 1024;
const MIB = 1024 * KIB;
const PERSONAS = ['mika', 'jonas', 'ava'];

/** All workers work until the server has ended. */
async function workOn({ workers, flag }: Trial): Promise<void> {
  const working = workers.map(async (worker) => {
    while (existsSync(flag)) await worker.work();
  });
  await reached(flag);
  for (const worker of workers) worker.stop();
  await Promise.all(working);
}

/** The server ends when it has 2 of an upload's 3 MiB. */
async function* checkpoints(trial: Trial): AsyncGenerator<FaultRow> {
  const { site, lena, tally } = trial;
  for (const point of POINTS_OF_CHECKPOINTS) {
    const bytes = new Uint8Array(randomBytesOf(3 * MIB));
    const { url, path } = await createUpload(trial, bytes.length);
    const act = async () => {
      const slow = new ReadableStream({ start: (stream) => stream.enqueue(bytes.subarray(0, 2 * MIB)) });
      await patch(lena, url, 0, slow).catch(() => undefined);
    };
    yield await endAt(trial, point, act, async () => {
      const head = await fetch(url, { method: 'HEAD', headers: tusHeaders(lena) });
      const offset = Number(head.headers.get('upload-offset'));
      const { status } = await patch(lena, url, offset, bytes.slice(offset));
      if (status !== 204) tally.lost.push(`the upload does not continue at ${offset}: ${status}`);
      const found = await fetch(`${site.url}/storage/v1/object/public/${BUCKET}/${path}`);
      if (!Buffer.from(await found.arrayBuffer()).equals(bytes)) tally.wrong.push('the file has other bytes');
    });
  }
}

async function* stills(trial: Trial): AsyncGenerator<FaultRow> {
  const { site, lena, tally } = trial;
  for (const point of POINTS_OF_STILLS) {
    const { url, path } = await createUpload(trial, 5);
    await patch(lena, url, 0, new Uint8Array(5));
    const [prefix = '', name = ''] = path.split('/');
    const still = { name, small: new Uint8Array(randomBytesOf(KIB)), large: new Uint8Array(randomBytesOf(9 * KIB)) };
    const address = `${site.url}/storage/v1/still/${BUCKET}`;
    const put = () =>
      fetch(`${address}/${prefix}`, {
        method: 'PUT',
        headers: { ...tusHeaders(lena), 'content-type': 'application/octet-stream' },
        body: encodeFrames([still]),
      });
    const read = async (): Promise<Uint8Array | null> => {
      const body = JSON.stringify({ prefix, names: [name], size: 'large' });
      const { body: answer } = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      for await (const found of readStills(answer!, 'large')) return found;
      return null;
    };
    const isRight = (found: Uint8Array | null) => found !== null && Buffer.from(found).equals(still.large);
    const act = () => put().catch(() => undefined);
    yield await endAt(trial, point, act, async () => {
      const left = await read();
      if (left !== null && !isRight(left)) tally.wrong.push('a still has other bytes');
      const { status } = await put();
      if (status !== 200 || !isRight(await read())) tally.lost.push(`a still that is sent again: ${status}`);
    });
  }
}

/** Leaves work for the sweep of the next start: an expired plain folder with a file, an expired private one, an expired key. */
async function leaveToSweep(trial: Trial): Promise<void> {
  const { site, lena } = trial;
  const plain = await createUpload(trial, 5);
  await patch(lena, plain.url, 0, new Uint8Array(5));
  const { id: ended } = await createFolder(lena, newPrivate());
  const { id: keyless } = await createFolder(lena, newPrivate());
  await inDatabase(
    site,
    `update folders set expires_at = now() where id = '${ended}' or bucket_storage_path = '${plain.path.split('/')[0]}'`,
    `update temp_encryption_keys set expires_at = now() where folder_id = '${keyless}'`,
    'insert into blob_removals (blob_key) values (gen_random_uuid())',
  );
}

async function* sweeps(trial: Trial): AsyncGenerator<FaultRow> {
  const { site } = trial;
  for (const point of POINTS_OF_SWEEPS) {
    await leaveToSweep(trial);
    await site.kill9();
    // The server ends while it starts.
    yield await endAt(trial, point, () => site.restart().catch(() => undefined));
  }
}

/** Deletes everything and makes all delayed purges due: the sweeps must leave nothing. */
async function leaveNothing(trial: Trial): Promise<FaultRow> {
  const { site, workers, tally } = trial;
  for (const worker of workers) await worker.finishAll();
  for (const worker of workers) await worker.deleteAll();
  await site.kill9();
  // A folder may exist although its creation was never answered: the server ended first.
  const expire = 'update folders set expires_at = now() where deleted_at is null';
  await inDatabase(site, 'update blob_removals set held_until = null', expire);
  ageShares(site);
  const startedMs = performance.now();
  await site.restart();
  let last = '';
  const isSwept = async () => {
    const { code, output } = await site.fsck();
    last = output.trim();
    // Of blobs in S3 the parts of killed writers stay for an hour.
    const left = / (\d+) left blobs/.exec(output)?.[1] ?? '0';
    const isQueued = / [1-9]\d* (blob removals|key shares)/.test(/for the next sweeps: (.*)/.exec(output)?.[0] ?? '');
    return code === 0 && !isQueued && output.includes(`, ${left} blobs,`);
  };
  if (!(await within(SWEPT_WITHIN_MS, isSwept, 500))) tally.wrong.push(`not swept: ${last}`);
  const recoveredMs = performance.now() - startedMs;
  if (shareFiles(site).length > 0) tally.wrong.push(`${shareFiles(site).length} key shares are left`);
  const [lost, wrong] = [tally.lost.splice(0), tally.wrong.splice(0)];
  return {
    fault: `all of it is deleted, and swept (${trial.store})`,
    runs: 1,
    lost,
    wrong,
    recoveredMs,
    note: 'nothing is left',
  };
}

/** Where the blobs lie, and what is tried there. */
interface Place {
  readonly store: string;
  readonly start: (options: SiteOptions) => Promise<Site>;
  readonly workersEach: number;
  readonly points: readonly CrashPoint[];
}

async function* atPoints({ store, start, workersEach, points }: Place): AsyncGenerator<FaultRow> {
  const { options, flag, remove } = pointedSite();
  try {
    const site = await start(options);
    try {
      const tally: Tally = { acts: 0, lost: [], wrong: [] };
      const workers: Worker[] = [];
      for (const persona of PERSONAS) {
        const person = await signIn(site, persona);
        for (let each = 0; each < workersEach; each += 1) {
          workers.push(createWorker(site.url, person, `${persona} ${each}`, tally, true));
        }
      }
      // A bearer is good for ten minutes, and less than all of this takes.
      const newTrial = async (): Promise<Trial> => {
        const lena = await signIn(site, 'lena');
        return { site, store, workers, tally, lena, flag };
      };
      const trial = await newTrial();
      for (const point of points) yield await endAt(trial, point, () => workOn(trial));
      for (const use of [checkpoints, stills, sweeps]) yield* use(await newTrial());
      yield await leaveNothing(trial);
    } finally {
      await site.stop();
    }
  } finally {
    remove();
  }
}

/** Points of the disk itself, and of key shares, which lie on a disk wherever blobs are. */
const ON_DISK_ALONE = /^(platform\/|domain\/links\/|domain\/folders\/)/;

export const diskPointFaults = (): AsyncGenerator<FaultRow> =>
  atPoints({ store: 'disk', start: startSite, workersEach: 2, points: POINTS_OF_WORK });

export async function* s3PointFaults(): AsyncGenerator<FaultRow> {
  const sites = await createS3Sites();
  if (!sites) return yield notRun('kill -9 at points, with blobs in S3', GATEWAY);
  try {
    const points = POINTS_OF_WORK.filter(({ file }) => !ON_DISK_ALONE.test(file));
    yield* atPoints({ store: 'S3', start: sites.start, workersEach: 1, points });
  } finally {
    await sites.stop();
  }
}
