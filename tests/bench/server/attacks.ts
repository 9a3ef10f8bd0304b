import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytesOf } from '../../support/files/samples.ts';
import { type CreatedFolder, createPlainFolder, type Person, signIn } from '../../support/people/client.ts';
import { createStranger, type Stranger } from '../../support/people/stranger.ts';
import { createOverTus } from '../../support/people/tus.ts';
import { type Site, startSite } from '../../support/site/site.ts';
import type { Row } from '../report.ts';
import type { Ask, Order, Word } from './attacker.ts';

/**
 * One attacker and its effect on others: a stranger's page and 10 MB upload, without and under each attack, in one
 * run. The attacker has 127.0.0.1 and one account, the stranger 127.0.0.2 and another.
 */

const ROUNDS = 3;
/** Idle readers may at most double the stranger's waiting time. */
const IDLE_READERS_AT_MOST_TIMES = 2;
/** Bursts compete for the same database, so the stranger's statements wait between theirs. */
const BURST_AT_MOST_MS = 1000;
const IDLE_READERS = 15_000;
const LISTS = 300;
const EXPORTS = 40;
const FILES = 2000;
const FOLDERS = 60;
const LARGE_FILE_BYTES = 24 * 1024 ** 2;
const UPLOADS_AT_ONCE = 16;
/** Time for a burst to reach the server. */
const LANDING_MS = 150;

const upload = ({ url }: Site, person: Person, path: string, body: Uint8Array<ArrayBuffer>) =>
  createOverTus({ url, person, path }, body.length, { body });

/** The attacker's account: a large folder, many small ones, and one large file. */
async function furnish(site: Site, person: Person): Promise<{ folder: CreatedFolder; largePath: string }> {
  const folder = await createPlainFolder(person, 'Large');
  for (let at = 0; at < FOLDERS; at++) await createPlainFolder(person, `Folder ${at}`);
  const names = Array.from(
    { length: FILES },
    (_, at) => `${folder.bucket_storage_path}/file_${at}_abcdefgh.bin`,
  ).values();
  const sendSome = async () => {
    for (const name of names) await upload(site, person, name, new Uint8Array([1]));
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, sendSome));
  const other = await createPlainFolder(person, 'Film');
  const largePath = `${other.bucket_storage_path}/film_1_abcdefgh.bin`;
  await upload(site, person, largePath, new Uint8Array(randomBytesOf(LARGE_FILE_BYTES)));
  return { folder, largePath };
}

interface Attacker {
  order(order: Order): void;
  /** Waits for the attacker's next message of that kind. */
  hear(kind: Word['kind']): Promise<Word>;
  end(): void;
}

function startAttacker(port: string): Attacker {
  const child: ChildProcess = fork(join(import.meta.dirname, 'attacker.ts'), [port]);
  return {
    order: (order) => void child.send(order),
    async hear(kind) {
      for (;;) {
        const [word] = (await once(child, 'message')) as [Word];
        if (word.kind === kind) return word;
      }
    },
    end: () => void child.kill('SIGKILL'),
  };
}

interface Waited {
  readonly page: number[];
  readonly upload: number[];
}

/** A refused request counts as infinitely slow. */
function neverDone(error: unknown): number {
  console.log(String(error));
  return Number.POSITIVE_INFINITY;
}

/** @param burst sent before each round, and answered by its end */
async function measure(stranger: Stranger, burst?: () => Promise<unknown>): Promise<Waited> {
  const waited: Waited = { page: [], upload: [] };
  for (const what of ['page', 'upload'] as const) {
    for (let round = 0; round < ROUNDS; round++) {
      const answered = burst?.();
      if (answered) await sleep(LANDING_MS);
      waited[what].push(await stranger[what]().catch(neverDone));
      await answered;
    }
  }
  return waited;
}

const shown = ({ answers }: Word) =>
  Object.entries(answers)
    .map((entry) => entry.join(': '))
    .join(', ');

/** Each attack in turn, compared with the same stranger without an attack. */
export async function benchAttacks(): Promise<Row[]> {
  const site = await startSite({ env: { LOG_LEVEL: 'warn' } });
  const attacker = startAttacker(new URL(site.url).port);
  try {
    const [mallory, jonas] = [await signIn(site, 'mika'), await signIn(site, 'jonas')];
    const { folder, largePath } = await furnish(site, mallory);
    const stranger = await createStranger(site.url, jonas);
    const json = { 'content-type': 'application/json' };
    const list = JSON.stringify({ prefix: folder.bucket_storage_path, limit: 100 });
    const burst = (ask: Ask, count: number) => async () => {
      attacker.order({ kind: 'burst', ask, count });
      console.log(`a burst: ${shown(await attacker.hear('done'))}`);
    };
    const attacks: Record<string, () => Promise<Waited>> = {
      [`${LISTS} lists of ${FILES} files`]: () =>
        measure(
          stranger,
          burst({ method: 'POST', path: '/storage/v1/object/list/unlocked-folders', headers: json, body: list }, LISTS),
        ),
      [`${EXPORTS} exports`]: () =>
        measure(
          stranger,
          burst(
            { method: 'GET', path: '/rest/v1/profiles/me/export', headers: { cookie: mallory.cookies() } },
            EXPORTS,
          ),
        ),
      [`${IDLE_READERS} idle readers`]: async () => {
        const path = `/storage/v1/object/public/unlocked-folders/${largePath}`;
        attacker.order({ kind: 'idle_readers', ask: { method: 'GET', path, headers: {} }, count: IDLE_READERS });
        console.log(`idle readers: ${shown(await attacker.hear('begun'))}`);
        return measure(stranger);
      },
    };
    const quiet = await measure(stranger);
    const rows: Row[] = [];
    for (const [name, attack] of Object.entries(attacks)) {
      const waited = await attack();
      const isBurst = !name.includes('idle');
      for (const what of ['page', 'upload'] as const) {
        const quietly = { name: 'the same while it is quiet', measured: quiet[what] };
        rows.push({
          name: `A stranger’s ${what === 'page' ? 'page' : '10 MB upload'} under ${name}`,
          unit: 'ms',
          measured: waited[what],
          ...(isBurst && { atMost: BURST_AT_MOST_MS }),
          bounds: [isBurst ? quietly : { ...quietly, atMost: IDLE_READERS_AT_MOST_TIMES }],
        });
      }
    }
    return rows;
  } finally {
    attacker.end();
    await site.stop();
  }
}
