import type pg from 'pg';

/** How the database would run the server's own statements on what is stored, and where it would read a table from end to end. */

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One of them under EXPLAIN (ANALYZE, BUFFERS). */
export interface Plan {
  readonly text: string;
  readonly ms: number;
  /** Pages of 8 KiB that were looked at. */
  readonly pages: number;
  /** Large tables that were read from end to end. */
  readonly scanned: readonly string[];
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Node[];
}

/** So many pages make a table large: below that, reading all of it is what an index would cost, too. */
const LARGE_PAGES = 30;

const all = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(all)];

export async function largeTables(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relpages > ${LARGE_PAGES} and relnamespace = 'public'::regnamespace`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** What has a plan. */
const isPlanned = ({ text }: Statement): boolean => /^\s*(select|insert|update|delete|with)\b/i.test(text);

interface Explained {
  readonly Plan: Node;
  readonly 'Execution Time'?: number;
}

/** Runs an EXPLAIN and undoes what its statement did; null when that refuses to be done a second time. */
async function explain(client: pg.Client, options: string, { text, values }: Statement): Promise<Explained | null> {
  await client.query('begin');
  try {
    const { rows } = await client.query(`explain (${options}, format json) ${text}`, [...values]);
    return (rows[0]['QUERY PLAN'] as [Explained])[0];
  } catch (error) {
    // What it inserts is there already.
    if ((error as { code?: string }).code?.startsWith('23')) return null;
    throw error;
  } finally {
    await client.query('rollback');
  }
}

/** Explains each statement once, with the values that it came with, and leaves the data as they were. */
export async function explainAll(
  client: pg.Client,
  statements: readonly Statement[],
  large: ReadonlySet<string>,
): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const distinct = new Map(statements.filter(isPlanned).map((statement) => [statement.text, statement]));
  for (const statement of distinct.values()) {
    const explained =
      (await explain(client, 'analyze, buffers', statement)) ?? (await explain(client, 'verbose', statement));
    if (!explained) throw new Error(`No plan: ${statement.text}`);
    const { Plan: root, 'Execution Time': ms = 0 } = explained;
    const scans = all(root).filter(
      (node) => node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name'] ?? ''),
    );
    const pages = (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0);
    plans.push({ text: statement.text, ms, pages, scanned: scans.map((node) => node['Relation Name']!) });
  }
  return plans;
}

/** A statement in a line: what it does to which table, and the beginning of its condition. */
export const inShort = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim().slice(0, 160);
