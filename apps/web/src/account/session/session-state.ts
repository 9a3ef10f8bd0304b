import { t } from '@lingui/core/macro';
import type { User } from '@satchel/contract/entities';

/** The session as pages see it: loading, signed in, signed out. */
export type SessionState =
  | { readonly state: 'loading' }
  | { readonly state: 'out' }
  | { readonly state: 'in'; readonly user: User };

export type SessionEvent =
  | { readonly type: 'signed_in'; readonly user: User }
  | { readonly type: 'signed_out' }
  | { readonly type: 'check_failed' };

const OUT: SessionState = { state: 'out' };

/**
 * The next state of the session. A failed check keeps a signed-in session (the device may be offline); before the first
 * answer a failed check counts as signed out, so that the page works without a session.
 */
export function nextSession(session: SessionState, event: SessionEvent): SessionState {
  if (event.type === 'signed_out') return session.state === 'out' ? session : OUT;
  if (event.type === 'check_failed') return session.state === 'loading' ? OUT : session;
  // The same person again must not look like a change, or every renewal would render the page.
  const same = session.state === 'in' && JSON.stringify(session.user) === JSON.stringify(event.user);
  return same ? session : { state: 'in', user: event.user };
}

/** The id of the signed-in person, or null. */
export const userIdOf = (session: SessionState): string | null => (session.state === 'in' ? session.user.id : null);

/** How the person is called: the global name, else the e-mail, else a word that still names the link. */
export const displayUser = (user: User): string => user.user_metadata.full_name || user.email || t`Profile`;

/**
 * Milliseconds that a bearer still lives, by the server's own clock when it told the time, since a device's clock may
 * be off by more than a bearer's life.
 * @param expiresAt ISO time of its end
 * @param serverDate the response's Date header
 * @param nowMs the device's clock
 */
export function bearerLifeMs(expiresAt: string, serverDate: string | null, nowMs: number): number {
  const serverMs = serverDate ? Date.parse(serverDate) : Number.NaN;
  return Date.parse(expiresAt) - (Number.isNaN(serverMs) ? nowMs : serverMs);
}
