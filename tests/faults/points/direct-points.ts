import { BUCKET } from '@satchel/contract/limits';
import { DIRECT_LEASE_HEADER } from '@satchel/contract/wire/direct-uploads';
import {
  POINT_OF_GRANTED_SWEEP,
  POINTS_OF_STORED_PARTS,
} from '../../../apps/server/test/support/crashes/crash-points.ts';
import { newPrivate } from '../../../apps/server/test/support/folders.ts';
import { randomBytesOf, sha256 } from '../../support/files/samples.ts';
import { createFolder, signIn } from '../../support/people/client.ts';
import { acknowledgeParts, type DirectUpload, storePart } from '../../support/people/direct-parts.ts';
import { tusHeaders } from '../../support/people/tus.ts';
import type { S3Sites } from '../../support/site/s3-site.ts';
import type { FaultRow } from '../fault-row.ts';
import type { Tally } from '../recorded-work.ts';
import { SWEPT_WITHIN_MS, within } from '../within.ts';
import { createUpload, endAt, inDatabase, pointedSite, type Trial } from './trial.ts';

/** kill -9 while parts of a sealed file go straight into a store of S3 (docs/decisions/033). */

const MIB = 1024 ** 2;
/** Two parts: the first is acknowledged as an offset, the second makes the upload a file. */
const FILE_BYTES = 9 * MIB;
const PART_BYTES = 6 * MIB;

/** A client that stores the parts of a file in S3, one after the other. */
async function createSender(trial: Trial) {
  const { site, lena, tally } = trial;
  const bytes = new Uint8Array(randomBytesOf(FILE_BYTES));
  const { url, path } = await createUpload(trial, bytes.length, await createFolder(lena, newPrivate()));
  let acked = 0;

  /** Takes the upload over, and stores the part at its offset; null at the end of the upload. */
  async function storeNext(): Promise<{ upload: DirectUpload; name: string } | null> {
    const { status, headers } = await fetch(url, { method: 'HEAD', headers: tusHeaders(lena) });
    if (status !== 200) throw new Error(`the upload was answered ${status}`);
    const offset = Number(headers.get('upload-offset'));
    if (offset < acked) tally.lost.push(`${offset} of ${acked} acknowledged bytes`);
    if (offset === bytes.length) return null;
    const lease = Number(headers.get(DIRECT_LEASE_HEADER) ?? Number.NaN);
    const upload = { person: lena, url, lease };
    return { upload, name: await storePart(upload, offset, bytes.slice(offset, offset + PART_BYTES)) };
  }

  return {
    storeNext,
    async send(): Promise<void> {
      for (let part = await storeNext(); part; part = await storeNext()) {
        acked = await acknowledgeParts(part.upload, [part.name]);
      }
    },
    async read(): Promise<void> {
      const found = await fetch(`${site.url}/storage/v1/object/public/${BUCKET}/${path}`);
      const content = new Uint8Array(await found.arrayBuffer());
      if (sha256(content) !== sha256(bytes)) tally.wrong.push(`the file has other bytes (${found.status})`);
    },
  };
}

async function* storedParts(trial: Trial): AsyncGenerator<FaultRow> {
  for (const point of POINTS_OF_STORED_PARTS) {
    const { send, read } = await createSender(trial);
    yield await endAt(
      trial,
      point,
      () => send().catch(() => undefined),
      async () => {
        await send();
        await read();
      },
    );
  }
}

/** The sweep of a start, long after the address of an unacknowledged part has expired. */
async function* sweptParts(trial: Trial): AsyncGenerator<FaultRow> {
  const { site, tally } = trial;
  const { storeNext, send, read } = await createSender(trial);
  await storeNext();
  await inDatabase(site, `update granted_parts set ends_at = now() - interval '2 hours'`);
  await site.kill9();
  const look = async () => {
    const isSwept = async () => (await inDatabase(site, 'select from granted_parts')).length === 0;
    if (!(await within(SWEPT_WITHIN_MS, isSwept))) tally.wrong.push('rows of parts are not swept');
    await send();
    await read();
  };
  yield await endAt(trial, POINT_OF_GRANTED_SWEEP, () => site.restart().catch(() => undefined), look);
}

export async function* directPoints(sites: S3Sites): AsyncGenerator<FaultRow> {
  const { options, flag, remove } = pointedSite();
  try {
    const site = await sites.start({ ...options, env: { ...options.env, BLOBS_DIRECT: 'on' } });
    try {
      const tally: Tally = { acts: 0, lost: [], wrong: [] };
      const trial = {
        site,
        store: 'S3, directly',
        workers: [],
        tally,
        lena: await signIn(site, 'lena'),
        flag,
        hasAllHashes: false,
      };
      yield* storedParts(trial);
      yield* sweptParts(trial);
    } finally {
      await site.stop();
    }
  } finally {
    remove();
  }
}
