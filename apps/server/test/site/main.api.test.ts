import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { takeDatabase, takeFolder } from '../support/at-end.ts';
import { createServerProcesses } from '../support/server-process.ts';

let dataDir: string;
let databaseUrl: string;
const { start, started } = createServerProcesses(() => ({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }));
beforeEach(async () => {
  dataDir = await takeFolder();
  databaseUrl = await takeDatabase();
});

test('it starts, outlives kill -9, and stops in order: first balancers are sent away', async () => {
  const first = await started();
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  const figures = await (await fetch(`${first.url}/metrics`)).text();
  expect(figures).toContain('process_resident_memory_bytes ');
  expect(figures).toContain('nodejs_eventloop_lag_p99_seconds ');
  expect(figures).toMatch(/^satchel_disk_bytes\{of="free"\} [1-9]/m);
  expect(((await stat(join(dataDir, 'secrets/session-secret'))).mode & 0o777).toString(8)).toBe('600');

  first.child.kill('SIGKILL');
  await first.exited;
  const third = await started({ DRAIN_SECONDS: '300' });
  const statusOf = (path: string) => fetch(third.url + path).then(({ status }) => status);
  expect(await statusOf('/readyz')).toBe(200);

  third.child.kill('SIGTERM');
  await expect.poll(() => statusOf('/readyz')).toBe(503);
  expect(await statusOf('/auth/v1/session')).toBe(200);
  third.child.kill('SIGTERM');
  expect(await third.exited).toBe(0);
  expect(third.output.errors).toBe('');
});

test('asked to stop, it finishes what is under way and takes nothing new', async () => {
  const server = await started();
  const body = JSON.stringify({ input_folder_slug: 'nothing-has-this-slug' });
  const slow = request(`${server.url}/rest/v1/rpc/get_folder_complete_data`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  });
  const answered = once(slow, 'response');
  slow.write(body.slice(0, 5));
  await fetch(`${server.url}/healthz`);
  server.child.kill('SIGINT');
  const answers = () =>
    fetch(`${server.url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(answers).toBe(false);
  slow.end(body.slice(5));
  const [response] = await answered;
  expect(response.statusCode).toBe(404);
  expect(await server.exited).toBe(0);
});

test.each([
  [{ PORT: 'abc' }, 'PORT: must be a whole number from 1 to 65535'],
  [{ DISCORD_CLIENT_ID: '' }, 'DISCORD_CLIENT_ID: is missing. '],
  [{ DATABASE_URL: '' }, 'DATABASE_URL: is missing. It names a PostgreSQL; npm start runs one by itself'],
  [{ BLOBS_URL: 'gs://bucket' }, 'BLOBS_URL: must be the address of a directory that all nodes reach'],
  [{ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x' }, "DATABASE_URL: the database can't be used (ECONNREFUSED)"],
])('%j is one clear line and exit 1', async (env, line) => {
  const server = await start(env);
  expect(await server.exited).toBe(1);
  expect(server.output.errors).toMatch(/^satchel: [^\n]+\n$/);
  expect(server.output.errors).toContain(line);
  expect(server.output.errors).not.toContain('hunter2');
  expect(server.output.text).toBe('');
});

test('a folder with a file in its place is one clear line and exit 2', async () => {
  const server = await start({ KEYS_DIR: import.meta.filename });
  expect(await server.exited).toBe(2);
  expect(server.output.errors).toMatch(
    /^satchel: KEYS_DIR: .*main\.api\.test\.ts can't be made or written \(a file is in its place\)\n$/,
  );
});

test('a used port is one clear line and exit 1', async () => {
  const first = await started();
  const elsewhere = { DATA_DIR: await takeFolder(), DATABASE_URL: await takeDatabase() };
  const second = await start({ ...elsewhere, PORT: new URL(first.url).port });
  expect(await second.exited).toBe(1);
  expect(second.output.errors).toMatch(/^satchel: PORT: can't listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\n$/);
});

/** Mounts a disk of 1 MiB over DATA_DIR, in a namespace of the server's own. */
const mounted = (setUp: string) => [
  'unshare',
  '-m',
  'sh',
  '-c',
  `mount -t tmpfs -o size=1m tmpfs "$DATA_DIR" && ${setUp} && exec "$0" "$@"`,
];
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;

describe.skipIf(!canMount)('a disk that takes nothing', () => {
  test('stops the start with 2 and one line when it is read-only', async () => {
    const refused = await start({}, mounted('mount -o remount,ro "$DATA_DIR"'));
    expect(await refused.exited).toBe(2);
    expect(refused.output.errors).toBe(
      `satchel: DATA_DIR: ${dataDir} can't be made or written (the file system is read-only)\n`,
    );
  });

  test('stops a first start with 2 and one line when it is full', async () => {
    const fill = 'dd if=/dev/zero of="$DATA_DIR/full" bs=4k 2>/dev/null; true';
    const refused = await start({}, mounted(fill));
    expect(await refused.exited).toBe(2);
    expect(refused.output.errors).toMatch(/^satchel: .*can't be (made or )?written \(the disk is full\)\n$/);
  });
});
