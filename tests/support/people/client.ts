import type { CreateFolderInput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { ASKS_AGAIN, ask, patiently } from './lost-answers.ts';

/** A person as an HTTP client: signs in through the sandbox like a browser, and keeps the cookies. */

export interface Person {
  readonly id: string;
  readonly token: string;
  /** A JSON call with the session cookie and this site's Origin; `headers` override the defaults. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  rpc(name: string, input: unknown): Promise<Response>;
  /** The present Cookie header. */
  cookies(): string;
}

export interface SignInTarget {
  readonly url: string;
}

/** The cookies of one browser. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  take(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals);
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(equals + 1));
    }
  }

  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** The target of a redirect. */
export const locationOf = (response: Response): string => {
  const location = response.headers.get('location');
  if (!location) throw new Error(`expected a redirect, got ${response.status} from ${response.url}`);
  return location;
};

/** Procedures that read, or leave the same behind when they are called twice. */
const REPEATABLE_RPC = /^\/rest\/v1\/rpc\/(get|update|generate|revoke|delete)_/;

/** Whether a call may be made again when its answer was lost. */
const isRepeatable = (method: string, path: string): boolean =>
  method === 'POST' ? path.startsWith(`${PATHS.list}/`) || REPEATABLE_RPC.test(path) : method !== 'PATCH';

/** Signs a persona in and reads the session. */
export const signIn = (site: SignInTarget, persona: string): Promise<Person> =>
  patiently(() => signInOnce(site, persona));

async function signInOnce(site: SignInTarget, persona: string): Promise<Person> {
  const jar = new CookieJar();
  const visit = async (url: string, init: RequestInit = {}, send: typeof ask = fetch) => {
    const headers = { ...(init.headers as Record<string, string>), cookie: jar.header() };
    const response = await send(url, { redirect: 'manual', ...init, headers });
    if (url.startsWith(site.url)) jar.take(response);
    return response;
  };
  const consent = locationOf(await visit(`${site.url}/auth/v1/authorize?provider=discord&redirect_to=/profile`));
  const callback = locationOf(await fetch(`${consent}&persona=${persona}`, { redirect: 'manual' }));
  const landed = locationOf(await visit(callback));
  if (landed.includes('error')) throw new Error(`sign-in failed: ${landed}`);
  const call: Person['call'] = (method, path, body, headers = {}) => {
    const isJson = body !== undefined;
    const init: RequestInit = {
      method,
      headers: { origin: site.url, ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(isJson && { body: JSON.stringify(body) }),
    };
    return visit(`${site.url}${path}`, init, isRepeatable(method, path) ? ask : fetch);
  };
  const { session } = (await (await call('GET', '/auth/v1/session')).json()) as {
    session: { access_token: string; user: { id: string } };
  };
  return {
    id: session.user.id,
    token: session.access_token,
    call,
    cookies: () => jar.header(),
    rpc: (name, input) => call('POST', `/rest/v1/rpc/${name}`, input),
  };
}

export interface CreatedFolder {
  readonly id: string;
  readonly slug: string;
  readonly bucket_storage_path: string;
}

/** @throws with the server's words */
export async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates a folder; one whose answer was lost on the way is deleted, and made again. */
export async function createFolder(person: Person, wish: CreateFolderInput): Promise<CreatedFolder> {
  const create = async () =>
    (await answerOf<{ folder: CreatedFolder }>(await person.rpc('create_folder_with_temp_key', wish))).folder;
  if (!ASKS_AGAIN) return create();
  const ofThisName = async () => {
    const mine = await answerOf<Folder[]>(await person.call('GET', `${PATHS.folders}?owner=me`));
    return mine.filter(({ name }) => name === wish.folder_name).map(({ id }) => id);
  };
  const before = await ofThisName();
  return patiently(async () => {
    const lost = (await ofThisName()).filter((id) => !before.includes(id));
    for (const folder_id of lost) await person.rpc('delete_folder_complete', { folder_id });
    return create();
  });
}

/** Creates a plain folder, so that stored bytes can be compared. */
export const createPlainFolder = (person: Person, name = 'Acceptance'): Promise<CreatedFolder> =>
  createFolder(person, { folder_name: name });
