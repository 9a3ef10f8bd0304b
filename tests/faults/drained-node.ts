import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKET } from '@satchel/contract/limits';
import { openSocket } from '../../apps/server/test/support/uploads/socket-kit.ts';
import { openChangeStream } from '../support/change-stream.ts';
import { randomBytesOf } from '../support/files.ts';
import {
  type CreatedFolder,
  createOverTus,
  createPlainFolder,
  type Person,
  pieceHeaders,
  runTus,
  signIn,
  tusHeaders,
} from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';
import { type FaultRow, fsckFindings } from './fault-row.ts';
import { within } from './within.ts';

/** A node is asked to end while transfers run through it, behind a balancer that has another node. */

const KIB = 1024;
const MIB = 1024 * KIB;
/** Paced, each transfer takes longer than the node has for its drain. */
const FILE_BYTES = 8 * MIB;
const STEP_BYTES = 256 * KIB;
const STEP_MS = 250;
const ASKED_AFTER_MS = 1500;
const COMES_BACK_MS = 300;
const TRIES_MAX = 5;
const TOLD_WITHIN_MS = 10_000;
/** Of each kind, so that each node has some. */
const OF_EACH = 2;

interface Stage {
  readonly site: Site;
  readonly mika: Person;
  readonly folder: CreatedFolder;
  /** Of the stored file. */
  readonly stored: Buffer;
}

const urlOf = ({ site, folder }: Stage, name: string) =>
  `${site.url}/storage/v1/object/public/${BUCKET}/${folder.bucket_storage_path}/${name}`;

/** The ending node answers 503 to what still comes on a connection that the balancer keeps open. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

interface Course {
  /** How often the transfer ended before its end. */
  readonly breaks: number;
  /** How often its client was refused as it came back. */
  readonly refusals: number;
}

/** @param attempt goes on where the last one ended. @returns once it says that all is done */
async function untilDone(attempt: () => Promise<boolean>): Promise<Course> {
  let [breaks, refusals] = [0, 0];
  for (;;) {
    const error = await attempt().then(
      (isDone) => (isDone ? null : new Error('it ended early')),
      (thrown: Error) => thrown,
    );
    if (error === null) return { breaks, refusals };
    if (error instanceof RefusedError) refusals += 1;
    else breaks += 1;
    if (breaks + refusals > TRIES_MAX) throw error;
    await sleep(COMES_BACK_MS);
  }
}

function requireTaken({ status }: Response): void {
  if (status === 502 || status === 503) throw new RefusedError(String(status));
}

/** @returns the address of a new upload, and where it goes on */
async function begin(stage: Stage, name: string) {
  const { site, mika, folder } = stage;
  const path = `${folder.bucket_storage_path}/${name}`;
  const { url } = await createOverTus({ url: site.url, person: mika, path }, FILE_BYTES);
  const offset = async () => {
    const response = await fetch(url, { method: 'HEAD', headers: tusHeaders(mika) });
    requireTaken(response);
    return Number(response.headers.get('upload-offset') ?? Number.NaN);
  };
  return { url, offset };
}

async function* paced(bytes: Buffer, from: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = from; at < bytes.length; at += STEP_BYTES) {
    yield new Uint8Array(bytes.subarray(at, at + STEP_BYTES));
    await sleep(STEP_MS);
  }
}

async function expectStored(stage: Stage, name: string, bytes: Buffer): Promise<void> {
  const found = Buffer.from(await (await fetch(urlOf(stage, name))).arrayBuffer());
  if (!found.equals(bytes)) throw new Error('the file has other bytes');
}

async function tusUpload(stage: Stage, name: string): Promise<Course> {
  const bytes = randomBytesOf(FILE_BYTES);
  const { url, offset } = await begin(stage, name);
  const course = await untilDone(async () => {
    const from = await offset();
    if (from === bytes.length) return true;
    const body = paced(bytes, from) as unknown as BodyInit;
    const init = { method: 'PATCH', headers: pieceHeaders(stage.mika, from), body, duplex: 'half' };
    const { status } = await fetch(url, init as RequestInit);
    return status === 204;
  });
  await expectStored(stage, name, bytes);
  return course;
}

async function socketUpload(stage: Stage, name: string): Promise<Course> {
  const { site, mika } = stage;
  const bytes = randomBytesOf(FILE_BYTES);
  const { url, offset } = await begin(stage, name);
  const course = await untilDone(async () => {
    const from = await offset();
    if (from === bytes.length) return true;
    const client = await openSocket({ baseUrl: site.url, config: { publicUrl: site.url } });
    client.begin(url, from, mika.token);
    await client.heard('ready');
    for await (const step of paced(bytes, from)) {
      if (client.socket.readyState !== WebSocket.OPEN) return false;
      client.socket.send(step);
    }
    await client.heard('done');
    return true;
  });
  await expectStored(stage, name, bytes);
  return course;
}

async function download(stage: Stage): Promise<Course> {
  const parts: Uint8Array[] = [];
  const have = () => parts.reduce((sum, { length }) => sum + length, 0);
  const course = await untilDone(async () => {
    const response = await fetch(urlOf(stage, 'stored_1_a.bin'), { headers: { range: `bytes=${have()}-` } });
    requireTaken(response);
    let unpaced = 0;
    for await (const part of response.body!) {
      parts.push(part);
      unpaced += part.length;
      if (unpaced < STEP_BYTES) continue;
      unpaced = 0;
      await sleep(STEP_MS);
    }
    return have() === stage.stored.length;
  });
  if (!Buffer.concat(parts).equals(stage.stored)) throw new Error('other bytes were read');
  return course;
}

/** Follows a folder of its own, which is renamed all the time: the last change is told, also after a break. */
async function eventStream({ mika }: Stage): Promise<Course> {
  const { id, slug } = await createPlainFolder(mika, 'Followed');
  const heard = new Set<string | null>();
  let stream: Awaited<ReturnType<typeof openChangeStream>> | null = null;
  let isOver = false;
  const following = untilDone(async () => {
    stream = await openChangeStream(mika, slug).catch((thrown: Error) => {
      throw new RefusedError(thrown.message);
    });
    try {
      for (;;) heard.add((await stream.next()).version);
    } catch {
      return isOver;
    }
  });
  following.catch(() => undefined);
  for (let sentBytes = 0; sentBytes < FILE_BYTES; sentBytes += STEP_BYTES) {
    await untilDone(async () => {
      const answer = await mika.rpc('update_folder_settings', { folder_id: id, new_name: `After ${sentBytes}` });
      requireTaken(answer);
      return answer.ok;
    });
    await sleep(STEP_MS);
  }
  const fresh = await openChangeStream(mika, slug);
  const { version } = await fresh.next();
  await fresh.close();
  if (!(await within(TOLD_WITHIN_MS, () => heard.has(version)))) throw new Error('the last change was not told');
  isOver = true;
  await stream!.close();
  return following;
}

const KINDS: Readonly<Record<string, (stage: Stage, name: string) => Promise<Course>>> = {
  'a tus upload': tusUpload,
  'an upload socket': socketUpload,
  'a download': download,
  'an event stream': eventStream,
};

export async function* drainedNode(): AsyncGenerator<FaultRow> {
  const site = await startSite({ nodes: 2, env: { DRAIN_SECONDS: '2', LOG_LEVEL: 'error' } });
  try {
    const mika = await signIn(site, 'mika');
    const stage = { site, mika, folder: await createPlainFolder(mika, 'Drained'), stored: randomBytesOf(FILE_BYTES) };
    const path = `${stage.folder.bucket_storage_path}/stored_1_a.bin`;
    const { error } = await runTus({ url: site.url, person: mika, path }, stage.stored);
    const [lost, wrong]: [string[], string[]] = [error ? ['the file was refused'] : [], []];
    const all = Object.entries(KINDS).flatMap(([kind, run]) =>
      Array.from({ length: OF_EACH }, async (_, at) => {
        const course = await run(stage, `sent_${run.name}${at}_a.bin`).catch((thrown: Error) => {
          lost.push(`${kind}: ${thrown.message}`);
          return { breaks: 0, refusals: 0 };
        });
        if (course.breaks > 1) wrong.push(`${kind} broke ${course.breaks} times`);
        return { kind, ...course };
      }),
    );
    await sleep(ASKED_AFTER_MS);
    process.kill(site.pid(), 'SIGTERM');
    const ended = await Promise.all(all);
    wrong.push(...(await fsckFindings(site)));
    const broken = ended.filter(({ breaks }) => breaks > 0).map(({ kind }) => kind);
    if (broken.length === 0) wrong.push('the node had none of the transfers');
    const refusals = ended.reduce((sum, course) => sum + course.refusals, 0);
    const note = `these broke once: ${broken.join(', ')}; ${refusals} tries to come back were refused`;
    yield { fault: 'a node is drained', runs: ended.length, lost, wrong, recoveredMs: null, note };
  } finally {
    await site.stop();
  }
}
