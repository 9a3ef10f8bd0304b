import { personas } from '@satchel/discord-sandbox/personas/personas';
import { describe, expect, test } from 'vitest';
import { parseConfig, understandSettings } from './config.ts';

const DISCORD = {
  DISCORD_CLIENT_ID: '100000000000000001',
  DISCORD_CLIENT_SECRET: 'sesame',
  DISCORD_PUBLIC_KEY: 'ab'.repeat(32),
};
const parse = (env: Record<string, string> = {}) => parseConfig({ ...DISCORD, ...env });

test('without settings the defaults of docs/settings.md hold', () => {
  expect(parse({ DATA_DIR: '/srv/data' })).toEqual({
    role: 'all',
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://127.0.0.1:3000',
    usercontentUrl: null,
    dataDir: '/srv/data',
    keysDir: '/srv/data/keys',
    databaseUrl: null,
    databaseLockUrl: null,
    blobsUrl: null,
    blobsDirect: false,
    blobsAccess: {},
    sessionSecret: null,
    keySealingSecret: null,
    keyServiceUrl: null,
    keyServiceSecret: null,
    trustProxy: [],
    connectionsPerNetwork: null,
    drainSeconds: 0,
    tiers: { free: { storage_bytes: 1_073_741_824, max_file_bytes: 104_857_600, folder_lifetime_hours: 24 } },
    caps: { open_folders: 200, folder_files: 2000, open_uploads: 100 },
    operatorDiscordIds: [],
    admission: { guildIds: [], discordIds: [] },
    siteStorageBytes: null,
    operatorName: null,
    links: { source: null, docs: null, privacy: null, terms: null, contact: null, status: null },
    discord: {
      clientId: '100000000000000001',
      clientSecret: 'sesame',
      apiUrl: 'https://discord.com/api/v10',
      publicKey: 'ab'.repeat(32),
      botToken: null,
    },
    logLevel: 'info',
    diskKeptFreeBytes: 256 * 1024 ** 2,
    metricsToken: null,
  });
});

test('who runs the site is a name of one short line', () => {
  expect(parse({ OPERATOR_NAME: ' Harbour Club ' }).operatorName).toBe('Harbour Club');
  expect(() => parse({ OPERATOR_NAME: 'x'.repeat(61) })).toThrow('OPERATOR_NAME');
});

test('the links at the foot of each page are pages of the web, the contact may be an e-mail address', () => {
  const given = {
    SOURCE_URL: 'https://git.example.org/satchel',
    DOCS_URL: 'https://example.org/docs',
    PRIVACY_URL: 'https://example.org/privacy',
    TERMS_URL: 'https://example.org/terms',
    CONTACT_URL: 'mailto:help@example.org',
    STATUS_URL: 'http://status.example.org',
  };
  expect(parse(given).links).toEqual({
    source: given.SOURCE_URL,
    docs: given.DOCS_URL,
    privacy: given.PRIVACY_URL,
    terms: given.TERMS_URL,
    contact: given.CONTACT_URL,
    status: given.STATUS_URL,
  });
  for (const name of Object.keys(given)) {
    for (const text of ['example.org/page', '/page', 'javascript:alert(1)', 'data:text/html,x'])
      expect(() => parse({ [name]: text }), `${name} ${text}`).toThrow(name);
    if (name !== 'CONTACT_URL') expect(() => parse({ [name]: given.CONTACT_URL })).toThrow(name);
  }
  expect(() => parse({ CONTACT_URL: 'mailto:' })).toThrow('CONTACT_URL');
});

test('an empty value counts as unset', () => {
  expect(parse({ PORT: '', LOG_LEVEL: '' })).toMatchObject({ port: 3000, logLevel: 'info' });
});

test('PUBLIC_URL defaults to the port and loses its slash', () => {
  expect(parse({ PORT: '8080' }).publicUrl).toBe('http://127.0.0.1:8080');
  expect(parse({ PUBLIC_URL: 'https://files.example.org/' }).publicUrl).toBe('https://files.example.org');
  expect(parse({ PUBLIC_URL: 'http://[::1]:3000' }).publicUrl).toBe('http://[::1]:3000');
});

test.each([
  ['1048576', 1_048_576],
  ['100MiB', 104_857_600],
  ['10 GiB', 10_737_418_240],
])('a size of %s is %i bytes', (text, bytes) => {
  expect(parse({ MAX_FILE_BYTES: text }).tiers.free.max_file_bytes).toBe(bytes);
});

test('TIERS adds tiers as JSON; the other settings make the free tier', () => {
  const { tiers } = parse({
    TIERS: '{"plus":{"storage":"10GiB","file":"2GiB","hours":72}}',
    FREE_STORAGE_BYTES: '1MiB',
  });
  expect(tiers.plus).toEqual({
    storage_bytes: 10 * 1024 ** 3,
    max_file_bytes: 2 * 1024 ** 3,
    folder_lifetime_hours: 72,
  });
  expect(tiers.free.storage_bytes).toBe(1024 ** 2);
});

test.each([
  '{',
  '[]',
  '{"plus":{"storage":"1GiB"}}',
  '{"Plus Ultra":{"storage":"1GiB","file":"1MiB","hours":1}}',
  '{"free":{"storage":"1GiB","file":"1MiB","hours":1}}',
])('tiers of %s are refused', (text) => {
  expect(() => parse({ TIERS: text })).toThrow('TIERS');
});

test('operators are a list of Discord ids', () => {
  expect(parse({ OPERATOR_DISCORD_IDS: '123, 456' }).operatorDiscordIds).toEqual(['123', '456']);
  expect(() => parse({ OPERATOR_DISCORD_IDS: 'mika' })).toThrow('OPERATOR_DISCORD_IDS');
});

test.each([
  ['OPERATOR_DISCORD_IDS', personas.map(({ user }) => user.id)],
  ['ALLOWED_DISCORD_IDS', personas.map(({ user }) => user.id)],
  ['ALLOWED_GUILD_IDS', ['9131000000000000001', '9132000000000000001']],
])('ids of the sandbox in %s stop a server of the real Discord', (name, ids) => {
  for (const id of ids) {
    const given = { [name]: `80351110224678912,${id}` };
    expect(() => parse(given)).toThrow(`${name}: ${id} is no id that Discord has given`);
    expect(() => parse({ ...given, DISCORD_API_URL: 'http://localhost:3001/api/v10' })).not.toThrow();
    // Commands, which sign nobody in, don't know whether the sandbox runs.
    expect(() => parseConfig(given, { isCommand: true })).not.toThrow();
  }
});

describe('what was understood', () => {
  const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2';
  const understood = (env: Record<string, string>) =>
    new Map(understandSettings(env).map(({ name, value, is_default }) => [name, [value, is_default]]));

  test('has a line for each setting: the value in full, and whether it is the default', () => {
    const settings = understood({
      ...DISCORD,
      PUBLIC_URL: 'https://files.example.org/',
      MAX_FILE_BYTES: '2 GiB',
      TRUST_PROXY: '127.0.0.1, 10.0.0.0/8',
      TIERS: '{"large":{"storage":"1TiB","file":"1GiB","hours":24}}',
      SITE_STORAGE_BYTES: '',
    });
    expect(settings.get('PUBLIC_URL')).toEqual(['https://files.example.org', false]);
    expect(settings.get('MAX_FILE_BYTES')).toEqual([String(2 * 1024 ** 3), false]);
    expect(settings.get('TRUST_PROXY')).toEqual(['127.0.0.1,10.0.0.0/8', false]);
    expect(settings.get('TIERS')?.[0]).toContain('"large"');
    expect(settings.get('PORT')).toEqual(['3000', true]);
    expect(settings.get('OPERATOR_DISCORD_IDS')).toEqual(['none', true]);
    expect(settings.get('SITE_STORAGE_BYTES')).toEqual([null, false]);
    expect(settings.get('KEYS_DIR')?.[1]).toBe(true);
  });

  test('never has a secret, however it was given', () => {
    const env = {
      ...DISCORD,
      DATABASE_URL: `postgresql://satchel:${SECRET}@db.example.org/satchel`,
      DISCORD_CLIENT_SECRET: SECRET,
      DISCORD_BOT_TOKEN: SECRET,
      SESSION_SECRET: SECRET,
      METRICS_TOKEN: SECRET,
      BLOBS_URL: 's3://bucket',
      BLOBS_ACCESS_KEY_ID: 'id',
      BLOBS_SECRET_ACCESS_KEY: SECRET,
      DISCORD_API_URL: `https://user:${SECRET}@discord.example.org/api/v10`,
      DOCS_URL: `https://user:${SECRET}@docs.example.org/`,
    };
    const settings = understood(env);
    expect(JSON.stringify([...settings])).not.toContain('hunter2');
    for (const name of ['DATABASE_URL', 'SESSION_SECRET', 'BLOBS_SECRET_ACCESS_KEY', 'DISCORD_BOT_TOKEN']) {
      expect(settings.get(name)).toEqual(['set', false]);
    }
    expect(settings.get('KEY_SEALING_SECRET')).toEqual([null, false]);
    expect(settings.get('DISCORD_API_URL')?.[0]).toBe('https://…@discord.example.org/api/v10');
  });

  test('a server without Discord’s settings, as beside the sandbox, is understood, too; a wrong setting is refused', () => {
    expect(understood({}).get('DISCORD_CLIENT_SECRET')).toEqual([null, false]);
    expect(() => understood({ ...DISCORD, PORT: 'x' })).toThrow('PORT');
    expect(() => understood({ DISCORD_CLIENT_ID: '1' })).toThrow('DISCORD_CLIENT_SECRET');
  });
});

test('proxies are a list of addresses and ranges', () => {
  expect(parse({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,fd00::/8' }).trustProxy).toEqual([
    '127.0.0.1',
    '10.0.0.0/8',
    'fd00::/8',
  ]);
});

test.each([
  ['PORT', '0'],
  ['PORT', '65536'],
  ['PORT', '3000x'],
  ['PUBLIC_URL', 'files.example.org'],
  ['PUBLIC_URL', 'ftp://files.example.org'],
  ['PUBLIC_URL', 'https://files.example.org/app'],
  ['PUBLIC_URL', 'https://me@files.example.org'],
  ['PUBLIC_URL', 'http://files.example.org'],
  ['PUBLIC_URL', 'http://127.0.0.1.example.org'],
  ['PUBLIC_URL', 'http://localhost.example.org'],
  ['DATABASE_URL', 'mysql://localhost/satchel'],
  ['SESSION_SECRET', 'short'],
  ['KEY_SEALING_SECRET', 'short'],
  ['CONNECTIONS_PER_NETWORK', '4'],
  ['CONNECTIONS_PER_NETWORK', 'many'],
  ['TRUST_PROXY', 'loopback'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.0/8/8'],
  ['MAX_FILE_BYTES', '100MB'],
  ['MAX_FILE_BYTES', '0'],
  ['MAX_FILE_BYTES', '-1'],
  ['FREE_STORAGE_BYTES', '9007199254740993'],
  ['MAX_OPEN_FOLDERS', '0'],
  ['MAX_OPEN_FOLDERS', '1001'],
  ['MAX_FOLDER_FILES', '2,000'],
  ['MAX_OPEN_UPLOADS', '-1'],
  ['FOLDER_LIFETIME_HOURS', '0'],
  ['FOLDER_LIFETIME_HOURS', 'a day'],
  ['DISCORD_API_URL', 'http://discord.example.org/api'],
  ['LOG_LEVEL', 'verbose'],
  ['SATCHEL_ROLE', 'sweeper'],
  ['KEY_SERVICE_URL', 'keys.example.org'],
  ['KEY_SERVICE_URL', 'http://keys.example.org'],
  ['KEY_SERVICE_URL', 'http://10.0.0.7:3000'],
  ['KEY_SERVICE_URL', 'https://keys.example.org/bot'],
  ['KEY_SERVICE_SECRET', 'short'],
  ['BLOBS_URL', 'gs://bucket'],
  ['BLOBS_URL', 'file://another-machine/blobs'],
  ['BLOBS_DIRECT', 'yes'],
  ['DRAIN_SECONDS', '-1'],
  ['USERCONTENT_URL', 'http://usercontent.example.net'],
  ['USERCONTENT_URL', 'https://usercontent.example.net/files'],
])('%s=%s is refused in one line that names it', (name, value) => {
  expect(() => parse({ [name]: value })).toThrow(new RegExp(`^${name}: [^\n]+$`));
});

test('plain http to other machines is refused with the reason', () => {
  expect(() => parse({ PUBLIC_URL: 'http://files.example.org' })).toThrow('WebCrypto');
});

test.each(['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET', 'DISCORD_PUBLIC_KEY'])('without %s nothing starts', (name) => {
  expect(() => parse({ [name]: '' })).toThrow(`${name}: is missing. `);
});

test('bytes of files come from a host that gets no cookies, or the start is refused', () => {
  const named = { PUBLIC_URL: 'https://files.example.org' };
  expect(parse({ ...named, USERCONTENT_URL: 'https://usercontent.example.net/' }).usercontentUrl).toBe(
    'https://usercontent.example.net',
  );
  expect(() => parse({ ...named, USERCONTENT_URL: 'https://files.example.org:8443' })).toThrow(
    'USERCONTENT_URL: needs another host name',
  );
  expect(() => parse({ USERCONTENT_URL: 'http://127.0.0.1:3001' })).toThrow('USERCONTENT_URL: needs another host name');
});

test('browsers fetch from a store only if it is one that they reach as safely as the site', () => {
  const store = { PUBLIC_URL: 'https://files.example.org', BLOBS_DIRECT: 'on', BLOBS_URL: 's3://bucket' };
  expect(parse(store).blobsDirect).toBe(true);
  expect(parse({ ...store, BLOBS_DIRECT: '' }).blobsDirect).toBe(false);
  for (const blobs of ['', 'file:///srv/blobs']) {
    expect(() => parse({ ...store, BLOBS_URL: blobs })).toThrow('BLOBS_DIRECT: needs BLOBS_URL=s3://…');
  }
  const inside = 's3://bucket?endpoint=http://127.0.0.1:3900';
  expect(() => parse({ ...store, BLOBS_URL: inside })).toThrow('BLOBS_DIRECT: needs an endpoint');
  expect(parse({ BLOBS_DIRECT: 'on', BLOBS_URL: inside }).blobsDirect).toBe(true);
});

const TOGETHER = {
  DATABASE_URL: 'postgresql://satchel@127.0.0.1/satchel',
  KEY_SERVICE_SECRET: 'known to the key service and to its nodes',
  PUBLIC_URL: 'https://files.example.org',
};
const NODE = { ...TOGETHER, KEY_SERVICE_URL: 'https://keys.example.org/' };
const KEY_SERVICE = { ...TOGETHER, SATCHEL_ROLE: 'keys' };

test('a key service needs no Discord settings, and its nodes need its address', () => {
  expect(parseConfig(KEY_SERVICE)).toMatchObject({ role: 'keys', keyServiceUrl: null });
  expect(parse(NODE)).toMatchObject({ role: 'all', keyServiceUrl: 'https://keys.example.org' });
  expect(parse({ ...NODE, KEY_SERVICE_URL: 'http://127.0.0.1:3002' }).keyServiceUrl).toBe('http://127.0.0.1:3002');
});

test.each([
  ['DATABASE_URL', 'is missing', { ...KEY_SERVICE, DATABASE_URL: '' }],
  ['KEY_SERVICE_SECRET', 'is missing', { ...KEY_SERVICE, KEY_SERVICE_SECRET: '' }],
  ['PUBLIC_URL', 'is missing', { ...KEY_SERVICE, PUBLIC_URL: '' }],
  ['KEY_SERVICE_URL', 'this is the key service', { ...KEY_SERVICE, KEY_SERVICE_URL: 'https://keys.example.org' }],
  ['DATABASE_URL', 'is missing', { ...NODE, DATABASE_URL: '' }],
  ['KEY_SERVICE_SECRET', 'is missing', { ...NODE, KEY_SERVICE_SECRET: '' }],
  ['KEY_SEALING_SECRET', 'belongs to the key service', { ...NODE, KEY_SEALING_SECRET: 'x'.repeat(32) }],
  ['KEYS_DIR', 'belongs to the key service', { ...NODE, KEYS_DIR: '/srv/keys' }],
  ['KEY_SERVICE_SECRET', 'means nothing', { KEY_SERVICE_SECRET: 'x'.repeat(32) }],
])('incomplete key service settings are refused in one line: %s %s', (name, problem, env) => {
  expect(() => parse(env)).toThrow(new RegExp(`^${name}: [^\n]*${problem}[^\n]*$`));
});

test('a refusal never contains a value, which may be a secret', () => {
  expect(() => parse({ SESSION_SECRET: 'hunter2' })).not.toThrow('hunter2');
  expect(() => parse({ DATABASE_URL: 'pg://me:hunter2@localhost' })).not.toThrow('hunter2');
});

test.each(['…', 'https://<your site>', '<secret>', 'change>me'])('a placeholder is no value: %s', (value) => {
  for (const name of ['DISCORD_CLIENT_SECRET', 'PUBLIC_URL', 'DATABASE_URL', 'TIERS'])
    expect(() => parse({ [name]: value })).toThrow(new RegExp(`^${name}: has a placeholder, …, < or >, in its value$`));
});

test.each([
  ['SITE_STORAGE_BYTE', 'SITE_STORAGE_BYTES'],
  ['DISCORD_CLIENTSECRET', 'DISCORD_CLIENT_SECRET'],
  ['DISCORD_CLIENT_SECRET_FIEL', 'DISCORD_CLIENT_SECRET_FILE'],
  ['public_url', 'PUBLIC_URL'],
])('a name that is nearly a setting stops the start: %s', (name, meant) => {
  expect(() => parse({ [name]: 'x' })).toThrow(`${name}: is no setting; ${meant} is meant?`);
});

test('names of other programs are theirs', () => {
  const others = ['HOSTNAME', 'PORTS', 'LOGNAME', 'NODE_ENV', 'DATA', 'XDG_DATA_DIRS', 'npm_config_host'];
  expect(parse(Object.fromEntries(others.map((name) => [name, '<x>'])))).toEqual(parse());
});
