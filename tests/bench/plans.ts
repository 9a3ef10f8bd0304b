import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Query plans of every server statement in a large site's database (apps/server/test/database/plans.api.test.ts). */

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = 1_000_000;
const FILES = 10_000_000;
/** What the large database is compared with. */
const [FEW_FOLDERS, FEW_FILES] = [10_000, 100_000];
/** Database pages that a page read looks at, in the large database and in the small one. */
const AT_MOST = 1.2;

interface Figures {
  readonly statements: readonly {
    readonly text: string;
    readonly pages: number;
    readonly ms: number;
    /** Tables that it reads from end to end. */
    readonly scanned: readonly string[];
  }[];
  /** What a folder's page asks for, by route: pages of 8 KiB that its statements look at. */
  readonly page: Readonly<Record<string, number>>;
}

/** @returns null where the run failed; the printed errors give the reason */
async function explainIn(folders: number, files: number): Promise<{ isGood: boolean; figures: Figures } | null> {
  const path = join(tmpdir(), `satchel-plans-${process.pid}.json`);
  // Without the backlog of a sweep, which would rewrite most rows: the tests cover its plans.
  const one = ['--project', 'server-api', 'database/plans', '-t', 'no statement of the server'];
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...one];
  const env = { ...process.env, PLANS_FOLDERS: String(folders), PLANS_FILES: String(files), PLANS_FIGURES: path };
  const [code] = (await once(spawn(process.execPath, vitest, { cwd: ROOT, env, stdio: 'inherit' }), 'exit')) as [
    number,
  ];
  try {
    return { isGood: code === 0, figures: JSON.parse(readFileSync(path, 'utf8')) as Figures };
  } catch {
    return null;
  } finally {
    rmSync(path, { force: true });
  }
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`;

function tableOf(large: Figures, small: Figures): string {
  const before = new Map(small.statements.map(({ text, pages }) => [text, pages]));
  const rows = large.statements
    .toSorted((a, b) => b.pages - a.pages)
    .map(({ text, pages, ms, scanned }) =>
      line([`\`${text.replaceAll('|', '\\|')}\``, before.get(text) ?? '–', pages, ms.toFixed(2), scanned.join(', ')]),
    );
  const heads = ['Statement', `Pages, of ${FEW_FOLDERS} folders`, 'Pages', 'ms', 'Read from end to end'];
  return [line(heads), line(heads.map(() => '---')), ...rows].join('');
}

/**
 * Fills a small database and a large one, explains all statements on both and prints a table, with the most expensive
 * statements first, and what a folder's page costs in both.
 * @param folders rows in the large folder table, 1,000,000 by default; most other tables get about as many
 * @param files rows in its file table, 10,000,000 by default
 * @returns 0 when no statement reads a large table from end to end, and a page read looks at about as many pages in both
 */
export async function showPlans(folders = String(FOLDERS), files = String(FILES)): Promise<number> {
  const small = await explainIn(FEW_FOLDERS, FEW_FILES);
  const large = small && (await explainIn(Number(folders), Number(files)));
  if (!large) return 1;
  process.stdout.write(`\n${tableOf(large.figures, small.figures)}\n`);
  let isWithin = true;
  const sum = ({ page }: Figures) => Object.values(page).reduce((all, pages) => all + pages, 0);
  const heads = ['A page read', `pages, of ${FEW_FOLDERS} folders`, `of ${folders}`, 'ratio', `≤ ${AT_MOST}`];
  process.stdout.write(line(heads) + line(heads.map(() => '---')));
  const compared: [string, number, number][] = Object.entries(large.figures.page).map(([route, pages]) => [
    route,
    small.figures.page[route] ?? Number.NaN,
    pages,
  ]);
  for (const [what, few, many] of [...compared, ['both', sum(small.figures), sum(large.figures)] as const]) {
    const isFine = many / few <= AT_MOST;
    isWithin &&= isFine;
    process.stdout.write(line([what, few, many, (many / few).toFixed(2), isFine ? 'yes' : '**no**']));
  }
  return small.isGood && large.isGood && isWithin ? 0 : 1;
}
