import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../runtime/mutex.mjs';
import { say } from '../runtime/paths.mjs';
import { createEndCounter, RESTARTS_MAX } from '../runtime/restart-limit.mjs';
import { StartError } from '../runtime/start-error.mjs';
import { chooseAddress } from './address.mjs';
import { ensurePostgres } from './binaries.mjs';
import { claimCluster } from './claim.mjs';
import { clusterOf, initialize, makeHome, refuseOtherMajor, turnLog } from './cluster.mjs';
import { clearLeftovers, endProcesses, isReady } from './leftovers.mjs';
import { settingsFor } from './settings.mjs';
import { chooseUser, giveTo } from './unprivileged.mjs';
import { startWatched } from './watched-child.mjs';

/** Connections for one server's pool, and for the earlier server's, while they end. */
const MAX_CONNECTIONS = 30;
const POLL_MS = 25;
const STOP_MS = 15_000;

/**
 * Runs a PostgreSQL in a data directory for as long as this process lives, and starts it again when it ends.
 *
 * @param {object} options
 * @param {string} options.dataDir made when missing; the cluster lies in its folder `postgres`
 * @param {boolean} [options.isDurable] false where nothing outlives the run: tests
 * @param {number} [options.maxConnections]
 * @param {boolean} [options.isTcp] a loopback port with a password, where there are no sockets
 * @returns {Promise<{ url: string, exited: Promise<string>, isReady: () => Promise<void>, expectStop: () => void,
 *   stop: () => Promise<void> }>} `isReady` waits while it starts again; `exited` says why it can't continue; a stop that was asked for is no such end. The address stays the same when PostgreSQL starts
 *   again, which it doesn't after `expectStop`: its clients are ending.
 * @throws StartError in one line for people
 */
export async function startEmbeddedPostgres(options) {
  const { isDurable = true, maxConnections = MAX_CONNECTIONS, isTcp = process.platform === 'win32' } = options;
  const dataDir = resolve(options.dataDir);
  const cluster = clusterOf(dataDir);
  const programs = await ensurePostgres();
  refuseOtherMajor(cluster, programs.major);
  makeHome(cluster, dataDir);
  const user = chooseUser({ postgres: programs.postgres, dataDir });
  const address = await chooseAddress(cluster, { isTcp, owner: user.owner });
  const claim = await withLock(cluster.home, 'claim', () => claimCluster(address.claim, dataDir));
  try {
    await initialize(cluster, { programs, user, isTcp, isDurable });
    giveTo(user.owner, cluster.home);
    const settings = settingsFor({ isDurable, maxConnections, major: programs.major });
    const command = [...user.prefix, programs.postgres, '-D', cluster.data, ...address.args, ...settings];
    return await supervise({ cluster, address, programs, command, claim });
  } catch (error) {
    claim.release();
    address.release();
    throw error;
  }
}

async function supervise({ cluster, address, programs, command, claim }) {
  let isStopping = false;
  let child = await run({ cluster, address, command });
  let starting;
  const giveUp = Promise.withResolvers();

  async function watch() {
    const countEnd = createEndCounter();
    for (;;) {
      const { code } = await child.exited;
      if (isStopping) return;
      const ends = countEnd();
      if (ends > RESTARTS_MAX) throw new StartError(`PostgreSQL ended ${ends} times in a minute`);
      say(`PostgreSQL ended (${describeEnd(code)}); starting it again.`);
      starting = run({ cluster, address, command });
      child = await starting;
      if (isStopping) return;
    }
  }

  watch().catch((error) => !isStopping && giveUp.resolve(error.message));

  function expectStop() {
    isStopping = true;
    claim.announceEnd();
  }

  async function stop() {
    expectStop();
    await starting?.catch(() => {});
    if (process.platform === 'win32') spawnSync(programs.pgCtl, ['stop', '-D', cluster.data, '-m', 'fast']);
    child.end();
    const late = new AbortController();
    const insist = sleep(STOP_MS, undefined, { signal: late.signal }).then(
      () => endProcesses(cluster.data),
      () => {},
    );
    await child.exited;
    late.abort();
    await insist;
    // Its watcher may have been killed: PostgreSQL itself does not end with the pipe.
    await endProcesses(cluster.data);
    claim.release();
    address.release();
  }

  async function isReady() {
    await starting?.catch(() => {});
  }

  return { url: address.url(), exited: giveUp.promise, isReady, expectStop, stop };
}

const describeEnd = (code) => (code > 128 ? `signal ${code - 128}` : `code ${code}`);

/** @returns the child, once it takes connections */
async function run({ cluster, address, command }) {
  await clearLeftovers({ data: cluster.data, socket: address.socket });
  turnLog(cluster);
  const from = sizeOf(cluster.log);
  const child = startWatched(command, { cwd: cluster.home, log: cluster.log });
  // No timeout, since recovery may take long: a PostgreSQL that can't start ends.
  while (child.isRunning()) {
    if (isReady(cluster.data) && (await address.answers())) return child;
    await sleep(POLL_MS);
  }
  const said = readFileSync(cluster.log).subarray(from).toString();
  throw new StartError(`PostgreSQL did not start in ${cluster.data}; ${cluster.log} has the reason`, said);
}

const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
