import type { DiscordKeyOutput, NoTriesLeft, PassphraseNeeded, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { KEYRING_MAX_KEYS } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';

/** Answers of the key service at `/bot/{slug}/{api_token}` (§7, docs/container.md §3). */

/** The link whose key is asked for. */
export interface KeyAddress {
  readonly slug: string;
  /** Null when the folder was read without the procedure, which alone tells it. */
  readonly apiToken: string | null;
}

export type KeyAnswer =
  | { readonly kind: 'sealed'; readonly sealed: PrivateKeyOutput }
  /** The folder keys in hex, of a Discord-link folder; oldest first. */
  | { readonly kind: 'keys'; readonly hex: readonly string[] }
  | { readonly kind: 'passphrase' };

const NOT_FOUND = new AppError('key.not_found');
const HEX_KEY = /^[0-9a-f]{128}$/;
const isKey = (value: unknown): value is string => typeof value === 'string' && HEX_KEY.test(value);

/** The newest one comes by itself, and the earlier ones beside it, newest first. */
function readKeys(newest: unknown, earlier: unknown = []): readonly string[] | null {
  const keys: unknown[] = [newest, ...(Array.isArray(earlier) ? earlier : [earlier])];
  return keys.every(isKey) && keys.length <= KEYRING_MAX_KEYS ? keys.toReversed() : null;
}

/** The parts of any answer; a captive portal answers everything with 200 and something of its own. */
type Body = Partial<PrivateKeyOutput & DiscordKeyOutput & Omit<NoTriesLeft, 'success'>> | null;

function readAnswer(body: Body | Partial<PassphraseNeeded>): KeyAnswer | null {
  const { success, sealed_key, key_share, encryption_key, earlier_keys, passphrase } = (body ??
    {}) as NonNullable<Body>;
  if (success !== true) return null;
  const hex = readKeys(encryption_key, earlier_keys);
  if (hex !== null) return { kind: 'keys', hex };
  if (typeof sealed_key === 'string' && typeof key_share === 'string') {
    return { kind: 'sealed', sealed: { success, sealed_key, key_share, passphrase: passphrase === true } };
  }
  return passphrase === true ? { kind: 'passphrase' } : null;
}

/** The service's own words, else 'Key not found'. */
function refusal(body: Body): AppError {
  const message = typeof body?.error === 'string' ? body.error : fromWire(body)?.message;
  return message && message !== NOT_FOUND.message ? new AppError('key.retrieval_failed', { message }) : NOT_FOUND;
}

function proofRefusal(status: number, body: Body): AppError {
  // Too many requests are 429, too, and say nothing of passphrases.
  if (status === 429 && body?.tries_left === 0 && typeof body.retry_after_seconds === 'number') {
    return new AppError('key.no_tries_left', { minutes: Math.max(1, Math.ceil(body.retry_after_seconds / 60)) });
  }
  if (status === 403 && typeof body?.tries_left === 'number') {
    return new AppError('key.wrong_passphrase', { tries: body.tries_left });
  }
  return refusal(body);
}

/** A client of the key service. */
export function createKeyService(fetch: typeof globalThis.fetch) {
  async function call({ slug, apiToken }: KeyAddress, init: RequestInit): Promise<{ status: number; body: Body }> {
    if (apiToken === null) throw NOT_FOUND;
    const path = `${PATHS.key}/${encodeURIComponent(slug)}/${encodeURIComponent(apiToken)}`;
    const ask = () => fetch(path, { cache: 'no-store', ...init });
    // A lost answer is asked for once more; a proof that was lost may have used up a try.
    const asked = init.method === undefined ? ask().catch(ask) : ask();
    const response = await asked.catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw toAppError(error, 'key.retrieval_failed');
    });
    return { status: response.status, body: (await response.json().catch(() => null)) as Body };
  }

  return {
    /** @throws key.not_found, key.retrieval_failed: in the key service's words, else 'Key not found', else the network's */
    askForKey: async (address: KeyAddress): Promise<KeyAnswer> => {
      const { status, body } = await call(address, {});
      const answer = status === 200 ? readAnswer(body) : null;
      if (answer === null) throw refusal(body);
      return answer;
    },

    /**
     * Exchanges the proof of a passphrase for the sealed key.
     * @throws key.wrong_passphrase, key.no_tries_left; what askForKey throws; the signal's reason
     */
    proveForKey: async (address: KeyAddress, proof: string, signal?: AbortSignal): Promise<PrivateKeyOutput> => {
      const { status, body } = await call(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ proof }),
        ...(signal ? { signal } : {}),
      });
      const answer = status === 200 ? readAnswer(body) : null;
      if (answer?.kind !== 'sealed') throw proofRefusal(status, body);
      return answer.sealed;
    },
  };
}
