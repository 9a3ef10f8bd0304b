import type { DirectStore, PartUploads } from '../blobs.ts';

/** Whether browsers may be led to the store: its bucket has to let the pages of the site read, and send. */
export interface DirectAccess extends Pick<DirectStore, 'baseUrl' | 'addressesOf'> {
  /** For reading. Asks the store again from time to time, without waiting for its answer. */
  isOpen(): boolean;
  /** Null while pages may not send parts. Asks again likewise. */
  uploads(): PartUploads | null;
  /** For what has been sent already. */
  readonly parts: PartUploads;
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
  /** The same of sending parts. */
  readonly reportUploads: ReportProblem;
}

interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** What the log says when it closes and opens. */
export function reportsTo(log: Log): Pick<DirectAccessDeps, 'report' | 'reportUploads'> {
  const reporting = (isFine: string, isNot: string) => (problem: string | null) => {
    if (problem === null) log.info(`BLOBS_DIRECT: ${isFine}`);
    else log.warn(`BLOBS_DIRECT: ${isNot} for now: ${problem}`);
  };
  return {
    report: reporting('browsers fetch from the store again', 'files come from this server'),
    reportUploads: reporting('browsers send to the store again', 'uploads go through this server'),
  };
}

/** Keeps an answer of the store, and asks it anew. */
function createCheck(ask: () => Promise<string | null>, report: ReportProblem) {
  let problem: string | null = null;
  let askedAtMs = 0;
  let isAsking = false;

  async function askNow(): Promise<void> {
    isAsking = true;
    askedAtMs = performance.now();
    const before = problem;
    problem = await ask().catch((error: unknown) => `the store can't be asked (${String(error)})`);
    isAsking = false;
    if (problem !== before) report(problem);
  }

  return {
    askNow,
    isFine(): boolean {
      const waitMs = problem === null ? ASK_AGAIN_MS : ASK_AGAIN_CLOSED_MS;
      if (!isAsking && performance.now() - askedAtMs > waitMs) void askNow();
      return problem === null;
    },
  };
}

/** Ends when the store has answered for the first time. */
export async function createDirectAccess(deps: DirectAccessDeps): Promise<DirectAccess> {
  const { store, pageOrigin } = deps;
  const reading = createCheck(() => store.problem(pageOrigin), deps.report);
  const sending = createCheck(() => store.uploads.problem(pageOrigin), deps.reportUploads);
  await Promise.all([reading.askNow(), sending.askNow()]);
  return {
    baseUrl: store.baseUrl,
    addressesOf: store.addressesOf,
    isOpen: reading.isFine,
    uploads: () => (sending.isFine() ? store.uploads : null),
    parts: store.uploads,
  };
}
