import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets that a file may hold instead of the environment, which a process shows to more readers than a file has. */

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `NAME_FILE` names a file with the setting's value, and systemd's `LoadCredential=NAME:…` puts one of the setting's name into
 * CREDENTIALS_DIRECTORY.
 */
export const WITH_FILE = [
  'DATABASE_URL',
  'DATABASE_LOCK_URL',
  'SESSION_SECRET',
  'KEY_SEALING_SECRET',
  'KEY_SERVICE_SECRET',
  'DISCORD_CLIENT_SECRET',
  'DISCORD_BOT_TOKEN',
  'METRICS_TOKEN',
  'BLOBS_SECRET_ACCESS_KEY',
];

/** Why a secret can't be had: the setting, and what is wrong with it. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/**
 * @param env without empty values
 * @returns the environment with the secrets that its files hold
 * @throws SecretFileError
 */
export function withSecretFiles(env: Environment): Environment {
  const named = WITH_FILE.flatMap((name) => {
    const path = env[`${name}_FILE`];
    if (path === undefined) return [];
    if (env[name] !== undefined) throw new SecretFileError(`${name}_FILE: comes instead of ${name}, and both are set`);
    return [[name, readSecret(`${name}_FILE`, path)]];
  });
  const given = { ...env, ...Object.fromEntries(named) };
  const { CREDENTIALS_DIRECTORY: folder } = env;
  if (folder === undefined) return given;
  const missing = WITH_FILE.filter((name) => given[name] === undefined);
  const credentials = missing.map((name) => [name, readSecret(name, join(folder, name), { isOptional: true })]);
  return { ...given, ...Object.fromEntries(credentials.filter(([, value]) => value !== undefined)) };
}

function readSecret(setting: string, path: string, { isOptional = false } = {}): string | undefined {
  try {
    const value = readFileSync(path, 'utf8').trim();
    if (value !== '') return value;
  } catch (error) {
    const { code = 'no file' } = error as NodeJS.ErrnoException;
    if (isOptional && code === 'ENOENT') return undefined;
    throw new SecretFileError(`${setting}: can't be read (${code})`, { cause: error });
  }
  throw new SecretFileError(`${setting}: the file is empty`);
}
