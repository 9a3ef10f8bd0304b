import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { z } from 'zod';
import type { KeySealer, SealedFor } from './key-sealer.ts';
import type { KeyShareId, KeyShares } from './key-shares.ts';
import { JournalAnswer, type JournalReader } from './taken-back-journal.ts';

/** Client of a key service on another machine: the calls that nodes make (docs/container.md §3, decision 012). */

/** The internal routes of the key service. None opens a sealed key or reads a key share. */
export const KEY_CALLS = {
  seal: '/keys/v1/seal',
  reseal: '/keys/v1/reseal',
  shares: '/keys/v1/shares',
  journal: '/keys/v1/journal',
} as const;

const Target = z.object({ folder_id: z.uuid().lowercase(), slug: z.string().min(1), expires_at: z.iso.datetime() });
export const SealCall = Target.extend({ key: z.string().regex(/^(?:[0-9a-f]{128}){1,16}$/) });
export const ResealCall = Target.extend({ sealed: z.string(), new_expires_at: z.iso.datetime() });
export const ShareCall = z.object({ share: z.string().min(1).max(1024) });
export const SealAnswer = z.object({ sealed: z.string() });
export const ResealAnswer = z.object({ sealed: z.string().nullable() });

/** A client's call of /bot that the key service answers for this node. */
export interface ForwardedCall {
  readonly method: 'GET' | 'POST';
  /** Path below the origin of the key service. */
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
  /** What was taken back, for a restore. */
  readonly journal: JournalReader;
  /** @throws request.unavailable when the key service doesn't answer, or answers with a server error */
  forward(call: ForwardedCall): Promise<ForwardedAnswer>;
  /** @throws request.unavailable when the key service is not ready */
  requireReady(): Promise<void>;
}

/** The log records name and code: `status_401` means that KEY_SERVICE_SECRET differs from the key service's. */
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

/** A body that is not JSON comes from a proxy, not from the key service. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Creates a client of the key service.
 * @param options.url origin of the key service
 * @param options.secret KEY_SERVICE_SECRET of both sides
 * @param options.timeoutMs time limit of a call
 * @param options.observe is called with the outcome of each call
 */
export function createKeyServiceClient(options: {
  url: string;
  secret: string;
  timeoutMs?: number;
  observe?: (outcome: 'ok' | 'failed', seconds: number) => void;
}): KeyServiceClient {
  const { url, secret, timeoutMs = TIMEOUT_MS, observe } = options;
  const authorization = `Bearer ${secret}`;

  async function send(path: string, init: Call): Promise<{ response: Response; body: string }> {
    const startedMs = performance.now();
    const secondsSince = () => (performance.now() - startedMs) / 1000;
    try {
      const response = await fetch(url + path, {
        ...init,
        headers: { ...init.headers, authorization },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = await response.text();
      if (response.status >= 500) throw new KeyServiceError(response.status);
      observe?.('ok', secondsSince());
      return { response, body };
    } catch (error) {
      observe?.('failed', secondsSince());
      throw unavailable(error);
    }
  }

  /** Every answer but success means a faulty setup of the two sides, which no client can fix: request.unavailable. */
  async function call<Answer>(
    method: string,
    path: string,
    input: object | null,
    schema: z.ZodType<Answer>,
  ): Promise<Answer> {
    const headers: Record<string, string> = input === null ? {} : { 'content-type': 'application/json' };
    const { response, body } = await send(path, { method, headers, body: input && JSON.stringify(input) });
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
  const pathOf = ({ folder_id, share_id }: KeyShareId) => `${KEY_CALLS.shares}/${folder_id}/${share_id}`;

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
      delete: (id) => call('DELETE', pathOf(id), {}, z.void()),
      deleteAll: (folderId) => call('DELETE', `${KEY_CALLS.shares}/${folderId}`, {}, z.void()),
    },
    journal: { read: () => call('GET', KEY_CALLS.journal, null, JournalAnswer) },
    async requireReady() {
      const { response } = await send(PATHS.readyz, { method: 'GET', headers: {}, body: null });
      if (!response.ok) throw unavailable(new KeyServiceError(response.status));
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
