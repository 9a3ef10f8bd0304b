import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { pause } from '../../pause.ts';
import type { HttpAnswer } from '../ports.ts';
import { ask, type RequestDeps } from './requests.ts';

/** Uploads that an earlier process began: where they stand on the server, and their end (tus, Termination). */

export type Standing =
  | { readonly state: 'open'; readonly offset: number }
  /** Completed, or deleted on the server: nothing to resume. */
  | { readonly state: 'over' }
  /** It could not be asked. */
  | { readonly state: 'unknown' };

// tus 1.0.0, "HEAD": "If the resource is not found, the Server SHOULD return either the `404 Not Found`, `410 Gone` or
// `403 Forbidden` status without the `Upload-Offset` header."
const GONE = [403, 404, 410];

const isOk = ({ status }: HttpAnswer) => status >= 200 && status < 300;
const numberIn = (answer: HttpAnswer, name: string) => Number.parseInt(answer.header(name) ?? '', 10);

/** Asks the server how far an upload is. Never throws. */
export async function standingOf(deps: RequestDeps, url: string): Promise<Standing> {
  try {
    const answer = await ask(deps, { method: 'HEAD', url, headers: {} });
    if (GONE.includes(answer.status)) return { state: 'over' };
    const [offset, length] = [numberIn(answer, 'Upload-Offset'), numberIn(answer, 'Upload-Length')];
    if (!isOk(answer) || !(offset <= length)) return { state: 'unknown' };
    return offset === length ? { state: 'over' } : { state: 'open', offset };
  } catch {
    return { state: 'unknown' };
  }
}

export interface Termination extends RequestDeps {
  readonly url: string;
  /** A completed upload is a file of the folder, and the server would remove that, too: leave it alone. */
  readonly onlyIfOpen: boolean;
  /** How often to try, with the pauses of the upload's own tries between. */
  readonly tries: number;
}

/** Answers that don't tell the upload's state: no valid bearer, a lock or conflict, or too many requests. */
const UNSETTLED = [401, 409, 423, 429];

/** Whether the server has answered for good. */
const isSettled = ({ status }: HttpAnswer) => status < 500 && !UNSETTLED.includes(status);

async function tryOnce(termination: Termination): Promise<boolean> {
  const { url, onlyIfOpen } = termination;
  try {
    if (onlyIfOpen) {
      const head = await ask(termination, { method: 'HEAD', url, headers: {} });
      if (!isOk(head)) return isSettled(head);
      if (numberIn(head, 'Upload-Offset') === numberIn(head, 'Upload-Length')) return true;
    }
    return isSettled(await ask(termination, { method: 'DELETE', url, headers: {} }));
  } catch {
    return false;
  }
}

/**
 * Ends an upload on the server, which releases its reserved quota. Best effort: one that can't be ended now expires.
 * @returns whether the server confirmed that the upload is no longer open
 */
export async function terminateUpload(termination: Termination): Promise<boolean> {
  for (const delayMs of RETRY_DELAYS_MS.slice(0, termination.tries)) {
    await pause(delayMs);
    if (await tryOnce(termination)) return true;
  }
  return false;
}
