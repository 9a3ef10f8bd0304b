/**
 * Answers that start/start.ts asked the server for while the page's scripts were on their way. Each stands in for one fetch
 * of the page: the first of the same request takes it.
 */

export interface EarlyAnswer {
  readonly response: Promise<Response>;
  /** By `performance.now()`; null while it is on its way. */
  receivedAtMs: number | null;
}
export type EarlyAnswers = Map<string, EarlyAnswer>;

declare global {
  var satchelEarlyAnswers: EarlyAnswers | undefined;
}

/** An answer that has waited longer than this is asked for again: it may be out of date. */
const FRESH_MS = 30_000;

/** Names a request: the same method, path and body are answered alike. */
export const requestName = (path: string, { method = 'GET', body }: RequestInit = {}): string =>
  `${method} ${path} ${typeof body === 'string' ? body : ''}`;

function take(name: string): EarlyAnswer | null {
  const early = globalThis.satchelEarlyAnswers?.get(name);
  globalThis.satchelEarlyAnswers?.delete(name);
  if (!early) return null;
  const heldMs = early.receivedAtMs === null ? 0 : performance.now() - early.receivedAtMs;
  return heldMs > FRESH_MS ? null : early;
}

export interface Fetched {
  readonly response: Response;
  /** For so long the answer has waited for this page: what it says of the time was true then. */
  readonly heldMs: number;
}

/** Fetches, or takes the answer that was asked for ahead. Rejects as `fetch` does. */
export async function fetchEarly(path: string, init?: RequestInit): Promise<Fetched> {
  const early = take(requestName(path, init));
  const response = await (early?.response ?? fetch(path, init));
  const { receivedAtMs = null } = early ?? {};
  return { response, heldMs: receivedAtMs === null ? 0 : performance.now() - receivedAtMs };
}
