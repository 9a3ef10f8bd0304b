import {
  type CreateFolderInput,
  CreateFolderOutput,
  type DeleteFolderInput,
  ExpiredFolder,
  FolderCompleteData,
  type FolderCompleteInput,
  type RevokeKeyInput,
  type UpdateFolderInput,
  UpdateFolderOutput,
} from '@satchel/contract/api';
import { AppError, type ErrorCode, fromWire, toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { z } from 'zod';

const Nothing = z.undefined();

/** Every procedure with its input and output (§7). */
const PROCEDURES = {
  get_folder_complete_data: z.union([FolderCompleteData, ExpiredFolder]),
  create_folder_with_temp_key: CreateFolderOutput,
  update_folder_settings: UpdateFolderOutput,
  delete_folder_complete: Nothing,
  revoke_temp_encryption_key: Nothing,
} as const;

interface ProcedureInputs {
  get_folder_complete_data: z.input<typeof FolderCompleteInput>;
  create_folder_with_temp_key: CreateFolderInput;
  update_folder_settings: z.input<typeof UpdateFolderInput>;
  delete_folder_complete: z.input<typeof DeleteFolderInput>;
  revoke_temp_encryption_key: z.input<typeof RevokeKeyInput>;
}
export type Procedure = keyof ProcedureInputs;
export type ProcedureOutput<P extends Procedure> = z.output<(typeof PROCEDURES)[P]>;

export interface CallOptions {
  /** Code of the error when the server says none, or cannot be reached. */
  fallback?: ErrorCode;
  signal?: AbortSignal;
  /** Bearer of a storage call. */
  token?: string;
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  return JSON.parse(text);
}

async function refusal(response: Response, fallback: ErrorCode): Promise<AppError> {
  const body = await readBody(response).catch(() => undefined);
  return fromWire(body) ?? new AppError(fallback, { message: `${response.status} ${response.statusText}`.trim() });
}

async function call<S extends z.ZodType>(
  path: string,
  init: RequestInit,
  schema: S,
  options: CallOptions,
): Promise<z.output<S>> {
  const { fallback = 'unexpected', signal, token } = options;
  const headers = new Headers(init.headers);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  try {
    const response = await fetch(path, { ...init, headers, credentials: 'same-origin', signal: signal ?? null });
    if (!response.ok) throw await refusal(response, fallback);
    return schema.parse(await readBody(response));
  } catch (error) {
    // Whoever cancelled knows; it is no failure of the call.
    if (signal?.aborted) throw error;
    throw toAppError(error, fallback);
  }
}

/**
 * GET of a path of this site.
 * @throws AppError what the server said, else `fallback`
 */
export function getJson<S extends z.ZodType>(path: string, schema: S, options: CallOptions = {}): Promise<z.output<S>> {
  return call(path, { headers: { Accept: 'application/json' } }, schema, options);
}

/**
 * A writing call with a JSON body. `body` undefined still says JSON, as cookie writes must (DESIGN §5).
 * @throws AppError what the server said, else `fallback`
 */
export function sendJson<S extends z.ZodType>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: unknown,
  schema: S,
  options: CallOptions = {},
): Promise<z.output<S>> {
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
  return call(path, { method, headers, body: JSON.stringify(body ?? {}) }, schema, options);
}

/**
 * A remote procedure (§7).
 * @throws AppError what the server said, else `fallback`
 */
export function rpc<P extends Procedure>(
  name: P,
  input: ProcedureInputs[P],
  options: CallOptions = {},
): Promise<ProcedureOutput<P>> {
  const schema: z.ZodType = PROCEDURES[name];
  return sendJson('POST', `${PATHS.rpc}/${name}`, input, schema, options) as Promise<ProcedureOutput<P>>;
}
