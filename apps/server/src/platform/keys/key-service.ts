import { AppError } from '@satchel/contract/errors';
import { z } from 'zod';
import type { KeySealer, SealedFor } from './key-sealer.ts';
import type { KeyShares, ShareId } from './key-shares.ts';

/** The key service on another machine: what application nodes ask of it, and how (CONTAINER §3, decision 012). */

/** Its internal routes. There is none that opens or reads anything. */
export const KEY_CALLS = { seal: '/keys/v1/seal', reseal: '/keys/v1/reseal', shares: '/keys/v1/shares' } as const;

const Target = z.object({ folder_id: z.uuid().lowercase(), slug: z.string().min(1), expires_at: z.iso.datetime() });
export const SealCall = Target.extend({ key: z.string().regex(/^(?:[0-9a-f]{128}){1,16}$/) });
export const ResealCall = Target.extend({ sealed: z.string(), new_expires_at: z.iso.datetime() });
export const ShareCall = z.object({ share: z.string().min(1).max(1024) });
export const SealAnswer = z.object({ sealed: z.string() });
export const ResealAnswer = z.object({ sealed: z.string().nullable() });

/** Somebody's call of /bot, for the key service to answer in our place. */
export interface ForwardedCall {
  readonly method: 'GET' | 'POST';
  /** Below the key service's origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}
export interface ForwardedAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

export interface KeyServiceClient {
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
  /** @throws request.unavailable when the key service doesn't answer, or has a fault of its own */
  forward(call: ForwardedCall): Promise<ForwardedAnswer>;
}

/** For the log, which tells kind and code: `status_401` is a KEY_SERVICE_SECRET that is not the key service's. */
class KeyServiceError extends Error {
  override readonly name = 'KeyServiceError';
  readonly code: string;
  constructor(status: number) {
    super(`The key service answered ${status}`);
    this.code = `status_${status}`;
  }
}

interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

const TIMEOUT_MS = 5000;
const RETRY_AFTER_SECONDS = 5;
const unavailable = (cause: unknown) =>
  new AppError('request.unavailable', { retry_after_seconds: RETRY_AFTER_SECONDS }, { cause });

/** Whatever is no JSON was not said by a key service, but by something on the way to it. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * A client of the key service.
 * @param options.url its origin
 * @param options.secret KEY_SERVICE_SECRET of both
 * @param options.timeoutMs how long a call may take
 */
export function createKeyServiceClient(options: { url: string; secret: string; timeoutMs?: number }): KeyServiceClient {
  const { url, secret, timeoutMs = TIMEOUT_MS } = options;
  const authorization = `Bearer ${secret}`;

  async function send(path: string, init: Call): Promise<{ response: Response; body: string }> {
    try {
      const response = await fetch(url + path, {
        ...init,
        headers: { ...init.headers, authorization },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = await response.text();
      if (response.status >= 500) throw new KeyServiceError(response.status);
      return { response, body };
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Whatever it answers but a success is a fault in how the two were set up; nobody who asks us can mend that. */
  async function call<Answer>(method: string, path: string, input: object, schema: z.ZodType<Answer>): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const { response, body } = await send(path, { method, headers, body: JSON.stringify(input) });
    if (!response.ok) throw unavailable(new KeyServiceError(response.status));
    const answer = schema.safeParse(body === '' ? undefined : readJson(body));
    if (!answer.success) throw unavailable(answer.error);
    return answer.data;
  }

  const targetOf = ({ folder_id, slug, expires_at }: SealedFor) => ({
    folder_id,
    slug,
    expires_at: expires_at.toISOString(),
  });
  const pathOf = ({ folder_id, share_id }: ShareId) => `${KEY_CALLS.shares}/${folder_id}/${share_id}`;

  return {
    keySealer: {
      seal: async (keys, target) =>
        (await call('POST', KEY_CALLS.seal, { key: keys, ...targetOf(target) }, SealAnswer)).sealed,
      async reseal(sealed, target, expires_at) {
        const input = { sealed, ...targetOf(target), new_expires_at: expires_at.toISOString() };
        return (await call('POST', KEY_CALLS.reseal, input, ResealAnswer)).sealed;
      },
    },
    keyShares: {
      write: (id, share) => call('PUT', pathOf(id), { share }, z.void()),
      erase: (id) => call('DELETE', pathOf(id), {}, z.void()),
      eraseAll: (folderId) => call('DELETE', `${KEY_CALLS.shares}/${folderId}`, {}, z.void()),
    },
    async forward({ method, path, headers, body }) {
      const { response, body: text } = await send(path, { method, headers, body });
      readJson(text);
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: text,
      };
    },
  };
}
