import { setTimeout as pause } from 'node:timers/promises';

/**
 * Where a test kills nodes all the time (SITE_KILLS_EVERY), answers get lost; the caller then retries, as the page does.
 * Elsewhere each request is sent once.
 */
const DELAYS_MS = process.env.SITE_KILLS_EVERY ? [0, 500, 1000, 2000, 4000, 8000, 16_000] : [];

export const ASKS_AGAIN = DELAYS_MS.length > 0;

/** What a balancer says for a node that died. */
const LOST: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether it is the answer of a balancer for a node that was killed on purpose. */
export const isLost = (status: number): boolean => ASKS_AGAIN && LOST.has(status);

/** Retries an act that threw. Only for acts that may run twice. */
export async function patiently<Result>(act: () => Promise<Result>): Promise<Result> {
  for (const delayMs of DELAYS_MS) {
    try {
      return await act();
    } catch {
      await pause(delayMs);
    }
  }
  return act();
}

/** The answer with all of its bytes, which a killed node may not have sent. @throws where they don't come */
async function whole(answer: Response): Promise<Response> {
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer;
  return new Response(await answer.arrayBuffer(), answer);
}

/** Like fetch, for a request that may be made twice. */
export async function ask(url: string, init?: RequestInit): Promise<Response> {
  for (const delayMs of DELAYS_MS) {
    const answer = await fetch(url, init)
      .then(whole)
      .catch(() => null);
    if (answer && !isLost(answer.status)) return answer;
    await pause(delayMs);
  }
  return fetch(url, init);
}
