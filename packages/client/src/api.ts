import type {
  AnalyticsInput,
  CreateFolderInput,
  CreateFolderOutput,
  DeleteFolderInput,
  ExpiredFolder,
  FolderAnalytics,
  FolderCompleteData,
  FolderCompleteInput,
  GenerateKeyInput,
  RevokeKeyInput,
  StageLabelsInput,
  StageLabelsOutput,
  UpdateFolderInput,
  UpdateFolderOutput,
} from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError, type ErrorCode, fromWire, toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { z } from 'zod';

/**
 * Every procedure with its input and output. The shapes are the contract's; the server checks each answer against
 * them before it leaves, so a client carries the types alone and no schemas (docs/decisions/008).
 */
interface Procedures {
  get_folder_complete_data: { in: z.input<typeof FolderCompleteInput>; out: FolderCompleteData | ExpiredFolder };
  create_folder_with_temp_key: { in: CreateFolderInput; out: CreateFolderOutput };
  update_folder_settings: { in: z.input<typeof UpdateFolderInput>; out: z.output<typeof UpdateFolderOutput> };
  delete_folder_complete: { in: z.input<typeof DeleteFolderInput>; out: undefined };
  generate_temp_encryption_key: { in: GenerateKeyInput; out: TempKeyInfo };
  stage_folder_labels: { in: StageLabelsInput; out: StageLabelsOutput };
  revoke_temp_encryption_key: { in: z.input<typeof RevokeKeyInput>; out: undefined };
  get_folder_analytics: { in: AnalyticsInput; out: FolderAnalytics };
}
export type Procedure = keyof Procedures;

/** Writing procedures that do no more when they run twice. A creation finds out by itself what became of it. */
const REPEATABLE: ReadonlySet<Procedure> = new Set<Procedure>([
  'update_folder_settings',
  'generate_temp_encryption_key',
  'stage_folder_labels',
  'revoke_temp_encryption_key',
  'delete_folder_complete',
]);

export interface CallOptions {
  /** Code of the error when the server says none, or cannot be reached. */
  fallback?: ErrorCode;
  signal?: AbortSignal;
  /** Bearer of a storage call. */
  token?: string;
  /** The call does no more when it runs twice: once its answer is lost, it is made once more. */
  isRepeatable?: boolean;
}

/** What a balancer says of a node that died under a request; nodes themselves send the catalogue's errors. */
const OF_DEAD_NODES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether the server may have done what it was asked for, and its answer didn't come. */
export const isLost = (error: unknown): boolean => error instanceof AppError && error.cause !== undefined;

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  return JSON.parse(text);
}

async function refusal(response: Response, fallback: ErrorCode): Promise<AppError> {
  const body = await readBody(response).catch(() => undefined);
  const message = `${response.status} ${response.statusText}`.trim();
  const options = OF_DEAD_NODES.has(response.status) ? { cause: message } : {};
  return fromWire(body) ?? new AppError(fallback, { message }, options);
}

export interface ApiDeps {
  /**
   * Asks this site, with its credentials. Rejects as `fetch` does.
   * @returns the answer, and how long it has waited for this client; it was asked for just now where that is left out
   */
  readonly fetch: (
    path: string,
    init: RequestInit,
  ) => Promise<{ readonly response: Response; readonly heldMs?: number }>;
  /** Hears what an answer says of the time. */
  readonly noteServerTime?: (server_time: string, heldMs: number) => void;
}

/** The calls that a client makes, apart from moving files. */
export interface Api {
  /**
   * GET of a path of this site.
   * @throws AppError what the server said, else `fallback`
   */
  getJson<T>(path: string, options?: CallOptions): Promise<T>;
  /**
   * A writing call with a JSON body. `body` undefined still says JSON, as cookie writes must.
   * @throws AppError what the server said, else `fallback`
   */
  sendJson<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    options?: CallOptions,
  ): Promise<T>;
  /**
   * A remote procedure.
   * @throws AppError what the server said, else `fallback`
   */
  rpc<P extends Procedure>(name: P, input: Procedures[P]['in'], options?: CallOptions): Promise<Procedures[P]['out']>;
}

export function createApi({ fetch, noteServerTime }: ApiDeps): Api {
  async function callOnce<T>(path: string, init: RequestInit, options: CallOptions): Promise<T> {
    const { fallback = 'unexpected', signal, token } = options;
    const headers = new Headers(init.headers);
    if (token) headers.set('Authorization', `Bearer ${token}`);
    try {
      const request = { ...init, headers, credentials: 'same-origin', signal: signal ?? null } as const;
      const { response, heldMs = 0 } = await fetch(path, request);
      if (!response.ok) throw await refusal(response, fallback);
      const body = await readBody(response);
      const { server_time } = (body ?? {}) as { server_time?: string };
      if (server_time !== undefined) noteServerTime?.(server_time, heldMs);
      return body as T;
    } catch (error) {
      // The caller cancelled: pass the abort on, it is no failure of the call.
      if (signal?.aborted) throw error;
      throw toAppError(error, fallback);
    }
  }

  function call<T>(path: string, init: RequestInit, options: CallOptions): Promise<T> {
    const ask = () => callOnce<T>(path, init, options);
    if (!options.isRepeatable) return ask();
    return ask().catch((error: unknown) => {
      if (!isLost(error)) throw error;
      return ask();
    });
  }

  const getJson: Api['getJson'] = (path, options = {}) =>
    call(path, { headers: { Accept: 'application/json' } }, options);
  const sendJson: Api['sendJson'] = (method, path, body, options = {}) => {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    return call(path, { method, headers, body: JSON.stringify(body ?? {}) }, options);
  };
  return {
    getJson,
    sendJson,
    rpc: (name, input, options = {}) =>
      sendJson('POST', `${PATHS.rpc}/${name}`, input, { isRepeatable: REPEATABLE.has(name), ...options }),
  };
}
