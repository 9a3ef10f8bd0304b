import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';

const defaults = {
  port: 3001,
  host: '127.0.0.1',
  clientId: '100000000000000001',
  clientSecret: 'sandbox-secret',
  redirectUris: ['http://127.0.0.1:3000/auth/v1/callback'],
  privateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
  botToken: 'sandbox-bot-token',
};

test('nothing set means a sandbox for the defaults of Satchel', () => {
  expect(readSettings({})).toEqual(defaults);
  expect(readSettings({ SANDBOX_PORT: '', SANDBOX_CLIENT_SECRET: '', PATH: '/bin' })).toEqual(defaults);
});

test('every setting is read', () => {
  const settings = readSettings({
    SANDBOX_PORT: '4001',
    SANDBOX_HOST: '0.0.0.0',
    SANDBOX_CLIENT_ID: '123456789012345678',
    SANDBOX_CLIENT_SECRET: 'other',
    SANDBOX_REDIRECT_URIS: 'http://127.0.0.1:3000/a, https://satchel.example/b?c=d',
    SANDBOX_PRIVATE_KEY: 'ab'.repeat(32),
    SANDBOX_BOT_TOKEN: 'a token',
  });
  expect(settings).toEqual({
    port: 4001,
    host: '0.0.0.0',
    clientId: '123456789012345678',
    clientSecret: 'other',
    redirectUris: ['http://127.0.0.1:3000/a', 'https://satchel.example/b?c=d'],
    privateKey: 'ab'.repeat(32),
    botToken: 'a token',
  });
});

test.each([
  ['SANDBOX_PORT', 'http'],
  ['SANDBOX_PORT', '65536'],
  ['SANDBOX_PORT', '-1'],
  ['SANDBOX_HOST', 'http://localhost'],
  ['SANDBOX_CLIENT_ID', 'satchel'],
  ['SANDBOX_PRIVATE_KEY', 'AB'],
  ['SANDBOX_REDIRECT_URIS', 'localhost:3000/callback'],
  ['SANDBOX_REDIRECT_URIS', 'http://127.0.0.1:3000/a,'],
  ['SANDBOX_REDIRECT_URIS', 'http://127.0.0.1:3000/a#b'],
])('%s=%s is refused in one line that names it', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must be [^\\n]+$`));
});
