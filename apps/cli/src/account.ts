import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from '@satchel/contract/api';
import type { DeviceOutput, TokenOutput, TokenRefusal } from '@satchel/contract/device';
import { DEVICE_PATHS } from '@satchel/contract/device-code';
import { AppError, fromWire } from '@satchel/contract/errors';
import { DEVICE_NAME_MAX, DEVICE_SLOW_DOWN_SECONDS } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { forgetSignIn, keepSignIn, type SignIn } from './device/sign-ins.ts';
import { CommandError, EXIT } from './outcome.ts';
import { openSite, type Site } from './site.ts';
import { printable, say } from './terminal.ts';
import { VERSION } from './version.ts';

/** Signing this device in and out (RFC 8628). */

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

const REFUSALS: Readonly<Record<Exclude<TokenRefusal['error'], 'authorization_pending' | 'slow_down'>, string>> = {
  access_denied: 'The sign-in was refused in the browser',
  expired_token: 'The code expired before it was confirmed. Run: satchel login',
};

/** @throws CommandError once the code is refused or over; AppError what else the server says */
async function pollForToken({ fetch }: Site, codes: DeviceOutput): Promise<TokenOutput> {
  let intervalMs = codes.interval * 1000;
  for (;;) {
    await pause(intervalMs);
    const response = await fetch(DEVICE_PATHS.token, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ grant_type: GRANT_TYPE, device_code: codes.device_code }),
    }).catch(() => null);
    // RFC 8628 §3.5: "On encountering a connection timeout, clients MUST unilaterally reduce their polling frequency".
    if (response === null) {
      intervalMs *= 2;
      continue;
    }
    const body: unknown = await response.json().catch(() => null);
    if (response.ok) return body as TokenOutput;
    const { error } = (body ?? {}) as Partial<TokenRefusal>;
    // RFC 8628 §3.5: "the interval MUST be increased by 5 seconds for this and all subsequent requests".
    if (error === 'slow_down') intervalMs += DEVICE_SLOW_DOWN_SECONDS * 1000;
    else if (error === 'access_denied' || error === 'expired_token') {
      throw new CommandError(EXIT.refused, `auth.${error}`, REFUSALS[error]);
    } else if (error !== 'authorization_pending') throw fromWire(body) ?? new AppError('unexpected');
  }
}

/** Who this sign-in is. @throws auth.required once it has ended */
export async function readPerson({ api }: Site): Promise<{ readonly id: string; readonly name: string }> {
  const { session } = await api.getJson<Session>(PATHS.session);
  if (session === null) throw new AppError('auth.required');
  return { id: session.user.id, name: session.user.user_metadata.full_name ?? session.user.id };
}

/** Signs this device in at a site. */
export async function signIn(root: string, origin: string): Promise<SignIn> {
  const visitor = await openSite(root, origin, null);
  const host = Array.from(printable(hostname())).slice(0, DEVICE_NAME_MAX).join('') || 'unknown';
  const codes = await visitor.api.sendJson<DeviceOutput>('POST', DEVICE_PATHS.codes, {
    client: `satchel ${VERSION}`,
    host,
  });
  say(`Open ${codes.verification_uri} in a browser, and type this code: ${codes.user_code}`);
  say(`or open ${codes.verification_uri_complete} and compare the code`);
  const { access_token: token } = await pollForToken(visitor, codes);
  const person = await readPerson(await openSite(root, origin, { origin, token, userId: '', name: '' }));
  const known = { origin, token, userId: person.id, name: person.name };
  if ((await keepSignIn(root, known)) === 'file') {
    say('This system has no keyring for satchel: the sign-in is in a file that only you can read');
  }
  return known;
}

/** Ends the sign-in at the site, and forgets it here: here also where the site can't be reached. */
export async function signOut(root: string, known: SignIn, forgetsKeys: boolean): Promise<void> {
  const site = await openSite(root, known.origin, known);
  try {
    await site.api.sendJson('POST', PATHS.logout, undefined);
  } catch (error) {
    say(`warning: ${(error as Error).message}. This device forgets the sign-in; end it in your profile, too`);
  }
  await forgetSignIn(root, known.origin);
  if (forgetsKeys) await site.keys.deleteAllKeys();
}
