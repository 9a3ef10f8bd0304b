import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
