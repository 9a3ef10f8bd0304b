import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import { createPlainFolder, signIn } from '../../support/people/client.ts';
import { startSite } from '../../support/site/site.ts';
import { costOf, pssMibOf } from '../process-cost.ts';
import { percentile, ROUNDS, type Row } from '../report.ts';

/** 5,000 open pages of one folder: what they cost the server at rest, and when the last of them knows of a change. */

const FOLLOWERS = 5000;
const OPENED_AT_ONCE = 50;
/** More than the time between two comments of a stream. */
const REST_SECONDS = 30;
const TOLD_WITHIN_MS = 10_000;

/** One page's stream, from a network of its own as behind a proxy; counts the events that came. */
async function openStream(port: number, slug: string, at: number) {
  const body = JSON.stringify({ slugs: [slug] });
  const socket: Socket = connect(port, '127.0.0.1');
  let events = 0;
  let waiting: (() => void) | null = null;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    events += text.split('data: ').length - 1;
    waiting?.();
  });
  socket.write(
    [
      `POST ${CHANGES_PATH} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      `x-forwarded-for: 10.1.${at >> 8}.${at & 255}`,
      'accept: text/event-stream',
      'content-type: application/json',
      `content-length: ${body.length}`,
      `\r\n${body}`,
    ].join('\r\n'),
  );
  const until = (count: number) =>
    new Promise<number>((resolve, reject) => {
      const look = () => {
        if (events < count) return;
        clearTimeout(late);
        waiting = null;
        resolve(performance.now());
      };
      const late = setTimeout(() => reject(new Error('a follower was not told')), TOLD_WITHIN_MS);
      waiting = look;
      look();
    });
  await until(1);
  return { told: () => until(events + 1), end: () => socket.destroy(), closed: once(socket, 'close') };
}

export async function benchFollowers(): Promise<Row[]> {
  const site = await startSite({ env: { LOG_LEVEL: 'warn', TRUST_PROXY: '127.0.0.1' } });
  try {
    const mika = await signIn(site, 'mika');
    const folder = await createPlainFolder(mika, 'Followed');
    const port = Number(new URL(site.url).port);
    const emptyMib = pssMibOf(site.pid());
    const streams: Awaited<ReturnType<typeof openStream>>[] = [];
    for (let from = 0; from < FOLLOWERS; from += OPENED_AT_ONCE) {
      const some = Array.from({ length: OPENED_AT_ONCE }, (_, at) => openStream(port, folder.slug, from + at));
      streams.push(...(await Promise.all(some)));
    }
    const rests: number[] = [];
    const tellings: { ms: number; cpuMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { cost } = await costOf(site.pid(), () => sleep(REST_SECONDS * 1000));
      rests.push((cost.cpuSeconds * 1000) / REST_SECONDS);
      const told = streams.map((stream) => stream.told());
      const telling = await costOf(site.pid(), async () => {
        const begun = performance.now();
        await mika.rpc('update_folder_settings', { folder_id: folder.id, new_name: `Followed ${round}` });
        const ends = await Promise.all(told);
        return percentile(ends, 100) - begun;
      });
      tellings.push({ ms: telling.result, cpuMs: telling.cost.cpuSeconds * 1000 });
    }
    const heldMib = pssMibOf(site.pid()) - emptyMib;
    for (const { end } of streams) end();
    const name = `${FOLLOWERS.toLocaleString('en')} open pages of a folder`;
    return [
      {
        name: `${name}: server’s processor time a second, at rest`,
        unit: 'ms CPU',
        measured: rests,
        atMost: 50,
        bounds: [],
      },
      { name: `${name}: server’s memory for them`, unit: 'MiB', measured: [heldMib], bounds: [] },
      {
        ...{ name: `${name}: until the last is told of a change`, unit: 'ms', measured: tellings.map(({ ms }) => ms) },
        ...{ atMost: 1000, bounds: [] },
      },
      {
        ...{ name: `${name}: server’s processor time for telling`, unit: 'ms CPU' },
        ...{ measured: tellings.map(({ cpuMs }) => cpuMs), bounds: [] },
      },
    ];
  } finally {
    await site.stop();
  }
}
