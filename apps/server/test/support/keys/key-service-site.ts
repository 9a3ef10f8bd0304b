import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createKeyServiceApp } from '../app.ts';
import { type Config, parseConfig } from '../config.ts';
import { CLIENT_GATE, createClientGate } from '../domain/client-gate.ts';
import { sweepKeys } from '../domain/key-sweep.ts';
import type { KeyedDeps, KeyServiceDeps } from '../http/deps.ts';
import { createLogger, reportTo } from '../http/log.ts';
import { PATIENCE } from '../http/patience.ts';
import { createKeySealer } from '../platform/key-sealer.ts';
import { createKeyServiceClient } from '../platform/key-service.ts';
import { createKeyShares } from '../platform/key-shares.ts';
import { createTokens } from '../platform/tokens.ts';
import { createTestApp, freePort, type TestApp } from './test-app.ts';
import { openTestDatabase } from './test-database.ts';

/** An application node and its key service: two apps on two ports and two directories, with one database. */

export const NODE_SECRET = 'what the two know each other by, in this test';
/** The apps are handed the database of the test; their settings only have to name one. */
const HANDED_OVER = { DATABASE_URL: 'postgresql://the.one.that.is.handed.over/' };

export interface KeyServiceSite {
  readonly node: TestApp;
  readonly url: string;
  readonly deps: KeyServiceDeps;
  /** The directory of the key service. */
  readonly dataDir: string;
  /** A further node whose keys are with whoever listens at `url`. */
  addNode(url: string, options?: { secret?: string; timeoutMs?: number }): Promise<TestApp>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A sweep on the key service's machine, as if shares were `olderMs` older than they are. */
  sweep(olderMs?: number): Promise<void>;
  close(): Promise<void>;
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

async function makeDeps(config: Config): Promise<KeyServiceDeps> {
  const logger = createLogger('silent');
  return {
    config,
    database: await openTestDatabase(),
    tokens: createTokens(Buffer.from('the session secret of the key service')),
    keyService: null,
    keyShares: createKeyShares({ dir: config.keysDir, report: reportTo(logger, 'secret not overwritten') }),
    keySealer: createKeySealer(Buffer.from('a sealing secret that no node has')),
    logger,
    rateLimits: {},
    patience: PATIENCE,
    gate: createClientGate(CLIENT_GATE),
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
    // The types of the product keep a node from asking for more than these have; a test's app usually has it all.
    deps: { ...keys, database: { ...database, close: async () => undefined } } as unknown as Partial<KeyedDeps>,
  });
}

export async function createKeyServiceSite(): Promise<KeyServiceSite> {
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-key-service-'));
  const [port, nodePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const deps = await makeDeps(configOf(dataDir, port, nodePort));
  const { database, keyShares, config } = deps;
  let service: FastifyInstance;

  async function start(): Promise<void> {
    service = createKeyServiceApp(deps);
    await service.listen({ port, host: '127.0.0.1' });
  }
  await start();
  const node = await startNode(deps, { url, port: nodePort });

  return {
    node,
    url,
    deps,
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
      const sweepDeps = { db: database.db, keyShares: { ...keyShares, walk }, tiers: config.tiers };
      await sweepKeys(sweepDeps, (error) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'The sweep failed');
    },
    async close() {
      await service.close();
      await node.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
