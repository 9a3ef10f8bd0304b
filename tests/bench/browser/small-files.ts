import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytesOf } from '../../support/files.ts';
import { byTurns, type Row } from '../report.ts';
import { costRows, onStage, putBare, type Stage, upload } from './stage.ts';

/** Many small files, sealed, from one page; beside a bare PUT of each from the same browser, as many at once. */

const BURSTS = [
  { count: 240, sizeBytes: 3000, name: '240 × 3 KB' },
  { count: 1000, sizeBytes: 100_000, name: '1,000 × 100 KB' },
];
const AT_ONCE = 6;
/** Times the bound's time, which asks the server for nothing but to write. */
const LIMITS = { seconds: 4 };

async function makeFiles(dir: string, count: number, sizeBytes: number): Promise<string[]> {
  const folder = join(dir, `small-${count}`);
  await mkdir(folder);
  const paths = Array.from({ length: count }, (_, at) => join(folder, `note-${at}.bin`));
  for (const path of paths) await writeFile(path, randomBytesOf(sizeBytes));
  return paths;
}

export function benchSmallFiles(): Promise<Row[]> {
  return onStage(async (stage) => {
    const rows: Row[] = [];
    for (const { count, sizeBytes, name } of BURSTS) {
      const paths = await makeFiles(stage.dir, count, sizeBytes);
      const { bare, site } = await byTurns(waysOf(stage, paths));
      rows.push(...costRows(name, site, { name: `bare PUTs, ${AT_ONCE} at once`, costs: bare }, LIMITS));
    }
    return rows;
  });
}

const waysOf = ({ bare, inVisit, inFolder, measure }: Stage, paths: readonly string[]) => ({
  bare: () => inVisit(`${bare.url}/page`, false, ({ page }) => measure('bare', () => putBare(page, paths, AT_ONCE))),
  site: () => inFolder({ name: 'Burst' }, (page) => measure('site', () => upload(page, paths))),
});
