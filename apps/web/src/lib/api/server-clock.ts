import type { ServerTime } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';

/**
 * The server's clock, as far as its answers have told it. Folders, keys and sessions end by that clock (it is the database's),
 * and the clock of a device may be hours off, or be set while a page is open.
 */

interface Told {
  /** The server's clock minus this device's, in milliseconds. */
  readonly offsetMs: number;
  /** The device's clock minus the page's running time, when the server's time was told: it changes when the clock is set. */
  readonly originMs: number;
}

let told: Told | null = null;
let isAsking = false;
let triedAtMs = Number.NEGATIVE_INFINITY;

/** A step of the device's clock; also the sleep of a device whose `performance.now()` stands still meanwhile. */
const STEP_MS = 5000;
/** Before the server is asked again that did not tell its time. */
const ASK_AGAIN_MS = 30_000;

const originMs = () => Date.now() - performance.now();

/**
 * Takes in what an answer says of the time.
 * @param heldMs how long the answer has waited for this page
 */
export function noteServerTime(server_time: string, heldMs = 0): void {
  told = { offsetMs: Date.parse(server_time) + heldMs - Date.now(), originMs: originMs() };
}

/** The server's time in milliseconds since the epoch; null while no answer has told it, or once the device's clock was set. */
export function toldServerTimeMs(): number | null {
  if (told === null || Math.abs(originMs() - told.originMs) > STEP_MS) return null;
  return Date.now() + told.offsetMs;
}

/**
 * Asks the server for its time.
 * @throws when the server can't be asked
 */
export async function askServerTime(): Promise<number> {
  const response = await fetch(PATHS.serverTime, { cache: 'no-store', credentials: 'omit' });
  const { server_time } = (await response.json()) as Partial<ServerTime>;
  const timeMs = Date.parse(server_time ?? '');
  if (!response.ok || Number.isNaN(timeMs)) throw new Error('The server did not tell its time');
  noteServerTime(server_time!);
  return timeMs;
}

async function askOnce(): Promise<void> {
  if (isAsking || performance.now() - triedAtMs < ASK_AGAIN_MS) return;
  isAsking = true;
  triedAtMs = performance.now();
  await askServerTime().catch(() => {});
  isAsking = false;
}

/**
 * The server's time, to compare with the times in its answers. Until it is known, the device's; the server is asked then.
 */
export function serverNowMs(): number {
  const timeMs = toldServerTimeMs();
  if (timeMs !== null) return timeMs;
  void askOnce();
  return Date.now() + (told?.offsetMs ?? 0);
}
