import { join } from 'node:path';
import { readState, writeState } from './state-folder.ts';

/** The sites that this person is signed in at; the last one is the default. */

export interface SignIn {
  readonly origin: string;
  /** Of a session of kind `device`. */
  readonly token: string;
  readonly userId: string;
  readonly name: string;
}

const pathIn = (root: string) => join(root, 'sign-ins.json');

export const readSignIns = async (root: string): Promise<readonly SignIn[]> =>
  (await readState<SignIn[]>(pathIn(root))) ?? [];

export async function keepSignIn(root: string, signIn: SignIn): Promise<void> {
  await writeState(pathIn(root), [...(await othersThan(root, signIn.origin)), signIn]);
}

export const forgetSignIn = async (root: string, origin: string): Promise<void> =>
  writeState(pathIn(root), await othersThan(root, origin));

const othersThan = async (root: string, origin: string) =>
  (await readSignIns(root)).filter((known) => known.origin !== origin);

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
