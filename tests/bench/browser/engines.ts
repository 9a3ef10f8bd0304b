import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setup } from '../../needs/engines.mjs';
import { signInByHand } from '../../support/browser.ts';
import { type Engine, enginesHere, openEngine } from '../../support/engines/engine.ts';
import type { EngineVisitor } from '../../support/engines/tab.ts';
import { sha256 } from '../../support/files.ts';
import { createFolderAs, signIn } from '../../support/people.ts';
import { startSite } from '../../support/site.ts';
import { startBare } from '../bare-servers.ts';
import { childrenOf } from '../process-cost.ts';
import { byTurns, type Row } from '../report.ts';
import { followLink } from './download.ts';
import {
  BARE_PAGE,
  type Cost,
  costRows,
  FOR_LARGE_FILES,
  MIB,
  measureCost,
  putBare,
  upload,
  writeNoise,
} from './stage.ts';

/** Sending and saving a large file in Chromium, Firefox and WebKit, each beside that engine's own bare PUT and GET. */

const SIZE_MIB = Number(process.env.BENCH_MIB ?? 512);
const ANY = /./;

/** Opens an engine for as long as `work` takes. @param work gets the process that is above all of the engine's */
async function inEngine(engine: Engine, work: (visitor: EngineVisitor, pid: number) => Promise<Cost>): Promise<Cost> {
  const before = childrenOf(ANY);
  const browser = await openEngine(engine);
  const visitor = await browser.visit();
  try {
    const [pid = 0] = childrenOf(ANY).filter((child) => !before.includes(child));
    return await work(visitor, pid);
  } finally {
    await visitor.close();
    await browser.close();
  }
}

export async function benchEngines(): Promise<Row[]> {
  const endDisplay = await setup();
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const site = await startSite({ env: FOR_LARGE_FILES });
  const [bare, person] = [await startBare(dir), await signIn(site, 'mika')];
  try {
    await writeFile(join(dir, 'page'), BARE_PAGE);
    const path = join(dir, 'noise');
    await writeNoise(path, SIZE_MIB * MIB);
    const file = { name: 'noise', mimeType: 'application/octet-stream', buffer: await readFile(path) };
    const sha = sha256(file.buffer);
    const stored = await createFolderAs(person, site, { name: 'Stored', files: [file] });

    const putTo = ({ page }: EngineVisitor, pid: number) =>
      page.goto(`${bare.url}/page`).then(() => measureCost(pid, bare.pid, () => putBare(page, [path])));
    async function send({ page }: EngineVisitor, pid: number): Promise<Cost> {
      const folder = await createFolderAs(person, site, { name: 'Sent' });
      await signInByHand(page, site.url, 'Mika');
      await page.goto(folder.link());
      return measureCost(pid, site.pid(), () => upload(page, [path])).finally(() =>
        person.rpc('delete_folder_complete', { folder_id: folder.folder.id }),
      );
    }
    const save = async ({ saved }: EngineVisitor, pid: number, serverPid: number, start: () => Promise<unknown>) => {
      let whole: Buffer = Buffer.alloc(0);
      const cost = await measureCost(pid, serverPid, async () => {
        const started = performance.now();
        whole = await saved(start);
        return performance.now() - started;
      });
      if (sha256(whole) !== sha) throw new Error('what was saved is another file');
      return cost;
    };
    async function get(visitor: EngineVisitor, pid: number): Promise<Cost> {
      await visitor.page.goto(`${bare.url}/page`);
      return save(visitor, pid, bare.pid, () => visitor.page.evaluate(followLink, `${bare.url}/noise`));
    }
    async function open(visitor: EngineVisitor, pid: number): Promise<Cost> {
      await visitor.page.goto(stored.link());
      const button = visitor.page.getByRole('gridcell').getByRole('button', { name: 'Download' });
      await button.waitFor();
      return save(visitor, pid, site.pid(), () => button.click());
    }

    const rows: Row[] = [];
    for (const engine of enginesHere()) {
      const costs = await byTurns({
        put: () => inEngine(engine, putTo),
        send: () => inEngine(engine, send),
        get: () => inEngine(engine, get),
        open: () => inEngine(engine, open),
      });
      const what = `of ${SIZE_MIB} MiB in ${engine}`;
      rows.push(...costRows(`sealed upload ${what}`, costs.send, { name: 'bare PUT', costs: costs.put }));
      rows.push(...costRows(`sealed download ${what}`, costs.open, { name: 'bare GET', costs: costs.get }));
    }
    return rows;
  } finally {
    bare.end();
    await site.stop();
    await rm(dir, { recursive: true, force: true });
    endDisplay?.();
  }
}
