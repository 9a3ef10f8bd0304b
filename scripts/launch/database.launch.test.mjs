import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProcesses, readPid } from '../postgres/leftovers.mjs';
import { freePort, launch, listProcesses } from './testing/launch.mjs';

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
  dataDir = mkdtempSync(join(tmpdir(), 'satchel-database-'));
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
