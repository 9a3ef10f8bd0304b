import { join } from 'node:path';
import { openKeyring } from './keyring.ts';
import { readState, writeState } from './state-folder.ts';

/** The sites that this person is signed in at; the last one is the default. */

export interface SignIn {
  readonly origin: string;
  /** Of a session of kind `device`. */
  readonly token: string;
  readonly userId: string;
  readonly name: string;
}

/** A sign-in as it is kept: with a token of null, the system's keyring has it. */
type Row = Omit<SignIn, 'token'> & { readonly token: string | null };

const pathIn = (root: string) => join(root, 'sign-ins.json');
const readRows = async (root: string): Promise<readonly Row[]> => (await readState<Row[]>(pathIn(root))) ?? [];
const accountOf = (root: string, origin: string) => `${origin} (${root})`;

/** The site of the last sign-in. */
export const lastOrigin = async (root: string): Promise<string | undefined> => (await readRows(root)).at(-1)?.origin;

/** @returns null where there is none, or its keyring doesn't give it */
export async function readSignIn(root: string, origin: string): Promise<SignIn | null> {
  const row = (await readRows(root)).find((known) => known.origin === origin);
  if (row === undefined) return null;
  const token = row.token ?? openKeyring()?.read(accountOf(root, origin)) ?? null;
  return token === null ? null : { ...row, token };
}

/** Keeps a sign-in in the system's keyring, or else in a file. @returns where its token is */
export async function keepSignIn(root: string, signIn: SignIn): Promise<'keyring' | 'file'> {
  const { origin, token } = signIn;
  const isInKeyring = openKeyring()?.write(accountOf(root, origin), token) ?? false;
  const row: Row = isInKeyring ? { ...signIn, token: null } : signIn;
  await writeState(pathIn(root), [...(await othersThan(root, origin)), row]);
  return isInKeyring ? 'keyring' : 'file';
}

export async function forgetSignIn(root: string, origin: string): Promise<void> {
  openKeyring()?.remove(accountOf(root, origin));
  await writeState(pathIn(root), await othersThan(root, origin));
}

const othersThan = async (root: string, origin: string) =>
  (await readRows(root)).filter((known) => known.origin !== origin);

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/;

/**
 * The origin of a site, as a person types it.
 * @returns null for what names no site, and for one that is neither on this machine nor reached by https
 */
export function originOf(text: string): string | null {
  const isLoopback = LOOPBACK.test(text.replace(/^http:\/\//i, ''));
  const address = /^https?:\/\//i.test(text) ? text : `${isLoopback ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(address)) return null;
  const { origin, protocol, username, password } = new URL(address);
  // Everyone on the way could read a token that goes in clear.
  const isSafe = protocol === 'https:' || isLoopback;
  return isSafe && username === '' && password === '' ? origin : null;
}
