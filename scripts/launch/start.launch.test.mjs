import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, freePort, launch, listProcesses, serverOf, untilSilent } from './testing/launch.mjs';

let dataDir;
let ports;
let started = [];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'satchel-launch-'));
  ports = { PORT: await freePort(), SANDBOX_PORT: await freePort() };
});

afterEach(async () => {
  for (const launcher of started) await launcher.end();
  started = [];
  rmSync(dataDir, { recursive: true, force: true });
});

function start(env = {}) {
  const launcher = launch({ ...ports, DATA_DIR: dataDir, ...env });
  started.push(launcher);
  return launcher;
}

/** What may belong to a start, by its command line: the first pattern that matches. */
const ROLES = [
  ['server', /apps\/server\/dist\/main\.js/],
  ['sandbox', /packages\/discord-sandbox\/src\/main\.ts/],
  ['launcher', /scripts\/launch\.mjs/],
  ['PostgreSQL', /^postgres:|\/postgres\0-D\0/],
];
const roleOf = ({ command }) => ROLES.find(([, pattern]) => pattern.test(command))?.[0] ?? command;

/** The process of a launcher and all below it, without ended ones. */
function treeOf({ child }) {
  const processes = listProcesses().filter(({ command }) => command);
  const tree = processes.filter(({ pid }) => pid === child.pid);
  for (const { pid } of tree) tree.push(...processes.filter(({ parent }) => parent === pid));
  return tree;
}

/** A process's memory in bytes; a page that several share counts for each by its part (PSS). PostgreSQL's come and go. */
function memoryOf({ pid }) {
  try {
    const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}

describe('npm start', () => {
  it('serves the page and the sandbox, and drains to exit code 0 on SIGTERM', async () => {
    const launcher = start();
    await launcher.isReady();
    expect(launcher.out).toContain(`satchel: ready at http://127.0.0.1:${ports.PORT}`);
    const page = await fetch(`http://127.0.0.1:${ports.PORT}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const [chatUrl] = /http:\/\/localhost:\d+\/chat\?as=mika&as=jonas$/m.exec(launcher.out);
    expect(new URL(chatUrl).port).toBe(ports.SANDBOX_PORT);
    expect((await fetch(chatUrl)).status).toBe(200);
    expect(launcher.err).toBe('');
    const processes = treeOf(launcher);
    expect(new Set(processes.map(roleOf))).toEqual(new Set(['launcher', 'server', 'sandbox', 'PostgreSQL']));
    expect(processes.reduce((bytes, each) => bytes + memoryOf(each), 0)).toBeLessThan(350 * 1024 * 1024);
    expect(await launcher.end()).toBe(0);
    expect(await answers(ports.PORT)).toBe(false);
    expect(await answers(ports.SANDBOX_PORT)).toBe(false);
  });

  it('refuses a second start on the same data, restarts a killed server beside its sandbox, and starts after an end', async () => {
    const first = start();
    await first.isReady();
    const second = start({ PORT: await freePort(), SANDBOX_PORT: await freePort() });
    expect(await second.exited).toBe(1);
    expect(second.err).toMatch(/^satchel: another Satchel \(process \d+\) is using .*\n$/);
    expect(await answers(ports.PORT)).toBe(true);

    process.kill(serverOf(first), 'SIGKILL');
    while (!first.out.includes('satchel: the server ended (SIGKILL); starting it again.')) await sleep(20);
    while (!(await answers(ports.PORT))) await sleep(20);
    expect(await answers(ports.SANDBOX_PORT)).toBe(true);
    expect(await first.end()).toBe(0);
    expect(first.err).toBe('');
    expect(await answers(ports.SANDBOX_PORT)).toBe(false);

    // No server answers at that address, and a site without its bot is better than none.
    const third = start({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` });
    await third.isReady();
    expect(third.out).toMatch(
      /^satchel: the bot's commands could not be registered at the sandbox: Discord refused http.*$/m,
    );
    expect(third.out).not.toContain('/chat');
    expect(await answers(ports.PORT)).toBe(true);
    expect(await third.end()).toBe(0);
  });

  it('leaves neither server nor sandbox behind when it is killed outright', async () => {
    const launcher = start();
    await launcher.isReady();
    launcher.child.kill('SIGKILL');
    await untilSilent(ports.PORT);
    await untilSilent(ports.SANDBOX_PORT);
  });

  // One that the server refuses, one that the launcher itself does, and one without a sandbox; config.test.ts has all others.
  it.each([
    ['PORT', { PORT: 'many' }, /^satchel: PORT: .*\n$/],
    ['SANDBOX_PORT', { SANDBOX_PORT: '0' }, /^satchel: SANDBOX_PORT: .*\n$/],
    ['a missing Discord application', { PUBLIC_URL: 'https://files.example' }, /^satchel: DISCORD_CLIENT_ID: .*\n$/],
  ])('says in one line what is wrong with %s, and starts nothing', async (_name, env, line) => {
    // Settings are read before the database is asked.
    const launcher = start({ DATABASE_URL: 'postgresql://127.0.0.1:9/none', ...env });
    expect(await launcher.exited).toBe(1);
    expect(launcher.err).toMatch(line);
    expect(await answers(ports.SANDBOX_PORT)).toBe(false);
  });

  it('does not take the answer of another server on its port for its own', async () => {
    const other = createHttpServer((_request, response) => response.end('ok')).listen(ports.PORT, '127.0.0.1');
    await once(other, 'listening');
    const launcher = start();
    expect(await launcher.exited).toBe(1);
    expect(launcher.err).toMatch(/^satchel: PORT: .*\n$/);
    expect(launcher.out).not.toContain('ready');
    other.closeAllConnections();
    other.close();
  });

  it('stops the server when the sandbox can not have its port', async () => {
    const other = createServer().listen(ports.SANDBOX_PORT, 'localhost');
    await once(other, 'listening');
    const launcher = start();
    expect(await launcher.exited).toBe(1);
    expect(launcher.err).toContain('satchel: the sandbox ended');
    expect(await answers(ports.PORT)).toBe(false);
    other.close();
  });
});
