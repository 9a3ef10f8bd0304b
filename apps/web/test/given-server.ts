import { PATHS } from '@satchel/contract/paths';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import type { WebSettings } from '@satchel/contract/wire/web-settings';

/** Stands in for the server: component tests and the gallery give its answers where the page asks for them, at `fetch`. */

/** What the server answers to one call; a number is a bare status. */
export type Answer = object | number | null | ((request: Asked) => Promise<Response> | Response);
/** By the method and the beginning of the path, such as `GET /rest/v1/folders/`; the longest one counts. */
export type Answers = Readonly<Record<string, Answer>>;

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The bytes that it asks for, such as `bytes=0-99`. */
  readonly range: string | null;
}

/** A server that never answers. */
export const waiting = (): Promise<Response> => new Promise(() => undefined);
/** A server that can't be reached. */
export const unreachable = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'));

export function respond(answer: Answer, request: Asked): Promise<Response> | Response {
  if (typeof answer === 'function') return answer(request);
  if (typeof answer === 'number') return new Response(answer === 204 ? null : '{}', { status: answer });
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
}

/** The settings of a new site. */
export const SETTINGS: WebSettings = {
  max_file_bytes: 100 * 1024 ** 2,
  free_storage_bytes: 1024 ** 3,
  folder_lifetime_hours: 24,
  max_folder_files: 2000,
  admits: 'anyone',
  operator: null,
  add_to_discord_url: 'https://discord.example/add',
  public_url: 'https://satchel.example',
  links: { source: null, docs: null, privacy: null, terms: null, contact: null, status: null },
};

/** Answers without a session, and without news of a folder; the server's clock is the device's. */
const QUIET: Answers = {
  [`GET ${PATHS.session}`]: { session: null },
  [`POST ${CHANGES_PATH}`]: waiting,
  [`GET ${PATHS.settings}`]: SETTINGS,
  [`GET ${PATHS.serverTime}`]: () => Response.json({ server_time: new Date().toISOString() }),
};

/**
 * @param given answers of the server; a call that has none throws
 * @param onAsked hears of each call
 * @returns a `fetch`
 */
export function givenServer(given: Answers, onAsked: (request: Asked) => void = () => undefined) {
  const answers = { ...QUIET, ...given };
  return async (url: string | URL, { method = 'GET', body, headers }: RequestInit = {}): Promise<Response> => {
    const request = {
      method,
      path: String(url).replace(location.origin, ''),
      body: typeof body === 'string' ? JSON.parse(body) : body,
      range: new Headers(headers).get('range'),
    };
    onAsked(request);
    const call = `${method} ${request.path}`;
    const [known] = Object.keys(answers)
      .filter((beginning) => call.startsWith(beginning))
      .sort((a, b) => b.length - a.length);
    if (known === undefined) throw new Error(`this test has no answer to ${call}`);
    return respond(answers[known]!, request);
  };
}
