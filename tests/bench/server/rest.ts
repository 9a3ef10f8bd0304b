import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { startBare } from '../bare-servers.ts';
import { childrenOf, treePssMib } from '../process-cost.ts';
import { byTurns, type Row } from '../report.ts';

/** `npm start` on data that is there already: how long it takes, and the memory of all its processes at rest. */

const ROOT = join(import.meta.dirname, '../../..');
/** The launcher's last line once everything answers. */
const READY = 'Ctrl-C stops it';
const REST_MS = 10_000;
const [MIB, MB] = [1024 ** 2, 1_000_000];
/** The bench's own database and browser are none of the site's business. */
const SETTINGS = /^(DATABASE_URL|TEST_DATABASE_URL|DISCORD_|DATA_DIR|PORT|HOST|PUBLIC_URL|SANDBOX_|npm_)/;

interface Start {
  readonly seconds: number;
  /** Of all processes, and of the server's alone. */
  readonly allMb: number;
  readonly serverMb: number;
}

const megabytes = (pid: number) => (treePssMib(pid) * MIB) / MB;

/** Starts the site, lets it rest and ends it. */
async function startSite(dataDir: string, restMs: number): Promise<Start> {
  const own = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
  const started = performance.now();
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'start'], {
    cwd: ROOT,
    env: { ...Object.fromEntries(own), ...ports, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  try {
    let text = '';
    for await (const piece of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += piece;
      if (text.includes(READY)) break;
    }
    if (!text.includes(READY)) throw new Error(`npm start ended: ${text}`);
    const seconds = (performance.now() - started) / 1000;
    child.stdout.resume();
    await sleep(restMs);
    const [server] = childrenOf(/apps\/server\/dist\/main\.js/, child.pid);
    return { seconds, allMb: megabytes(child.pid ?? 0), serverMb: megabytes(server ?? 0) };
  } finally {
    child.kill('SIGTERM');
    await gone;
  }
}

async function startBareOnce(dir: string): Promise<Start> {
  const bare = await startBare(dir);
  await sleep(REST_MS);
  const memoryMb = megabytes(bare.pid);
  bare.end();
  return { seconds: bare.startMs / 1000, allMb: memoryMb, serverMb: memoryMb };
}

export async function benchRest(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  try {
    // The first start makes the database.
    await startSite(dir, 0);
    const { bare, site } = await byTurns({ bare: () => startBareOnce(dir), site: () => startSite(dir, REST_MS) });
    const measured = (of: keyof Start) => site.map((each) => each[of]);
    const bound = (of: keyof Start) => ({ name: 'bare Node server', measured: bare.map((each) => each[of]) });
    const memory = (of: keyof Start, name: string, atMost: number): Row => ({
      name,
      unit: 'MB',
      atMost,
      measured: measured(of),
      bounds: [bound(of)],
    });
    return [
      {
        name: '`npm start` once more, until it says that it is ready',
        unit: 's',
        measured: measured('seconds'),
        bounds: [{ ...bound('seconds'), atMost: 10 }],
      },
      memory('allMb', 'memory at rest, all processes of `npm start`', 350),
      memory('serverMb', 'memory at rest, the server alone', 130),
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
