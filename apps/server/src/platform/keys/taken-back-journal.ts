import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createDurableFolders, fsyncFolder, unlessMissing, writePrivately } from '../durable-file.ts';

/**
 * The journal of what people and operators took back: sign-outs, bans, deletions and the like. It lies beside the key shares,
 * outside every backup, so that a restore of an older backup can take the same back again (docs/deploy/
 * backup-and-upgrade.md). It has ids and times, and what operators gave as a reason.
 */

export const TakenBack = z.object({
  at: z.iso.datetime(),
  kind: z.string(),
  ref: z.string(),
  detail: z.record(z.string(), z.unknown()).nullable(),
});
export type TakenBack = z.infer<typeof TakenBack>;

/** Since when a journal has everything that was taken back, and for which site; the id is null before the site has one. */
export const JournalStart = z.object({ site_id: z.uuid().nullable(), began_at: z.iso.datetime() });
export type JournalStart = z.infer<typeof JournalStart>;

export const JournalAnswer = z.object({ start: JournalStart.nullable(), entries: z.array(TakenBack) });

/** Reads the journal, here or at the key service. */
export interface JournalReader {
  /** Everything in the order in which it was written; `start` is null when there is no journal. */
  read(): Promise<z.infer<typeof JournalAnswer>>;
}

export interface TakenBackJournal extends JournalReader {
  /** Since when the journal is complete; null when there is none. */
  start(): Promise<JournalStart | null>;
  /** Begins the journal of a site. What an earlier one has stays. */
  begin(start: JournalStart): Promise<void>;
  /** Appends entries; they are durable when this resolves. An entry may be appended twice. */
  append(entries: readonly TakenBack[]): Promise<void>;
  /** Deletes entries before a time, but the newest of each thing that has no end by itself and was not lifted. */
  prune(before: Date): Promise<void>;
}

/** Kinds without an end: they are kept until something newer is said of the same ref. */
const LASTING = new Set(['account', 'ban', 'denied_file', 'takedown', 'operator_key']);
/** Of these, an entry without a detail lifts what was decided. */
const LIFTED = new Set(['ban', 'denied_file']);
const LASTING_FILE = 'lasting.jsonl';
const START_FILE = 'began.json';
const DAY_FILE = /^\d{4}-\d\d-\d\d\.jsonl$/;
const fileOf = ({ kind, at }: TakenBack): string =>
  LASTING.has(kind) ? LASTING_FILE : `${at.slice(0, 'yyyy-mm-dd'.length)}.jsonl`;
const asLines = (entries: readonly TakenBack[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

const textOf = (path: string): Promise<string> => unlessMissing(readFile(path, 'utf8'), '');

/** A line that a crash cut is left out: its entries are appended again, since they stay in the database until then. */
function parseLine(line: string): TakenBack[] {
  try {
    return [TakenBack.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}

async function appendDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    await file.writeFile(size > 0 && last.toString() !== '\n' ? `\n${text}` : text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function replaceDurably(dir: string, name: string, text: string): Promise<void> {
  const unfinished = join(dir, `${name}.new`);
  await writePrivately(unfinished, text);
  await rename(unfinished, join(dir, name));
  await fsyncFolder(dir);
}

/**
 * The journal in a folder of KEYS_DIR: one file for each day, which is deleted as a whole, and one for what has no end. Only
 * the process that holds the key shares writes it.
 * @param keysDir KEYS_DIR
 */
export function createTakenBackJournal(keysDir: string): TakenBackJournal {
  const dir = join(keysDir, 'taken-back');
  const folders = createDurableFolders(dir);
  const entriesOf = async (name: string): Promise<TakenBack[]> =>
    (await textOf(join(dir, name))).split('\n').flatMap(parseLine);
  const days = async (): Promise<string[]> => {
    const names = await unlessMissing(readdir(dir), []);
    return names.filter((name) => DAY_FILE.test(name)).sort();
  };

  async function start(): Promise<JournalStart | null> {
    const text = await textOf(join(dir, START_FILE));
    return text === '' ? null : JournalStart.parse(JSON.parse(text));
  }

  return {
    start,
    async begin(since) {
      // An operator may have taken the folder away under a server that runs.
      folders.forget(dir);
      await folders.require(dir);
      await replaceDurably(dir, START_FILE, `${JSON.stringify(since)}\n`);
    },
    async append(entries) {
      await folders.require(dir);
      for (const [name, some] of Map.groupBy(entries, fileOf)) await appendDurably(join(dir, name), asLines(some));
      await fsyncFolder(dir);
    },
    async read() {
      const entries: TakenBack[] = [];
      for (const name of [LASTING_FILE, ...(await days())]) entries.push(...(await entriesOf(name)));
      return { start: await start(), entries };
    },
    async prune(before) {
      const oldest = `${before.toISOString().slice(0, 'yyyy-mm-dd'.length)}.jsonl`;
      for (const name of await days()) if (name < oldest) await rm(join(dir, name), { force: true });
      const lasting = await entriesOf(LASTING_FILE);
      const newest = new Map(lasting.map((entry) => [`${entry.kind} ${entry.ref}`, entry]));
      const isOver = ({ kind, detail, at }: TakenBack) => LIFTED.has(kind) && detail === null && new Date(at) < before;
      const kept = [...newest.values()].filter((entry) => !isOver(entry));
      if (kept.length < lasting.length) await replaceDurably(dir, LASTING_FILE, asLines(kept));
    },
  };
}
