import type { AppError } from '@satchel/contract/errors';
import type { Outcome } from './attempt.ts';
import { judge } from './failure.ts';
import type { RetryCause, Way } from './order.ts';

/**
 * The course of one upload as a pure state machine: attempts, pauses, waiting for the line, and the choice of the way. What
 * it wants done it says as effects; their outcomes come as events.
 */

export interface Sending {
  readonly doing: 'attempting' | 'resting' | 'waiting' | 'ended';
  readonly isPaused: boolean;
  readonly isOnline: boolean;
  readonly isCancelled: boolean;
  /** Tries used up since bytes were last acknowledged. */
  readonly tries: number;
  /** The bearer has just been renewed. */
  readonly isRenewed: boolean;
  /** Sockets that were open and broke. */
  readonly cuts: number;
  /** The socket failed. The next try goes by requests: if they work, the socket is refused; if not, the line was away. */
  readonly isDoubted: boolean;
  /** There is no socket, or requests worked after it had failed: requests for the rest of the upload. */
  readonly isRefused: boolean;
}

export type SendingEvent =
  | { readonly type: 'begun' | 'paused' | 'resumed' | 'cancelled' | 'rested' }
  | { readonly type: 'line'; readonly isOnline: boolean }
  /** The server answers again, or the person doesn't want to wait: the next try begins now. */
  | { readonly type: 'hurried' }
  | { readonly type: 'acknowledged' }
  | { readonly type: 'outcome'; readonly outcome: Outcome };

export type JobEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'afresh'; readonly error: AppError }
  | { readonly kind: 'failed'; readonly error: AppError };

export type Effect =
  | { readonly do: 'attempt'; readonly way: Way }
  /** Ends the attempt, whose outcome follows, or the rest. */
  | { readonly do: 'stop' }
  | { readonly do: 'rest'; readonly attempt: number; readonly delayMs: number; readonly cause: RetryCause }
  | { readonly do: 'tell-offline' }
  /** Requests work where the socket does not. */
  | { readonly do: 'tell-refused' }
  | { readonly do: 'renew-bearer' }
  | { readonly do: 'end'; readonly end: JobEnd };

export interface Step {
  readonly state: Sending;
  readonly effects: readonly Effect[];
}

/** After this number of broken sockets, counted over the whole upload, it goes by requests: something on the way cuts them. */
const CUTS_MAX = 2;

/** @param hasSocket false if the browser has none, or if the server is known to refuse it */
export const newSending = (isOnline: boolean, hasSocket: boolean): Sending => ({
  doing: 'waiting',
  isPaused: false,
  isOnline,
  isCancelled: false,
  tries: 0,
  isRenewed: false,
  cuts: 0,
  isDoubted: false,
  isRefused: !hasSocket,
});

const wayOf = ({ isRefused, isDoubted }: Sending): Way => (isRefused || isDoubted ? 'http' : 'socket');

const end = (state: Sending, how: JobEnd): Step => ({
  state: { ...state, doing: 'ended' },
  effects: [{ do: 'end', end: how }],
});

/** Does the next step, if nothing is under way. */
function proceed(state: Sending): Step {
  if (state.isCancelled) return end(state, { kind: 'cancelled' });
  const waiting: Sending = { ...state, doing: 'waiting' };
  if (state.isPaused) return { state: waiting, effects: [] };
  if (!state.isOnline) return { state: waiting, effects: [{ do: 'tell-offline' }] };
  return { state: { ...state, doing: 'attempting' }, effects: [{ do: 'attempt', way: wayOf(state) }] };
}

/** Looks at a change of what may be done: an attempt is stopped where it may not continue, and what rested or waited proceeds. */
function reconsider(state: Sending): Step {
  const mayRun = !state.isPaused && !state.isCancelled && state.isOnline;
  if (state.doing === 'attempting') return { state, effects: mayRun ? [] : [{ do: 'stop' }] };
  const { state: next, effects } = proceed(state);
  return { state: next, effects: state.doing === 'resting' ? [{ do: 'stop' }, ...effects] : effects };
}

const failedWay = (state: Sending): Sending =>
  wayOf(state) === 'http' && !state.isRefused ? { ...state, isDoubted: state.cuts >= CUTS_MAX } : state;

function doubted(state: Sending, outcome: Outcome): Sending {
  if (outcome.kind === 'unreached') return { ...state, isDoubted: true };
  if (outcome.kind === 'failed') return failedWay(state);
  if (outcome.kind !== 'cut') return state;
  const cuts = state.cuts + 1;
  return { ...state, cuts, isDoubted: cuts >= CUTS_MAX };
}

function concluded(before: Sending, outcome: Outcome): Step {
  if (outcome.kind === 'sent') return end(before, outcome);
  const state = doubted(before, outcome);
  if (outcome.kind === 'stopped' || outcome.kind === 'unreached' || state.isCancelled) return proceed(state);
  const verdict = judge(outcome.failure, state);
  const { error } = outcome.failure;
  if (verdict.act === 'fail') return end(state, { kind: 'failed', error });
  if (verdict.act === 'afresh') return end(state, { kind: 'afresh', error });
  if (verdict.act === 'renew') {
    const { state: next, effects } = proceed({ ...state, isRenewed: true });
    return { state: next, effects: [{ do: 'renew-bearer' }, ...effects] };
  }
  // A pause, and a line that is known to be away, use up no try.
  if (state.isPaused || !state.isOnline) return proceed(state);
  const tries = state.tries + 1;
  const { delayMs, cause } = verdict;
  return { state: { ...state, tries, doing: 'resting' }, effects: [{ do: 'rest', attempt: tries, delayMs, cause }] };
}

function acknowledged(state: Sending): Step {
  const isProof = wayOf(state) === 'http' && !state.isRefused;
  return {
    state: { ...state, tries: 0, isRenewed: false, isRefused: state.isRefused || isProof },
    effects: isProof ? [{ do: 'tell-refused' }] : [],
  };
}

const unchanged = (state: Sending): Step => ({ state, effects: [] });

/** What a person or the line says between two jobs counts for the next one. */
function noted(state: Sending, event: SendingEvent): Sending {
  if (event.type === 'paused' || event.type === 'resumed') return { ...state, isPaused: event.type === 'paused' };
  if (event.type === 'cancelled') return { ...state, isCancelled: true };
  return event.type === 'line' ? { ...state, isOnline: event.isOnline } : state;
}

export function step(state: Sending, event: SendingEvent): Step {
  if (state.doing === 'ended') return unchanged(noted(state, event));
  switch (event.type) {
    case 'begun':
      return proceed(state);
    case 'paused':
      return reconsider({ ...state, isPaused: true });
    case 'resumed':
      return state.isPaused ? reconsider({ ...state, isPaused: false }) : unchanged(state);
    case 'cancelled':
      return reconsider({ ...state, isCancelled: true });
    case 'line':
      return state.isOnline === event.isOnline ? unchanged(state) : reconsider({ ...state, isOnline: event.isOnline });
    case 'hurried':
      return state.doing === 'resting' ? reconsider(state) : unchanged(state);
    case 'rested':
      return state.doing === 'resting' ? proceed(state) : unchanged(state);
    case 'acknowledged':
      return acknowledged(state);
    case 'outcome':
      return state.doing === 'attempting' ? concluded(state, event.outcome) : unchanged(state);
  }
}
