import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProcesses, readPid, signal } from '../postgres/leftovers.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { freePort, launch, listProcesses, serverOf } from './testing/launch.mjs';

const pg = createRequire(join(ROOT, 'apps/server/package.json'))('pg');

/** A site that asks Discord itself, so that no sandbox has to start each time. */
const SITE = {
  PUBLIC_URL: 'https://files.example',
  DISCORD_CLIENT_ID: '1',
  DISCORD_CLIENT_SECRET: 'asked by nobody',
  DISCORD_PUBLIC_KEY: '0'.repeat(64),
};

let dataDir;
let port;
let started = [];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'satchel-crash-'));
  port = await freePort();
});

afterEach(async () => {
  for (const launcher of started) await launcher.end();
  started = [];
  await untilNothingIsLeft();
  rmSync(dataDir, { recursive: true, force: true });
});

function start() {
  const launcher = launch({ ...SITE, PORT: port, DATA_DIR: dataDir });
  started.push(launcher);
  return launcher;
}

const cluster = () => join(dataDir, 'postgres', 'data');

/** Ids of all processes that were started for this data directory. */
function listLeft() {
  const isOurs = ({ pid, command }) => {
    if (command.includes(dataDir)) return true;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}`);
    } catch {
      return false;
    }
  };
  const left = listProcesses().filter(isOurs);
  return [...new Set([...left.map(({ pid }) => pid), ...findProcesses(cluster())])];
}

async function untilNothingIsLeft() {
  while (listLeft().length > 0) await sleep(20);
}

async function ask(sql) {
  const client = new pg.Client({ host: join(dataDir, 'postgres'), user: 'satchel', database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const isReady = () =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** What is killed outright. */
const VICTIMS = {
  launcher: (launcher) => [launcher.child.pid],
  server: (launcher) => [serverOf(launcher)],
  postmaster: () => [readPid(cluster())],
  'launcher and postmaster': (launcher) => [launcher.child.pid, readPid(cluster())],
  'server and postmaster': (launcher) => [readPid(cluster()), serverOf(launcher)],
  everything: () => shuffled(listLeft()),
};

function shuffled(list) {
  return list
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

describe('npm start after a kill -9', () => {
  it('starts again with what was committed, whichever process was killed, and leaves none behind', async () => {
    const order = shuffled(Object.keys(VICTIMS));
    for (const [round, victims] of order.entries()) {
      const launcher = start();
      await launcher.isReady();
      await ask('create table if not exists kept (round int)');
      expect(await ask('select count(*)::int as count from kept'), order.join()).toEqual([{ count: round }]);
      await ask(`insert into kept values (${round})`);
      const postmaster = readPid(cluster());
      const server = serverOf(launcher);
      for (const pid of VICTIMS[victims](launcher)) signal(pid, 'SIGKILL');
      if (victims.startsWith('server')) {
        while (!launcher.out.includes('starting it again') || !(await isReady())) await sleep(20);
        expect(launcher.out).toContain('satchel: the server ended (SIGKILL); starting it again.');
        expect(serverOf(launcher)).not.toBe(server);
        if (victims === 'server') expect(readPid(cluster())).toBe(postmaster);
        expect(await launcher.end()).toBe(0);
      }
      if (victims === 'postmaster') {
        while (readPid(cluster()) === postmaster || !(await isReady())) await sleep(20);
        expect(launcher.out).toContain('satchel: PostgreSQL ended (signal 9); starting it again.');
        expect(await launcher.end()).toBe(0);
      }
      await launcher.exited;
    }
  });

  it('leaves no process behind when the launcher alone is killed, and the database is shut down in order', async () => {
    const launcher = start();
    await launcher.isReady();
    launcher.child.kill('SIGKILL');
    await untilNothingIsLeft();
    expect(logText()).toMatch(/database system is shut down\n$/);
  });
});

describe('npm start and its database', () => {
  it('stops the database last, in order, and waits for one that is about to end', async () => {
    const first = start();
    await first.isReady();
    first.child.kill('SIGINT');
    const second = start();
    expect(await first.exited).toBe(0);
    await second.isReady();
    expect(await second.end()).toBe(0);
    expect(second.err).toBe('');
    expect(logText()).toMatch(/database system is shut down\n$/);
  });

  it('ends and says so when the database can not start again', async () => {
    const launcher = start();
    await launcher.isReady();
    rmSync(join(cluster(), 'global', 'pg_control'));
    process.kill(readPid(cluster()), 'SIGKILL');
    expect(await launcher.exited).toBe(1);
    expect(launcher.err).toMatch(/^satchel: PostgreSQL did not start in .* has the reason; stopping\.$/m);
  });
});

const logText = () => readFileSync(join(dataDir, 'postgres', 'postgres.log'), 'utf8');
