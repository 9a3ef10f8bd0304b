import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterOf } from '../postgres/cluster.mjs';
import { findProcesses } from '../postgres/leftovers.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { cleanEnv, freePort, launch } from './testing/launch.mjs';

const BLOB = 'ab000000-0000-4000-8000-000000000001';

let dataDir;
let site;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'satchel-command-'));
});

afterEach(async () => {
  await site?.end();
  site = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

async function run(args, env = {}, root = ROOT) {
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'admin', ...args], {
    cwd: root,
    env: { ...cleanEnv, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  const [code] = await once(child, 'close');
  return { code, ...said };
}

function loseBlob() {
  mkdirSync(join(dataDir, 'blobs', 'ab'), { recursive: true });
  writeFileSync(join(dataDir, 'blobs', 'ab', BLOB), 'abc');
}

it('looks at a site that runs and at one that does not, and says by its exit code what it found', async () => {
  site = launch({ PORT: await freePort(), SANDBOX_PORT: await freePort(), DATA_DIR: dataDir });
  await site.isReady();
  const clean = await run(['fsck', '--json']);
  expect(clean).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(clean.out)).toMatchObject({ findings: [], checked: { accounts: 0, files: 0, key_shares: 0 } });

  loseBlob();
  expect(await run(['fsck'])).toEqual({
    code: 1,
    out: `blob_unclaimed blob=${BLOB} stored_bytes=3\n`,
    err: expect.stringContaining('satchel: findings: 1 blob_unclaimed\n'),
  });
  expect(await site.end()).toBe(0);
  expect(await run(['fsck'])).toMatchObject({ code: 1, out: `blob_unclaimed blob=${BLOB} stored_bytes=3\n` });
  expect(findProcesses(clusterOf(dataDir).data)).toEqual([]);
});

it.each([
  ['a database that is not there', { DATABASE_URL: 'postgresql://127.0.0.1:9/none' }, /^satchel: DATABASE_URL: .*\n$/],
  ['no database at all', {}, /^satchel: DATABASE_URL: is missing\. .*\n$/],
  [
    'a folder that is not there',
    { DATA_DIR: '/nowhere/at/all' },
    /^satchel: DATA_DIR: \/nowhere\/at\/all is not there\n$/,
  ],
])('ends with 2 and one line for %s', async (_name, env, line) => {
  expect(await run(['fsck'], env)).toEqual({ code: 2, out: '', err: expect.stringMatching(line) });
});

it('ends with 2 when the packages it needs are not there and can not be had', async () => {
  const copy = join(dataDir, 'copy');
  for (const path of ['scripts', 'package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  const away = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
  expect(await run(['fsck'], { ...away, npm_config_cache: join(dataDir, 'cache') }, copy)).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^satchel: could not install the packages of package-lock\.json/m),
  });
});

it('explains itself', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('fsck') });
  expect(await run(['mend'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no command "mend"') });
});
