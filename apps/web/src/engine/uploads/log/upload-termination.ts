import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { pause } from '../../../lib/browser/pause.ts';

/** Terminates an upload on the server (tus termination), which releases its reserved quota. */

export interface Termination {
  readonly url: string;
  /** Gets a bearer. */
  readonly token: () => Promise<string>;
  /** A completed upload is a file of the folder, and the server would remove that, too: leave it alone. */
  readonly onlyIfOpen: boolean;
  /** How often to try, with the pauses of §9 between. */
  readonly tries: number;
}

async function ask(method: 'HEAD' | 'DELETE', { url, token }: Termination): Promise<Response> {
  const headers = { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${await token()}` };
  return fetch(url, { method, headers, credentials: 'same-origin' });
}

/** Answers that don't tell the upload's state: no valid bearer, a lock or conflict, or too many requests. */
const UNSETTLED = [401, 409, 423, 429];

/** Whether the server has answered for good. */
const isSettled = ({ status }: Response) => status < 500 && !UNSETTLED.includes(status);

const isCompleted = ({ headers }: Response) =>
  headers.has('Upload-Length') && headers.get('Upload-Offset') === headers.get('Upload-Length');

async function tryOnce(termination: Termination): Promise<boolean> {
  try {
    if (termination.onlyIfOpen) {
      const head = await ask('HEAD', termination);
      if (!head.ok) return isSettled(head);
      if (isCompleted(head)) return true;
    }
    return isSettled(await ask('DELETE', termination));
  } catch {
    return false;
  }
}

/**
 * Best effort: an upload that can't be terminated now expires.
 * @returns whether the server confirmed that the upload is no longer open
 */
export async function terminateUpload(termination: Termination): Promise<boolean> {
  for (const delayMs of RETRY_DELAYS_MS.slice(0, termination.tries)) {
    await pause(delayMs);
    if (await tryOnce(termination)) return true;
  }
  return false;
}
