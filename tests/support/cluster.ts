import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bucketEnv, startGateway } from '../../apps/server/test/support/blobs/gateway.ts';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type Cluster, end, type Servers, type ServersOptions } from './site.ts';

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
  const { port, dataDir, env, ownEnv, run, ready } = options;
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
  let keyService: ChildProcess | undefined;
  let balancer: Balancer | undefined;
  let kills: NodeJS.Timeout | undefined;
  let killing = Promise.resolve();
  let isOver = false;
  const children: ChildProcess[] = [];

  async function startKeyService(): Promise<void> {
    keyService = run(keysEnv);
    await ready(keysPort, keyService);
  }

  async function startNode(node: number): Promise<void> {
    const child = run(envOf(node));
    children[node] = child;
    await ready(nodePorts[node]!, child);
  }

  let next = 0;
  /** Kills the next node, and starts it again. */
  async function killOne(): Promise<void> {
    const node = next % nodes;
    next += 1;
    await end(children[node], 'SIGKILL');
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
    await Promise.all(children.map((child) => end(child, signal)));
    await end(keyService, signal);
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
    pids: () => children.map(({ pid }) => pid ?? 0),
    keyServicePid: () => keyService?.pid ?? 0,
    startKeyService,
    kill9: () => endAll('SIGKILL'),
    async stop() {
      await endAll('SIGTERM');
      await balancer?.stop();
    },
  };
}

/** nginx in front of several nodes, configured like docs/deploy.md. */
export interface Balancer {
  stop(): Promise<void>;
}

const START_TRIES = 200;

const config = (dir: string, port: number, nodePorts: readonly number[]) => `
daemon off;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
worker_rlimit_nofile 16384;
events { worker_connections 4096; }
http {
  access_log off;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
  upstream nodes {
    zone nodes 64k;
    ${nodePorts.map((node) => `server 127.0.0.1:${node} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 32;
  }
  proxy_http_version 1.1;
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto http;
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection $connection_upgrade;
  proxy_request_buffering off;
  proxy_buffering off;
  proxy_connect_timeout 2s;
  proxy_read_timeout 300s;
  proxy_send_timeout 300s;
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / { proxy_pass http://nodes; proxy_next_upstream error timeout http_503; }
    location ~ ^/(rest/v1/rpc/get_|storage/v1/object/list/) {
      proxy_pass http://nodes; proxy_request_buffering on; proxy_next_upstream error timeout http_503 non_idempotent;
    }
    location /assets/ { proxy_pass http://nodes; proxy_next_upstream error timeout http_404; }
  }
}
`;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** @param nginx path of the binary */
export async function startBalancer(nginx: string, port: number, nodePorts: readonly number[]): Promise<Balancer> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-balancer-'));
  await writeFile(join(dir, 'nginx.conf'), config(dir, port, nodePorts));
  const child = spawn(nginx, ['-c', join(dir, 'nginx.conf'), '-p', dir, '-e', join(dir, 'error.log')], {
    stdio: 'ignore',
  });
  const stop = async () => {
    if (child.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    await rm(dir, { recursive: true, force: true });
  };
  for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries += 1) {
    if (await answers(port)) return { stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const log = await readFile(join(dir, 'error.log'), 'utf8').catch(() => 'it wrote no log');
  await stop();
  throw new Error(`${nginx} did not start:\n${log}`);
}
