import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** The key shares that a site has on its disk. */

interface Data {
  readonly dataDir: string;
}

/** Longer than every folder lives: a sweep then deletes what no link refers to. */
const AGED_MS = 30 * 3_600_000;
/** Lies beside the shares, and stays. */
const JOURNAL = 'taken-back';

export function shareFiles({ dataDir }: Data): string[] {
  const dir = join(dataDir, 'keys');
  // The first private link creates the folder.
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(dir, JOURNAL)))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** @returns one line for each key share that exists although its deletion was acknowledged */
export function leftShares(site: Data, workers: readonly { erased(): Iterable<string> }[]): string[] {
  const erased = new Set(workers.flatMap((worker) => [...worker.erased()]));
  return shareFiles(site)
    .filter((path) => erased.has(readFileSync(path, 'utf8').split('\0', 1)[0] ?? ''))
    .map(() => 'a key share whose erasing was acknowledged is there');
}

/** A sweep keeps young key shares, even if no link refers to them. */
export function ageShares(site: Data): void {
  const at = new Date(Date.now() - AGED_MS);
  for (const path of shareFiles(site)) utimesSync(path, at, at);
}
