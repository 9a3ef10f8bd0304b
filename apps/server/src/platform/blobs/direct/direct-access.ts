import type { DirectStore } from '../blobs.ts';

/** Whether browsers may be led to the store: its bucket has to let the pages of the site read. */
export interface DirectAccess extends Pick<DirectStore, 'baseUrl' | 'addressesOf'> {
  /** Asks the store again from time to time, without waiting for its answer. */
  isOpen(): boolean;
}

const ASK_AGAIN_MS = 5 * 60_000;
/** While it is closed: the rules of a bucket are usually set beside the setting. */
const ASK_AGAIN_CLOSED_MS = 30_000;

/** Told when it closes, and why; null: it is open again. */
export type ReportProblem = (problem: string | null) => void;

export interface DirectAccessDeps {
  readonly store: DirectStore;
  /** Origin of the site's pages. */
  readonly pageOrigin: string;
  readonly report: ReportProblem;
}

interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** What the log says when it closes and opens. */
export const logProblem =
  (log: Log): ReportProblem =>
  (problem) => {
    if (problem === null) log.info('BLOBS_DIRECT: browsers fetch from the store again');
    else log.warn(`BLOBS_DIRECT: files come from this server for now: ${problem}`);
  };

/** Ends when the store has answered for the first time. */
export async function createDirectAccess({ store, pageOrigin, report }: DirectAccessDeps): Promise<DirectAccess> {
  let problem: string | null = null;
  let askedAtMs = 0;
  let isAsking = false;

  async function ask(): Promise<void> {
    isAsking = true;
    askedAtMs = performance.now();
    const before = problem;
    problem = await store.problem(pageOrigin).catch((error: unknown) => `the store can't be asked (${String(error)})`);
    isAsking = false;
    if (problem !== before) report(problem);
  }

  await ask();
  return {
    baseUrl: store.baseUrl,
    addressesOf: store.addressesOf,
    isOpen() {
      const waitMs = problem === null ? ASK_AGAIN_MS : ASK_AGAIN_CLOSED_MS;
      if (!isAsking && performance.now() - askedAtMs > waitMs) void ask();
      return problem === null;
    },
  };
}
