import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bucketEnv, startGateway } from '../../apps/server/test/support/blobs/gateway.ts';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type Program, startBalancer } from './proxies.ts';

/** A process of a site. */
export interface Running {
  readonly pid: number;
  /** Resolves once it answers there. */
  answers(url: string): Promise<void>;
  /** Resolves once it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const healthOf = (port: number): string => `http://127.0.0.1:${port}/healthz`;

/** What serves a site: one server, or several nodes with a key service behind a balancer. */
export interface Servers {
  /** The settings with which a command of the server runs beside it. */
  readonly commandEnv: NodeJS.ProcessEnv;
  /** Resolves once they answer. */
  start(): Promise<void>;
  /** Where the only server, or the first node, listens itself. */
  readonly ownPort: number;
  /** Where each of them listens itself. */
  readonly ownPorts: readonly number[];
  /** The process id of the only server, or of the first node. */
  pid(): number;
  /** The process ids of the only server, or of all nodes. */
  pids(): readonly number[];
  /** The key service's process id; 0 where the only server has the keys. */
  keyServicePid(): number;
  /** Starts the key service again, once it was killed. */
  startKeyService(): Promise<void>;
  kill9(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServersOptions {
  readonly port: number;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Settings that a test asks for: they count on every node. */
  readonly ownEnv: Readonly<Record<string, string>>;
  /** Starts the built server with these settings. */
  readonly run: (env: NodeJS.ProcessEnv) => Running;
}

export interface Cluster {
  readonly nodes: number;
  /** A node is killed so often, one after the other, and started again; 0: none is. */
  readonly killEveryMs: number;
}

const SECRETS = {
  SESSION_SECRET: 'what all nodes of this site sign with',
  KEY_SERVICE_SECRET: 'what the key service knows its nodes by',
};

/** How long a killed node is away. */
const AWAY_MS = 1000;

/** With SITE_BLOBS=s3 blobs lie in a bucket of the site's own, else in a directory that all nodes reach. */
async function blobsEnv(dataDir: string): Promise<Record<string, string>> {
  if (process.env.SITE_BLOBS !== 's3') return { BLOBS_URL: pathToFileURL(join(dataDir, 'blobs')).href };
  // The one that the run has started: a site of the tests starts none for itself.
  const gateway = process.env.TEST_S3_ENDPOINT ? await startGateway() : null;
  if (!gateway) throw new Error('TEST_S3_ENDPOINT is not set: SITE_BLOBS=s3 needs an S3 gateway');
  return bucketEnv(await gateway.bucket());
}

/** Several nodes; the key shares are with the key service, where one server has them, too: searches look there. */
export async function severalNodes(options: ServersOptions, { nodes, killEveryMs }: Cluster): Promise<Servers> {
  const { port, dataDir, env, ownEnv, run } = options;
  const nginx = process.env.NGINX_PATH;
  if (!nginx) throw new Error('NGINX_PATH is not set: several nodes need nginx before them');
  const [keysPort = 0, ...nodePorts] = await Promise.all(Array.from({ length: nodes + 1 }, freePort));
  const storeEnv = await blobsEnv(dataDir);
  const keyServiceDir = join(dataDir, 'key-service');
  const keysEnv = {
    ...env,
    ...SECRETS,
    SATCHEL_ROLE: 'keys',
    PORT: String(keysPort),
    DATA_DIR: keyServiceDir,
    KEYS_DIR: join(dataDir, 'keys'),
    KEY_SEALING_SECRET: '',
  };
  const envOf = (node: number) => ({
    ...env,
    ...SECRETS,
    ...storeEnv,
    KEY_SERVICE_URL: `http://127.0.0.1:${keysPort}`,
    TRUST_PROXY: '127.0.0.1/32',
    ...ownEnv,
    PORT: String(nodePorts[node]),
    DATA_DIR: join(dataDir, `node-${node + 1}`),
  });
  let keyService: Running | undefined;
  let balancer: Program | undefined;
  let kills: NodeJS.Timeout | undefined;
  let killing = Promise.resolve();
  let isOver = false;
  const children: Running[] = [];

  async function startKeyService(): Promise<void> {
    keyService = run(keysEnv);
    await keyService.answers(healthOf(keysPort));
  }

  async function startNode(node: number): Promise<void> {
    const child = run(envOf(node));
    children[node] = child;
    await child.answers(healthOf(nodePorts[node]!));
  }

  let next = 0;
  /** Kills the next node, and starts it again. */
  async function killOne(): Promise<void> {
    const node = next % nodes;
    next += 1;
    await children[node]?.end('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    if (!isOver) await startNode(node);
  }

  function killNext(): void {
    killing = killing.then(killOne).catch((error: unknown) => {
      // At the end of all, one that was just starting ends, too.
      if (!isOver) process.stderr.write(`a killed node did not come back: ${String(error)}\n`);
    });
  }

  async function endAll(signal: NodeJS.Signals): Promise<void> {
    isOver = true;
    clearInterval(kills);
    await killing;
    await Promise.all(children.map((child) => child.end(signal)));
    await keyService?.end(signal);
  }

  return {
    commandEnv: envOf(0),
    ownPort: nodePorts[0]!,
    ownPorts: nodePorts,
    async start() {
      isOver = false;
      await mkdir(keyServiceDir, { recursive: true });
      await startKeyService();
      await Promise.all(nodePorts.map((_, node) => startNode(node)));
      balancer ??= await startBalancer(nginx, port, nodePorts);
      if (killEveryMs > 0) kills = setInterval(killNext, killEveryMs);
    },
    pid: () => children[0]?.pid ?? 0,
    pids: () => children.map(({ pid }) => pid),
    keyServicePid: () => keyService?.pid ?? 0,
    startKeyService,
    kill9: () => endAll('SIGKILL'),
    async stop() {
      await endAll('SIGTERM');
      await balancer?.stop();
    },
  };
}
