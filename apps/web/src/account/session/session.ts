import type { Session } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { BEARER_RENEW_MS } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { fetchEarly } from '../../lib/api/early-answers.ts';
import { openChannel } from '../../lib/base/device.ts';
import { createStore } from '../../lib/base/external-store.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { bearerLifeMs, nextSession, type SessionEvent, type SessionState } from './session-state.ts';

interface Bearer {
  readonly token: string;
  /** By this device's clock, milliseconds since the epoch. */
  readonly goodUntilMs: number;
}

const store = createStore<SessionState>({ state: 'loading' });
// Only ever in memory: what storage holds, any script of the origin could read later.
let bearer: Bearer | null = null;
let pending: Promise<SessionState> | null = null;
/** Grows with every sign-out here: an answer to a request from before it is stale. */
let signOuts = 0;
const otherTabs = openChannel('satchel.session');

const send = (event: SessionEvent): SessionState => {
  store.set(nextSession(store.get(), event));
  return store.get();
};

/** The catalogue of errors is no part of the shell: it comes when something fails, or ahead for who is signed in. */
const errors = () => import('@satchel/contract/errors');

/** @throws always, what the server said or that it said nothing */
async function refuse(body: unknown): Promise<never> {
  const { AppError: Failure, fromWire } = await errors();
  throw fromWire(body) ?? new Failure('unexpected');
}

const isSignedOut = (body: unknown) => (body as { session?: unknown } | undefined)?.session === null;

async function checkSession(): Promise<SessionState> {
  const before = signOuts;
  const { response, heldMs } = await fetchEarly(PATHS.session, { credentials: 'same-origin', cache: 'no-store' });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) await refuse(body);
  if (isSignedOut(body)) {
    bearer = null;
    return send({ type: 'signed_out' });
  }
  if (before !== signOuts) return store.get();
  const session = (body as Session).session!;
  const nowMs = Date.now() - heldMs;
  const lifeMs = bearerLifeMs(session.expires_at, response.headers.get('Date'), nowMs);
  // What may fail for them later should be sayable without a network.
  errors().catch(() => {});
  bearer = { token: session.access_token, goodUntilMs: nowMs + lifeMs };
  return send({ type: 'signed_in', user: session.user });
}

/**
 * Asks the server who is signed in, and gets a fresh bearer with the answer. Concurrent calls share one request.
 * @throws AppError when the server can't be asked; the session then stays as it was
 */
export function loadSession(): Promise<SessionState> {
  if (pending) return pending;
  const check = checkSession()
    .catch(async (error: unknown) => {
      send({ type: 'check_failed' });
      throw (await errors()).toAppError(error);
    })
    .finally(() => {
      if (pending === check) pending = null;
    });
  pending = check;
  return check;
}

const loadQuietly = () => {
  // Session errors are logged only. The code is all that is said.
  loadSession().catch((error: AppError) => console.warn(`Session check failed: ${error.code ?? 'network'}`));
};

/** First check of the page, and the events that call for another one. */
export function startSession(): void {
  loadQuietly();
  otherTabs?.addEventListener('message', loadQuietly);
  addEventListener('online', loadQuietly);
}

/** Tells the site's other tabs of a sign-in or sign-out. */
export const tellOtherTabs = (): void => otherTabs?.postMessage('changed');

export const currentSession = (): SessionState => store.get();
export const useSession = (): SessionState => useStore(store);

/**
 * A bearer for storage calls with at least two minutes left, renewed when needed.
 * @param renew asks the server for another one first: it has refused the one that is held
 * @throws AppError upload.unauthenticated when signed out
 */
export async function accessToken(renew = false): Promise<string> {
  if (renew) await loadSession();
  const fresh = () => (bearer && bearer.goodUntilMs - Date.now() >= BEARER_RENEW_MS ? bearer.token : null);
  const held = fresh();
  if (held) return held;
  const session = await loadSession();
  if (session.state !== 'in' || !bearer) throw new (await errors()).AppError('upload.unauthenticated');
  return bearer.token;
}

/** Takes in, here and in the other tabs, that the session is over: signed out, or gone with the account. */
export function endSession(): void {
  bearer = null;
  pending = null;
  signOuts += 1;
  send({ type: 'signed_out' });
  tellOtherTabs();
}

/**
 * Ends the session here and in the other tabs.
 * @param onAccepted called once the server has ended it, before the page knows
 * @throws AppError when the server can't be told; the person is still signed in then
 */
export async function signOut(onAccepted?: () => void): Promise<void> {
  try {
    const response = await fetch(PATHS.logout, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (!response.ok && response.status !== 401) await refuse(await response.json().catch(() => undefined));
  } catch (error) {
    throw (await errors()).toAppError(error);
  }
  onAccepted?.();
  endSession();
}
