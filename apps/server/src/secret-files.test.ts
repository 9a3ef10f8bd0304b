import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError, parseConfig } from './config.ts';

const SECRET = 'a secret of more than thirty-two characters';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const parse = (env: Record<string, string>) => parseConfig(env, { isCommand: true });

test('a secret comes from the file that NAME_FILE names, without the newline at its end', () => {
  const config = parse({
    SESSION_SECRET_FILE: put('secret', `${SECRET}\n`),
    DATABASE_URL_FILE: put('db', 'postgres://x'),
  });
  expect(config).toMatchObject({ sessionSecret: SECRET, databaseUrl: 'postgres://x' });
});

test('credentials of systemd are read by the names of their settings, and others there are not', () => {
  put('SESSION_SECRET', SECRET);
  put('DISCORD_CLIENT_SECRET', 'sesame');
  put('BLOBS_SECRET_ACCESS_KEY', 'key');
  put('PORT', '4000');
  const config = parse({ CREDENTIALS_DIRECTORY: folder });
  expect(config).toMatchObject({ sessionSecret: SECRET, blobsAccess: { key: 'key' }, port: 3000 });
  expect(config.discord.clientSecret).toBe('sesame');
});

test('what the environment says comes before a credential', () => {
  put('SESSION_SECRET', 'of the credential, with thirty-two characters');
  put('BLOBS_SECRET_ACCESS_KEY', 'of the credential');
  const config = parse({
    CREDENTIALS_DIRECTORY: folder,
    SESSION_SECRET: SECRET,
    BLOBS_SECRET_ACCESS_KEY_FILE: put('key', 'of the file'),
  });
  expect(config).toMatchObject({ sessionSecret: SECRET, blobsAccess: { key: 'of the file' } });
});

test('one line names the setting whose file is missing, empty, too short or one too many, and never its text', () => {
  const problem = (env: Record<string, string>) => {
    try {
      parse(env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
    return 'none';
  };
  expect(problem({ METRICS_TOKEN_FILE: join(folder, 'none') })).toBe("METRICS_TOKEN_FILE: can't be read (ENOENT)");
  expect(problem({ METRICS_TOKEN_FILE: put('empty', '\n') })).toBe('METRICS_TOKEN_FILE: the file is empty');
  expect(problem({ METRICS_TOKEN_FILE: put('short', 'sesame') })).toBe(
    'METRICS_TOKEN: must have at least 32 characters',
  );
  expect(problem({ METRICS_TOKEN_FILE: put('long', SECRET), METRICS_TOKEN: SECRET })).toMatch(
    /^METRICS_TOKEN_FILE: .* both/,
  );
});
