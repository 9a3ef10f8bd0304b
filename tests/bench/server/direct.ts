import { PARTS_TYPE, type PartAddresses } from '@satchel/contract/wire/direct-reads';
import { DIRECT_COMMITTED_MAX, DIRECT_LEASE_HEADER } from '@satchel/contract/wire/direct-uploads';
import { allowPages, bucketEnv, startGateway } from '../../../apps/server/test/support/blobs/gateway.ts';
import { randomBytesOf } from '../../support/files/samples.ts';
import { answerOf, type Person, signIn } from '../../support/people/client.ts';
import { acknowledgeParts, storePart } from '../../support/people/direct-parts.ts';
import { createFolderAs } from '../../support/people/made-folders.ts';
import { sendBySocket } from '../../support/people/socket.ts';
import { createOverTus, pieceHeaders } from '../../support/people/tus.ts';
import { type Site, startSite } from '../../support/site/site.ts';
import { threadSeconds } from '../process-cost.ts';
import { byTurns, type Row } from '../report.ts';

/**
 * The server's processor time for a file whose parts go straight between client and store (BLOBS_DIRECT), beside a file that
 * crosses the server. The time of the store and of the client, which hashes, is not counted. `npm run bench direct`.
 */

const MIB = 1024 ** 2;
/** As the browser cuts them. */
const PART_BYTES = 6 * MIB;
const PARTS = 12;
const FILE_BYTES = PARTS * PART_BYTES;
const PER_GIB = 1024 ** 3 / FILE_BYTES;
const BYTES = randomBytesOf(FILE_BYTES);
/** Parts on their way at once. */
const AT_ONCE = 3;

type Begun = Awaited<ReturnType<typeof begin>>;

const pieceAt = (start: number) => new Uint8Array(BYTES.subarray(start, start + PART_BYTES));
const starts = Array.from({ length: PARTS }, (_, at) => at * PART_BYTES);

let made = 0;
/** An upload of a sealed file. */
async function begin({ site, mika, prefix }: { site: Site; mika: Person; prefix: string }) {
  made += 1;
  const path = `${prefix}/bench_${1_700_000_000_000 + made}_abcdefgh.enc`;
  const metadata = { sealed: `2.${'a'.repeat(64)}` };
  const { url, headers } = await createOverTus({ url: site.url, person: mika, path }, FILE_BYTES, { metadata });
  return { site, mika, path, url, lease: headers.get(DIRECT_LEASE_HEADER) };
}

/** As the browser does: an address for each part when its turn comes, and each is acknowledged once it is there. */
async function sendDirect({ mika, url, lease }: Begun): Promise<void> {
  if (lease === null) throw new Error('the server offers no direct parts');
  const upload = { person: mika, url, lease: Number(lease) };
  /** What is in the store and not acknowledged, by its start. */
  const stored = new Map<number, string>();
  let offset = 0;
  async function acknowledge(): Promise<void> {
    const names: string[] = [];
    for (let at = offset; stored.has(at) && names.length < DIRECT_COMMITTED_MAX; at += PART_BYTES) {
      names.push(stored.get(at)!);
    }
    if (names.length === 0) return;
    offset = await acknowledgeParts(upload, names);
  }
  let acknowledged = Promise.resolve();
  const left = starts.values();
  async function sendInTurn(): Promise<void> {
    for (const start of left) {
      stored.set(start, await storePart(upload, start, pieceAt(start)));
      acknowledged = acknowledged.then(acknowledge);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendInTurn));
  await acknowledged;
  if (offset !== FILE_BYTES) throw new Error(`acknowledged: ${offset} of ${FILE_BYTES} bytes`);
}

async function sendByTus({ mika, url }: Begun): Promise<void> {
  for (const start of starts) {
    const { status } = await fetch(url, { method: 'PATCH', headers: pieceHeaders(mika, start), body: pieceAt(start) });
    if (status !== 204) throw new Error(`a piece was answered ${status}`);
  }
}

async function sendOverSocket({ site, mika, url }: Begun): Promise<void> {
  const code = await sendBySocket({ site, person: mika, url, bytes: BYTES });
  if (code !== 1000) throw new Error(`the socket was closed with ${code}`);
}

const objectOf = ({ site, path }: Begun) => `${site.url}/storage/v1/object/public/unlocked-folders/${path}`;

async function readAll(response: Response): Promise<number> {
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}

async function readDirect(file: Begun): Promise<void> {
  let at = 0;
  while (at < FILE_BYTES) {
    const headers = { accept: PARTS_TYPE, ...(at > 0 && { range: `bytes=${at}-` }) };
    const { parts } = await answerOf<PartAddresses>(await fetch(objectOf(file), { headers }));
    for (const { url } of parts) at += await readAll(await fetch(url));
  }
}

async function readThrough(file: Begun): Promise<void> {
  if ((await readAll(await fetch(objectOf(file)))) !== FILE_BYTES) throw new Error('the file is cut');
}

export async function benchDirect(): Promise<Row[]> {
  const gateway = await startGateway();
  if (!gateway) throw new Error('direct parts need an S3 gateway');
  const bucket = await gateway.bucket();
  await allowPages(bucket, '*');
  const env = { ...bucketEnv(bucket), BLOBS_DIRECT: 'on', SESSION_SECRET: 'what the node of this site signs with' };
  const limits = { LOG_LEVEL: 'warn', FREE_STORAGE_BYTES: '64GiB', MAX_FILE_BYTES: '1GiB' };
  const site = await startSite({ hasOneServer: true, env: { ...env, ...limits } });
  try {
    const mika = await signIn(site, 'mika');
    const { folder } = await createFolderAs(mika, site, { name: 'Bench' });
    const upload = () => begin({ site, mika, prefix: folder.bucket_storage_path });
    const cost = async (act: () => Promise<void>): Promise<number> => {
      const before = threadSeconds(site.pid());
      await act();
      return (threadSeconds(site.pid()) - before) * PER_GIB;
    };
    // Creating the upload is the same for all, and not counted.
    const sending = (send: (begun: Begun) => Promise<void>) => async () => {
      const begun = await upload();
      return cost(() => send(begun));
    };
    // The first of each kind compiles, and is not counted.
    const file = await upload();
    await sendDirect(file);
    await sendByTus(await upload());
    await sendOverSocket(await upload());
    await readThrough(file);
    await readDirect(file);
    const used = await byTurns({
      direct: sending(sendDirect),
      tus: sending(sendByTus),
      socket: sending(sendOverSocket),
      directDown: () => cost(() => readDirect(file)),
      down: () => cost(() => readThrough(file)),
    });
    const perPart = (seconds: number) => (seconds / PER_GIB / PARTS) * 1000;
    return [
      {
        ...{ name: 'uploads of sealed files, server for each GiB: straight into the store', unit: 'CPU-s' },
        measured: used.direct,
        bounds: [
          { name: 'through the server by socket', measured: used.socket },
          { name: 'through the server by tus', measured: used.tus },
        ],
      },
      {
        ...{ name: 'the same, for each part of 6 MiB', unit: 'ms CPU' },
        measured: used.direct.map(perPart),
        bounds: [{ name: 'through the server by socket', measured: used.socket.map(perPart) }],
      },
      {
        ...{ name: 'downloads of them, server for each GiB: straight from the store', unit: 'CPU-s' },
        measured: used.directDown,
        bounds: [{ name: 'through the server', measured: used.down }],
      },
    ];
  } finally {
    await site.stop();
    await gateway.stop();
  }
}
