import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type Site, startSite } from './site.ts';

/** The ways a client reaches Satchel in the acceptance suite. */
export interface Front {
  readonly name: string;
  /** Whether WebSockets get through. */
  readonly passesUpgrades: boolean;
  start(env?: Readonly<Record<string, string>>): Promise<Site>;
}

const direct: Front = { name: 'directly', passesUpgrades: true, start: (env = {}) => startSite({ env }) };

function behind(name: string, passesUpgrades: boolean, startProxy: (port: number) => Promise<TlsProxy>): Front {
  return {
    name,
    passesUpgrades,
    start: async (env = {}) => {
      const port = await freePort();
      const proxy = await startProxy(port);
      const site = await startSite({
        port,
        publicUrl: proxy.url,
        env: { TRUST_PROXY: '127.0.0.1/32', ...env },
      }).catch(async (error) => {
        await proxy.stop();
        throw error;
      });
      return {
        ...site,
        stop: async () => {
          await site.stop();
          await proxy.stop();
        },
      };
    },
  };
}

const { NGINX_PATH: nginx, CADDY_PATH: caddy } = process.env;

/** Always direct; also behind nginx if the test run found one (it reports a missing one), and Caddy where CADDY_PATH names one. */
export const FRONTS: readonly Front[] = [
  direct,
  ...(nginx ? [behind('behind nginx with TLS', true, (port) => startTlsProxy(nginx, port))] : []),
  ...(caddy ? [behind('behind Caddy with TLS', true, (port) => startCaddy(caddy, port))] : []),
];

/** For the upload socket, also a proxy that was not told of WebSockets. */
export const SOCKET_FRONTS: readonly Front[] = [
  ...FRONTS,
  ...(nginx
    ? [behind('behind nginx that keeps WebSockets out', false, (port) => startTlsProxy(nginx, port, false))]
    : []),
];

/** nginx with the block of docs/deploy.md, or Caddy, with TLS in front of a server. */
export interface TlsProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** What lets WebSockets through. */
const UPGRADES = `        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $connection_upgrade;`;
const DEPLOY_PAGE = join(import.meta.dirname, '../../docs/deploy.md');

/** The block that docs/deploy.md gives people to copy, with this run's address, certificate and server in it. */
async function documentedSite(dir: string, port: number, targetPort: number, passesUpgrades: boolean): Promise<string> {
  const page = await readFile(DEPLOY_PAGE, 'utf8');
  // Without the server that leads http to https.
  const block = /```nginx\n(# Uploads use a WebSocket.*?\n}\n)\nserver {\n {4}listen 80;/s.exec(page)?.[1] ?? '';
  const changes: [documented: string, here: string][] = [
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    ['server_name files.example.org;', 'server_name localhost;'],
    ['/etc/letsencrypt/live/files.example.org/fullchain.pem', `${dir}/cert.pem`],
    ['/etc/letsencrypt/live/files.example.org/privkey.pem', `${dir}/key.pem`],
    ['http://127.0.0.1:3000', `http://127.0.0.1:${targetPort}`],
    // People's browsers are at port 443, which a host name goes without.
    ['Host $host;', 'Host $http_host;'],
    [UPGRADES, passesUpgrades ? UPGRADES : '        proxy_set_header Connection "";'],
  ];
  return changed(block, changes);
}

const changed = (block: string, changes: readonly (readonly [documented: string, here: string])[]): string =>
  changes.reduce((text, [documented, here]) => {
    if (!text.includes(documented)) throw new Error(`a block of docs/deploy.md has no "${documented}"`);
    return text.replace(documented, () => here);
  }, block);

const config = async (dir: string, ...site: [port: number, targetPort: number, passesUpgrades: boolean]) => `
daemon off;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
${await documentedSite(dir, ...site)}}
`;

/** The block of docs/deploy.md, with the certificate that Caddy would get from elsewhere. */
async function caddyfile(dir: string, port: number, targetPort: number): Promise<string> {
  const block = /```caddy\n(.*?)```/s.exec(await readFile(DEPLOY_PAGE, 'utf8'))?.[1] ?? '';
  const here = [
    ['files.example.org {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${dir}/cert.pem ${dir}/key.pem`],
    ['127.0.0.1:3000', `127.0.0.1:${targetPort}`],
  ] as const;
  return `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${dir}\n}\n${changed(block, here)}`;
}

/** Writes a program's configuration. @returns its arguments */
type Configure = (dir: string, port: number) => Promise<readonly string[]>;

/**
 * Starts nginx before the server is up, and makes this process trust its certificate.
 * @param nginx path of the binary
 * @param targetPort port of the server behind it
 * @param passesUpgrades false for one that keeps WebSockets out, as nginx does by itself
 */
export const startTlsProxy = (nginx: string, targetPort: number, passesUpgrades = true): Promise<TlsProxy> =>
  startProxy(nginx, async (dir, port) => {
    await writeFile(join(dir, 'nginx.conf'), await config(dir, port, targetPort, passesUpgrades));
    return ['-c', join(dir, 'nginx.conf'), '-p', dir, '-e', join(dir, 'error.log')];
  });

/** The same with Caddy. @param caddy path of the binary */
export const startCaddy = (caddy: string, targetPort: number): Promise<TlsProxy> =>
  startProxy(caddy, async (dir, port) => {
    await writeFile(join(dir, 'Caddyfile'), await caddyfile(dir, port, targetPort));
    return ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile'];
  });

async function startProxy(program: string, configure: Configure): Promise<TlsProxy> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-proxy-'));
  const port = await freePort();
  // Two proxies of one process need different names, or one's certificate is looked for under the other's key.
  const pair = await generate([{ name: 'commonName', value: `localhost ${port}` }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  await writeFile(join(dir, 'cert.pem'), pair.cert);
  await writeFile(join(dir, 'key.pem'), pair.private, { mode: 0o600 });
  setDefaultCACertificates([...getCACertificates('default'), pair.cert]);
  const child = spawn(program, await configure(dir, port), { stdio: 'ignore', env: { ...process.env, HOME: dir } });
  const url = `https://localhost:${port}`;
  const stop = async () => {
    if (child.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    await rm(dir, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
    // 502 while no server is behind it yet: nginx itself is up.
    const up = await fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (up) return { url, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop();
  throw new Error(`${program} did not start`);
}
