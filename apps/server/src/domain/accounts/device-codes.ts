import { randomInt } from 'node:crypto';
import type { DeviceInput, TokenOutput, TokenRefusal, WaitingDevice } from '@satchel/contract/device';
import { readUserCode, showUserCode, USER_CODE_LENGTH, USER_CODE_LETTERS } from '@satchel/contract/device-code';
import { AppError } from '@satchel/contract/errors';
import { DEVICE_CODE_SECONDS, DEVICE_POLL_SECONDS, DEVICE_SLOW_DOWN_SECONDS } from '@satchel/contract/limits';
import { and, eq, isNull, lte, or, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import { hashToken, newToken } from '../../platform/keys/tokens.ts';
import { device_codes, sessions } from '../../platform/schema/accounts.ts';
import type { Viewer } from '../access/find-folder.ts';
import { holdProfile } from './profiles.ts';
import { beginSession, SESSION_DAYS } from './sessions.ts';

/**
 * Signs in programs that have no browser, such as the command line (RFC 8628): the device shows a short code, a signed-in
 * person types it on the page and lets the device in, and the device, which asks all the while, gets a session.
 */

type DeviceCode = typeof device_codes.$inferSelect;
type PollError = TokenRefusal['error'];

const NOW = sql`clock_timestamp()`;
const isOpen = sql<boolean>`${device_codes.expires_at} > ${NOW}`;
/** The code was neither allowed nor refused, and has not expired. */
const isPending = and(isNull(device_codes.allowed_by), eq(device_codes.is_refused, false), isOpen);

// RFC 8628 §6.1: 20 letters at 8 places, "with a resulting entropy of 20^8".
const newUserCode = (): string =>
  showUserCode(Array.from({ length: USER_CODE_LENGTH }, () => USER_CODE_LETTERS[randomInt(20)]).join(''));

/** Makes the codes of a device. Only this call returns them; the database stores hashes. */
export async function createDeviceCode(
  db: Queryable,
  { client, host, network }: DeviceInput & Pick<DeviceCode, 'network'>,
): Promise<{ device_code: string; user_code: string }> {
  for (;;) {
    // RFC 8628 §5.2: "a very high entropy code SHOULD be used".
    const device_code = newToken();
    const user_code = newUserCode();
    const [made] = await db
      .insert(device_codes)
      .values({
        device_code_hash: hashToken(device_code),
        user_code_hash: hashToken(user_code),
        client,
        host,
        network,
        interval_seconds: DEVICE_POLL_SECONDS,
        expires_at: sql`now() + make_interval(secs => ${DEVICE_CODE_SECONDS})`,
      })
      // Another device has the same short code.
      .onConflictDoNothing()
      .returning({ id: device_codes.id });
    if (made) return { device_code, user_code };
  }
}

/**
 * The device that waits with a code, for the person to look at.
 * @param typed as the person typed it
 * @throws device.wrong_code; device.over for a code that has expired, or was answered
 */
export async function findDevice(db: Queryable, typed: string): Promise<Omit<WaitingDevice, 'is_same_network'>> {
  const user_code = readUserCode(typed);
  if (user_code === null) throw new AppError('device.wrong_code');
  const [found] = await db
    .select({ device: device_codes, isPending: sql<boolean>`${isPending}` })
    .from(device_codes)
    .where(eq(device_codes.user_code_hash, hashToken(user_code)));
  if (!found) throw new AppError('device.wrong_code');
  if (!found.isPending) throw new AppError('device.over');
  const { id, client, host, network, created_at, expires_at } = found.device;
  return {
    id,
    user_code,
    client,
    host,
    network,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}

/**
 * Lets a device in, or refuses it, for good. Of several answers, the first counts.
 * @throws device.over
 */
export async function decideDevice(
  db: Queryable,
  { session_id }: Viewer,
  { id, is_allowed }: { readonly id: string; readonly is_allowed: boolean },
): Promise<void> {
  const [decided] = await db
    .update(device_codes)
    .set(is_allowed ? { allowed_by: session_id } : { is_refused: true })
    .where(and(eq(device_codes.id, id), isPending))
    .returning({ id: device_codes.id });
  if (!decided) throw new AppError('device.over');
}

/** Notes a poll of a device that still waits; null for any other. */
async function notePoll(db: Queryable, device_code_hash: string): Promise<PollError | null> {
  const waiting = and(eq(device_codes.device_code_hash, device_code_hash), isPending);
  // Half a second for a device whose timers run a little early.
  const inTime = or(
    isNull(device_codes.polled_at),
    lte(device_codes.polled_at, sql`${NOW} - make_interval(secs => ${device_codes.interval_seconds} - 0.5)`),
  );
  const [pending] = await db
    .update(device_codes)
    .set({ polled_at: NOW })
    .where(and(waiting, inTime))
    .returning({ id: device_codes.id });
  // RFC 8628 §3.5: "The authorization request is still pending as the end user hasn't yet completed the user-interaction steps".
  if (pending) return 'authorization_pending';
  const [early] = await db
    .update(device_codes)
    .set({
      polled_at: NOW,
      interval_seconds: sql`${device_codes.interval_seconds} + ${DEVICE_SLOW_DOWN_SECONDS}::integer`,
    })
    .where(waiting)
    .returning({ id: device_codes.id });
  // RFC 8628 §3.5: "the interval MUST be increased by 5 seconds for this and all subsequent requests".
  return early ? 'slow_down' : null;
}

/** Undoes the transaction of a poll that ends without a token. */
class Refused extends Error {
  readonly reason: PollError;
  constructor(reason: PollError) {
    super(reason);
    this.reason = reason;
  }
}

/** Begins the session of a device that a person let in. @throws Refused; auth.banned, auth.required */
async function redeem(tx: Tx, device_code_hash: string) {
  const [found] = await tx
    .select({
      id: device_codes.id,
      host: device_codes.host,
      is_refused: device_codes.is_refused,
      by: sessions.profile_id,
    })
    .from(device_codes)
    .leftJoin(sessions, and(eq(sessions.id, device_codes.allowed_by), sql`${sessions.expires_at} > ${NOW}`))
    .where(and(eq(device_codes.device_code_hash, device_code_hash), isOpen));
  // RFC 8628 §3.5: "The authorization request was denied."
  if (found?.is_refused) throw new Refused('access_denied');
  // RFC 8628 §3.5: 'The "device_code" has expired, and the device authorization session has concluded.' So have codes that
  // were redeemed, and codes whose person has signed out since.
  if (!found || found.by === null) throw new Refused('expired_token');
  // The profile is locked before the code: a ban and a deletion lock them in this order, too.
  await holdProfile(tx, found.by);
  const { token } = await beginSession(tx, found.by, found.host, 'device');
  const deleted = await tx.delete(device_codes).where(eq(device_codes.id, found.id)).returning({ id: device_codes.id });
  if (deleted.length === 0) throw new Refused('expired_token');
  return { token, profile_id: found.by };
}

export type Polled = { readonly error: PollError } | (TokenOutput & { readonly profile_id: string });

/** Answers a device that asks whether it has been let in; it gets its session's token once. */
export async function pollDevice(db: Db, deviceCode: string): Promise<Polled> {
  const hash = hashToken(deviceCode);
  const waiting = await notePoll(db, hash);
  if (waiting) return { error: waiting };
  try {
    const { token, profile_id } = await inTransaction(db, (tx) => redeem(tx, hash));
    return { access_token: token, token_type: 'Bearer', expires_in: SESSION_DAYS.device * 86_400, profile_id };
  } catch (error) {
    if (error instanceof Refused) return { error: error.reason };
    if (error instanceof AppError && error.code === 'auth.banned') return { error: 'access_denied' };
    if (error instanceof AppError && error.code === 'auth.required') return { error: 'expired_token' };
    throw error;
  }
}
