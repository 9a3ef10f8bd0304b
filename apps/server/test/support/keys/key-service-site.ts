import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { createKeyServiceApp } from '../../../src/app.ts';
import { type Config, parseConfig } from '../../../src/config.ts';
import { CLIENT_GATE, createClientGate } from '../../../src/domain/base/client-gate.ts';
import { sweepKeys } from '../../../src/domain/sweep.ts';
import type { KeyedDeps, KeyServiceDeps } from '../../../src/http/deps.ts';
import { createLogger, reportTo } from '../../../src/http/log.ts';
import { createReadiness } from '../../../src/http/ops/readiness.ts';
import { TIMEOUTS } from '../../../src/http/timeouts.ts';
import { rowsOf } from '../../../src/platform/database/db.ts';
import { createKeySealer } from '../../../src/platform/keys/key-sealer.ts';
import { createKeyServiceClient } from '../../../src/platform/keys/key-service.ts';
import { createKeyShares } from '../../../src/platform/keys/key-shares.ts';
import { createTakenBackJournal } from '../../../src/platform/keys/taken-back-journal.ts';
import { createTokens } from '../../../src/platform/keys/tokens.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { createFreeSpace } from '../../../src/platform/site/free-space.ts';
import { atEnd, openTestDatabase, takeFolder } from '../at-end.ts';
import { freePort } from '../free-port.ts';
import { type Account, createTestApp, type TestApp } from '../test-app.ts';

/** A node and its key service: two apps on two ports and two directories, with one database. */

export const NODE_SECRET = 'what the two know each other by, in this test';
/** The apps get the test's database; their settings only must name one. */
const HANDED_OVER = { DATABASE_URL: 'postgresql://the.one.that.is.handed.over/' };

export interface KeyServiceSite {
  readonly node: TestApp;
  /** A person who is signed in at the node. */
  readonly owner: Account;
  readonly url: string;
  readonly deps: KeyServiceDeps;
  /** Every line of the key service's log so far. */
  readonly log: string[];
  /** The key service's directory. */
  readonly dataDir: string;
  /** Adds a node whose key service listens at `url`. */
  addNode(url: string, options?: { secret?: string; timeoutMs?: number }): Promise<TestApp>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs a sweep on the key service's machine, as if shares were `olderMs` older. */
  sweep(olderMs?: number): Promise<void>;
}

function configOf(dataDir: string, port: number, nodePort: number): Config {
  return parseConfig({
    ...HANDED_OVER,
    SATCHEL_ROLE: 'keys',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${nodePort}`,
    DATA_DIR: dataDir,
    KEY_SERVICE_SECRET: NODE_SECRET,
  });
}

async function makeDeps(config: Config, log: string[]): Promise<KeyServiceDeps> {
  const logger = createLogger('info', { write: (line: string) => log.push(line) });
  return {
    config,
    database: await openTestDatabase(),
    tokens: createTokens(Buffer.from('the session secret of the key service')),
    keyService: null,
    keyShares: createKeyShares({ dir: config.keysDir, report: reportTo(logger, 'secret not overwritten') }),
    keySealer: createKeySealer(Buffer.from('a sealing secret that no node has')),
    journal: createTakenBackJournal(config.keysDir),
    logger,
    metrics: createMetrics(),
    freeSpace: createFreeSpace(config.dataDir, config.diskKeptFreeBytes),
    rateLimits: {},
    timeouts: TIMEOUTS,
    gate: createClientGate(CLIENT_GATE),
    readiness: createReadiness(),
    descriptorLimits: { connections: 5000, transfers: 2500, perNetwork: 4000, transfersPerNetwork: 2000 },
  };
}

interface NodeOptions {
  readonly url: string;
  readonly port: number;
  readonly secret?: string;
  readonly timeoutMs?: number;
}

function startNode({ database }: KeyServiceDeps, options: NodeOptions): Promise<TestApp> {
  const { url, port, secret = NODE_SECRET, timeoutMs } = options;
  const keyService = createKeyServiceClient({ url, secret, ...(timeoutMs && { timeoutMs }) });
  const keys = { keyService, keyShares: keyService.keyShares, keySealer: keyService.keySealer };
  const env = { PORT: String(port), KEY_SERVICE_URL: url, KEY_SERVICE_SECRET: secret, KEY_SEALING_SECRET: '' };
  return createTestApp({
    env: { ...HANDED_OVER, ...env },
    // The product's types keep a node from using more than these; a test's app usually gets everything.
    deps: { ...keys, database } as unknown as Partial<KeyedDeps>,
  });
}

export async function createKeyServiceSite(): Promise<KeyServiceSite> {
  const dataDir = await takeFolder();
  const [port, nodePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const log: string[] = [];
  const deps = await makeDeps(configOf(dataDir, port, nodePort), log);
  const { database, keyShares, journal, config } = deps;
  let service: FastifyInstance;

  async function start(): Promise<void> {
    service = createKeyServiceApp(deps);
    await service.listen({ port, host: '127.0.0.1' });
  }
  await start();
  atEnd(() => service.close());
  const node = await startNode(deps, { url, port: nodePort });

  return {
    node,
    owner: await node.signIn('mika'),
    url,
    deps,
    log,
    dataDir,
    addNode: async (elsewhere, options) => startNode(deps, { url: elsewhere, port: await freePort(), ...options }),
    start,
    stop: () => service.close(),
    async sweep(olderMs = 0) {
      const failures: unknown[] = [];
      async function* walk() {
        for await (const shares of keyShares.walk()) {
          yield shares.map((share) => ({ ...share, ageMs: share.ageMs + olderMs }));
        }
      }
      const sweepDeps = { db: database.db, keyShares: { ...keyShares, walk }, journal, tiers: config.tiers };
      await sweepKeys(sweepDeps, (error) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'The sweep failed');
    },
  };
}

/**
 * Calls of the folder's owner, for tests of a key service.
 * @param here the site
 */
export function createKeyCalls(here: KeyServiceSite) {
  const create = async (link: object) => {
    const { status, body } = await here.node.rpc<CreateFolderOutput>('create_folder_with_temp_key', link, here.owner);
    expect(status).toBe(201);
    return { folder: body.folder, path: `/bot/${body.folder.slug}/${body.temp_key_info!.api_token}` };
  };
  /** The answers of the node and of the key service itself. */
  const ask = async (path: string, cookie = '') => {
    const askAt = async (url: string) => {
      const response = await fetch(url + path, { headers: { cookie } });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const [byNode, byService] = [await askAt(here.node.baseUrl), await askAt(here.url)];
    expect(byNode).toEqual(byService);
    return byNode;
  };
  const prove = async (path: string, proof: string) => {
    const response = await here.node.call('POST', path, { body: { proof } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  };
  const act = (name: string, folder: Folder, input: object = {}) =>
    here.node.rpc<{ error: { code: string } }>(name, { folder_id: folder.id, ...input }, here.owner);
  const sharesOf = async ({ id }: Folder) =>
    (await here.deps.keyShares.list()).filter(({ folder_id }) => folder_id === id);
  const run = async (statement: ReturnType<typeof sql>) => rowsOf(await here.deps.database.db.execute(statement));
  return { create, ask, prove, act, sharesOf, run };
}
