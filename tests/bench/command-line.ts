import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandOutcome, newMachine, signInMachine } from '../support/command-line.ts';
import { randomBytesOf } from '../support/files.ts';
import { startSite } from '../support/site.ts';
import { startBare } from './bare-servers.ts';
import { FOR_LARGE_FILES, MIB, SIZE_BYTES, shaOf, writeNoise } from './browser/stage.ts';
import { peakRssMib } from './process-cost.ts';
import { byTurns, type Row } from './report.ts';

/** `satchel put` and `satchel get` of 1 GiB beside curl and the bare server, from the start of the process to its end. */

const SMALL_BYTES = 3000;
const MB = 1_000_000;
const LOOK_MS = 20;

interface Cost {
  readonly seconds: number;
  readonly memoryMb: number;
}

/** @throws where the command failed */
async function costOf(start: () => { readonly child: ChildProcess; readonly ended: Promise<{ code: number | null }> }) {
  const started = performance.now();
  const { child, ended } = start();
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, peakRssMib(child.pid ?? 0));
  }, LOOK_MS);
  const { code } = await ended.finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`exit code ${code}`);
  return { seconds: (performance.now() - started) / 1000, memoryMb: (peakMib * MIB) / MB } satisfies Cost;
}

function curl(...args: readonly string[]) {
  const child = spawn('curl', ['--silent', '--show-error', '--fail', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null })) };
}

const secondsOf = (costs: readonly Cost[]) => costs.map(({ seconds }) => seconds);

export async function benchCommandLine(): Promise<Row[]> {
  const [dir, machine] = [await mkdtemp(join(tmpdir(), 'satchel-bench-')), await newMachine()];
  const [site, bare] = [await startSite({ env: FOR_LARGE_FILES }), await startBare(dir)];
  try {
    await signInMachine(site, machine, 'mika');
    const [large, small] = [join(dir, 'noise'), join(dir, 'small')];
    await writeNoise(large);
    await writeFile(small, randomBytesOf(SMALL_BYTES));
    const sha = await shaOf(large);

    /** Uploads into a new folder. */
    async function put(path: string): Promise<Cost & { readonly link: string }> {
      let output: Promise<CommandOutcome> | undefined;
      const cost = await costOf(() => {
        const started = machine.start(['put', path]);
        output = started.ended;
        return started;
      });
      return { ...cost, link: (await output)?.out.toString() ?? '' };
    }
    const remove = (link: string) => machine.run(['rm', '-y', '-'], { stdin: link });
    const putAndRemove = (path: string) => async () => {
      const { link, ...cost } = await put(path);
      await remove(link);
      return cost;
    };
    const { link } = await put(large);
    async function get(): Promise<Cost> {
      const cost = await costOf(() => machine.start(['get', '-', '-f'], { stdin: link }));
      if ((await shaOf(join(machine.folder, 'noise'))) !== sha) throw new Error('what came is another file');
      return cost;
    }

    const costs = await byTurns({
      barePut: () => costOf(() => curl('--upload-file', large, `${bare.url}/sent`)),
      put: putAndRemove(large),
      bareGet: () => costOf(() => curl('--output', join(machine.folder, 'bare'), `${bare.url}/noise`)),
      get,
      bareSmall: () => costOf(() => curl('--upload-file', small, `${bare.url}/sentsmall`)),
      small: putAndRemove(small),
    });
    const rowsOf = (name: string, own: readonly Cost[], bound: readonly Cost[], atMost: number): Row[] => [
      {
        name: `\`satchel ${name}\` of ${SIZE_BYTES / MIB} MiB: time`,
        unit: 's',
        measured: secondsOf(own),
        bounds: [{ name: 'curl and a bare server', measured: secondsOf(bound), atMost }],
      },
      { name: 'its memory', unit: 'MB', measured: own.map(({ memoryMb }) => memoryMb), atMost: 150, bounds: [] },
    ];
    return [
      ...rowsOf('put', costs.put, costs.barePut, 1.25),
      ...rowsOf('get', costs.get, costs.bareGet, 1.15),
      {
        name: `\`satchel put\` of ${SMALL_BYTES} bytes, to its link: what it takes more than curl`,
        unit: 's',
        measured: costs.small.map(({ seconds }, round) => seconds - (costs.bareSmall[round]?.seconds ?? Number.NaN)),
        atMost: 0.5,
        bounds: [],
      },
    ];
  } finally {
    bare.end();
    await site.stop();
    await machine.remove();
    await rm(dir, { recursive: true, force: true });
  }
}
