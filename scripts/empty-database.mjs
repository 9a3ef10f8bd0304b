import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

const SERVER = join(ROOT, 'apps/server/dist/main.js');

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/**
 * Lets the built server make its embedded database once. Every site of a test begins with a copy of it: to make one anew
 * takes seconds of a processor, and there are dozens of sites.
 * @param {string} dataDir where the server may keep its data
 * @returns what tests/support/site.ts reads
 */
export async function makeEmptyDatabase(dataDir) {
  const server = spawn(process.execPath, [SERVER], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      DISCORD_CLIENT_ID: '1',
      DISCORD_CLIENT_SECRET: 'nobody signs in here',
      DISCORD_PUBLIC_KEY: '0'.repeat(64),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of server.stdout.iterator({ destroyOnReturn: false })) {
    if (String(text).includes('listening on')) break;
  }
  server.stdout.resume();
  if (server.exitCode !== null) throw new Error('the server did not start, so there is no database to begin with');
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
  return { SATCHEL_EMPTY_DATABASE: join(dataDir, 'db') };
}
