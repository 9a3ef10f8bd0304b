import type pg from 'pg';

/** How the database runs the server's own statements on the stored data, and where it scans a whole table. */

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The plan of a statement, by EXPLAIN (ANALYZE, BUFFERS). */
export interface Plan {
  readonly text: string;
  readonly ms: number;
  /** Pages of 8 KiB that it reads. */
  readonly pages: number;
  /** Large tables that it scans as a whole. */
  readonly scanned: readonly string[];
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Node[];
}

/** A table of this many pages counts as large: an index costs as much as scanning a smaller one. */
const LARGE_PAGES = 30;

const all = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(all)];

export async function largeTables(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relpages > ${LARGE_PAGES} and relnamespace = 'public'::regnamespace`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** True for statements that leave nothing behind when they are rolled back, so that a second run reads the same. */
const isRead = ({ text }: Statement): boolean => /^\s*select\b/i.test(text);

/** True for statements that have a plan. */
const isPlanned = ({ text }: Statement): boolean => /^\s*(select|insert|update|delete|with)\b/i.test(text);

interface Explained {
  readonly Plan: Node;
  readonly 'Execution Time'?: number;
}

/** Runs an EXPLAIN and rolls its statement back; null if the statement can't run a second time. */
async function explain(client: pg.Client, options: string, { text, values }: Statement): Promise<Explained | null> {
  await client.query('begin');
  try {
    const { rows } = await client.query(`explain (${options}, format json) ${text}`, [...values]);
    return (rows[0]['QUERY PLAN'] as [Explained])[0];
  } catch (error) {
    // The row that it inserts already exists.
    if ((error as { code?: string }).code?.startsWith('23')) return null;
    throw error;
  } finally {
    await client.query('rollback');
  }
}

/**
 * Explains each statement with the values that it came with, and leaves the data unchanged. Of a read, its second run
 * counts: a connection looks at the first page of a hash index once and remembers it, as the planner makes it do with that of a
 * B-tree, and a connection of the server's pool runs thousands of statements.
 */
export async function explainAll(
  client: pg.Client,
  statements: readonly Statement[],
  large: ReadonlySet<string>,
): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const distinct = new Map(statements.filter(isPlanned).map((statement) => [statement.text, statement]));
  for (const statement of distinct.values()) {
    if (isRead(statement)) await explain(client, 'analyze', statement);
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

/** A statement in one line: what it does to which table, and the beginning of its condition. */
export const inShort = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim().slice(0, 160);
