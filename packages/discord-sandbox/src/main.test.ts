import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const enders: (() => void)[] = [];
afterEach(() => {
  for (const end of enders.splice(0)) end();
});

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH ?? '', ...env } });
  enders.push(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const exited = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { child, exited, output };
}

async function runUntilReady(env: Record<string, string> = {}) {
  const running = run({ SANDBOX_PORT: '0', ...env });
  await once(running.child.stdout, 'data');
  return { ...running, port: Number(/:(\d+)\n$/.exec(running.output.stdout)?.[1]) };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'it says one line, answers under both names, and ends well on %s',
  async (signal) => {
    const { child, exited, port } = await runUntilReady();
    for (const host of ['localhost', '127.0.0.1']) {
      const response = await fetch(`http://${host}:${port}/api/v10/users/@me`);
      expect(response.status).toBe(401);
    }
    child.kill(signal);
    expect(await exited).toEqual({ code: 0, stdout: `Sandbox Discord on http://localhost:${port}\n`, stderr: '' });
  },
);

test('a browser’s spare connection does not hold up its end', async () => {
  const { child, exited, port } = await runUntilReady();
  const spare = connect(port, '127.0.0.1');
  await once(spare, 'connect');
  child.kill('SIGTERM');
  expect((await exited).code).toBe(0);
  spare.destroy();
});

test('a bad setting is one clear line and exit 1', async () => {
  expect(await run({ SANDBOX_PORT: 'http' }).exited).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Sandbox Discord: SANDBOX_PORT must be a port number from 0 to 65535.\n',
  });
});

test('a port that is taken is one clear line and exit 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  enders.push(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await run({ SANDBOX_PORT: String(port) }).exited).toEqual({
    code: 1,
    stdout: '',
    stderr: `Sandbox Discord: port ${port} is taken. Set SANDBOX_PORT to a free one.\n`,
  });
});

test('what passes through it is never logged', async () => {
  const { child, exited, port } = await runUntilReady({ SANDBOX_CLIENT_SECRET: 'canary-secret' });
  const origin = `http://127.0.0.1:${port}`;
  const redirect = encodeURIComponent('http://127.0.0.1:3000/auth/v1/callback');
  const query = `client_id=100000000000000001&redirect_uri=${redirect}&response_type=code&scope=identify&state=canary-state`;
  const answer = await fetch(`${origin}/oauth2/authorize?${query}&persona=mika`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  const body = new URLSearchParams({
    client_secret: 'canary-secret',
    grant_type: 'authorization_code',
    code: 'canary-code',
  });
  expect((await fetch(`${origin}/api/v10/oauth2/token`, { method: 'POST', body })).status).toBe(401);
  await fetch(`${origin}/api/v10/oauth2/token`, {
    method: 'POST',
    body: '{canary',
    headers: { 'content-type': 'application/json' },
  });
  child.kill('SIGTERM');
  const { stdout, stderr } = await exited;
  expect(stdout + stderr).toBe(`Sandbox Discord on http://localhost:${port}\n`);
});
