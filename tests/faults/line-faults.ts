import { setTimeout as sleep } from 'node:timers/promises';
import { startSiteBehindLine } from '../support/line.ts';
import { startSite } from '../support/site.ts';
import { answersOf, beside, endure, type FaultRow } from './fault-row.ts';
import { keepFiles } from './kept-files.ts';

/** What clients and their lines do. */

const KIB = 1024;
const MIB = 1024 * KIB;
const SLOW_ONES = 8;
const SLOW_BYTES = 50 * KIB;
const CUTS = 20;
const UPLOADS = 1000;

/** Each sender and each reader has few bytes a second: each ends, and none is taken for one that stands still. */
async function* slowLine(): AsyncGenerator<FaultRow> {
  const { line, site } = await startSiteBehindLine({ LOG_LEVEL: 'error' });
  try {
    const kept = await keepFiles(site);
    for (let count = 0; count < SLOW_ONES; count += 1) await kept.upload(MIB);
    let seconds: NodeJS.Timeout | undefined;
    const nextSecond = () => {
      line.hold(SLOW_BYTES);
      line.holdAnswers(SLOW_BYTES);
    };
    const work = async () => {
      nextSecond();
      seconds = setInterval(nextSecond, 1000);
      const sent = await Promise.all(Array.from({ length: SLOW_ONES }, () => kept.upload(MIB)));
      const read = await Promise.all(
        kept
          .files()
          .slice(0, SLOW_ONES)
          .map((file) => kept.read(file)),
      );
      if (![...sent, ...read].every(Boolean)) kept.wrong.push(`a slow one was cut: ${answersOf(kept)}`);
    };
    const mend = () => {
      clearInterval(seconds);
      line.hold(null);
      line.holdAnswers(null);
    };
    const fault = `${SLOW_ONES} senders, then ${SLOW_ONES} readers, each with ${SLOW_BYTES / KIB} KiB a second`;
    yield await endure(fault, site, kept, { work, mend });

    const cut = () =>
      beside(kept, async () => {
        for (let count = 0; count < CUTS; count += 1) {
          await sleep(200);
          line.cut();
        }
      });
    yield await endure(`the line breaks ${CUTS} times`, site, kept, { work: cut, mend: () => undefined });
  } finally {
    await site.stop();
    await line.close();
  }
}

/** More at once than the server takes: what is refused is told so, and taken when it comes back as told. */
async function* manyUploads(): AsyncGenerator<FaultRow> {
  const env = { MAX_OPEN_UPLOADS: '1000', CONNECTIONS_PER_NETWORK: '2000', LOG_LEVEL: 'error' };
  const site = await startSite({ hasOneServer: true, env });
  try {
    const kept = await keepFiles(site);
    let refusals: readonly number[] = [];
    let taken = 0;
    const work = async () => {
      refusals = await Promise.all(Array.from({ length: UPLOADS }, () => kept.uploadUntilTaken(10 * KIB)));
      taken = kept.files().length;
      if (taken !== UPLOADS) kept.lost.push(`${taken} of ${UPLOADS} uploads were taken`);
    };
    const row = await endure(`${UPLOADS} uploads at once`, site, kept, { work, mend: () => undefined });
    const refused = refusals.filter((count) => count > 0).length;
    const note = `${refused} were refused first, up to ${Math.max(...refusals)} times, and ${taken} taken in the end`;
    yield { ...row, note: `${row.note}; ${note}` };
  } finally {
    await site.stop();
  }
}

export async function* lineFaults(): AsyncGenerator<FaultRow> {
  yield* slowLine();
  yield* manyUploads();
}
