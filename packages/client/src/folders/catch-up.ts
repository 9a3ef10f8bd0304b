/** When a page that is told of changes reads its folder, and how much of it: few readings, and none that waits for long. */

/** Deletions in a large folder show in its whole list only. Those that follow each other so closely are read together, … */
const QUIET_MS = 200;
/** … within this time. */
const OWED_MAX_MS = 400;

/** What a list may still lack: deletions, which a reading of the whole shows, of one page or of many. */
export type Lack = 'nothing' | 'a_page' | 'pages';

export interface Readings {
  /** Reads what is new. A rejection counts as if a list of many pages were missing. */
  readonly readNews: () => Promise<Lack>;
  readonly readWhole: () => Promise<void>;
}

/** Has one reading under way at a time: a server that is slow to answer is asked less. */
export function createCatchUp({ readNews, readWhole }: Readings) {
  let isReading = false;
  let isAsked = false;
  let isOver = false;
  let owed: { readonly sinceMs: number; dueMs: number } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const quietUntilMs = (sinceMs: number): number =>
    Math.min(performance.now() + QUIET_MS * (0.5 + Math.random() / 2), sinceMs + OWED_MAX_MS);

  async function news(): Promise<void> {
    isAsked = false;
    const lack = await readNews().catch((): Lack => 'pages');
    const nowMs = performance.now();
    if (lack === 'nothing') owed = null;
    else if (lack === 'a_page') owed = { sinceMs: nowMs, dueMs: nowMs };
    else owed ??= { sinceMs: nowMs, dueMs: quietUntilMs(nowMs) };
  }

  async function whole(): Promise<void> {
    owed = null;
    // The list says its own failures.
    await readWhole().catch(() => {});
  }

  function next(): void {
    clearTimeout(timer);
    if (isOver || isReading) return;
    const waitMs = owed ? owed.dueMs - performance.now() : null;
    const act = waitMs !== null && waitMs <= 0 ? whole : isAsked ? news : null;
    if (act) {
      isReading = true;
      void act().then(() => {
        isReading = false;
        next();
      });
    } else if (waitMs !== null) timer = setTimeout(next, waitMs);
  }

  return {
    look(): void {
      isAsked = true;
      if (owed) owed.dueMs = quietUntilMs(owed.sinceMs);
      next();
    },
    stop(): void {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
