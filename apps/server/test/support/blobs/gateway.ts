import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deadline } from '@satchel/contract/testing/pace';
import type { S3Settings } from '../../../src/platform/blobs/s3-settings.ts';
import { freePort } from '../free-port.ts';

/** A real S3 gateway on loopback: Ceph's, from the packages radosgw, ceph-mon and ceph-osd. Its objects are in memory. */

const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph-authtool', 'monmaptool', 'setpriv'];
const START_MS = deadline(90);
const POLL_MS = 200;

export interface Gateway {
  readonly endpoint: string;
  /** Makes a bucket. */
  bucket(): Promise<S3Settings>;
  stop(): Promise<void>;
}

const CREDENTIALS = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' };

const run = promisify(execFile);

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const configOf = (dir: string, ports: { mon: number; mon1: number; gateway: number }, fsid: string) => `[global]
fsid = ${fsid}
mon_host = [v2:127.0.0.1:${ports.mon},v1:127.0.0.1:${ports.mon1}]
public_network = 127.0.0.0/8
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = ${dir}/keyring
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
osd_crush_chooseleaf_type = 0
osd_pool_default_pg_autoscale_mode = off
run_dir = ${dir}/run
admin_socket = ${dir}/run/$cluster-$name.asok
pid_file = ${dir}/run/$name.pid
log_file = ${dir}/log/$name.log
mon_data = ${dir}/mon
osd_data = ${dir}/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
rgw_data = ${dir}/rgw
rgw_frontends = beast endpoint=127.0.0.1:${ports.gateway}
rgw_dns_name = localhost
rgw_enable_usage_log = false
rgw_run_sync_thread = false
mon_warn_on_pool_no_redundancy = false
`;

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + START_MS;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('The S3 gateway did not start');
    await sleep(POLL_MS);
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('close', () => socket.destroy());
    socket.on('connect', () => socket.end());
  });

async function newBucket(endpoint: string): Promise<S3Settings> {
  const bucket = `satchel-${randomUUID()}`;
  const settings: S3Settings = {
    bucket,
    prefix: 'site/',
    endpoint,
    region: 'us-east-1',
    isPathStyle: true,
    credentials: CREDENTIALS,
  };
  await createBucket(settings);
  return settings;
}

/** What a server is told of a bucket. */
export const bucketEnv = ({ bucket, prefix, endpoint, region }: S3Settings): Record<string, string> => ({
  BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}`,
  BLOBS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  BLOBS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
});

/**
 * The gateway of the whole run, where TEST_S3_ENDPOINT names one, else one of its own; null, with a line that can't be
 * missed, where the programs are not installed.
 */
export async function startGateway(): Promise<Gateway | null> {
  const shared = process.env.TEST_S3_ENDPOINT;
  if (shared) return { endpoint: shared, bucket: () => newBucket(shared), stop: async () => {} };
  const missing = PROGRAMS.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    process.stderr.write(
      `\n!!! S3 IS NOT TESTED: ${missing.join(', ')} not found; apt-get install radosgw ceph-mon ceph-osd\n\n`,
    );
    return null;
  }
  const dir = await mkdtemp(join(tmpdir(), 'satchel-s3-'));
  const ports = { mon: await freePort(), mon1: await freePort(), gateway: await freePort() };
  const config = join(dir, 'ceph.conf');
  const env = { ...process.env, CEPH_CONF: config };
  const call = async (program: string, ...args: string[]) => (await run(program, args, { env, cwd: dir })).stdout;
  const ceph = (...args: string[]) => call('ceph', '-c', config, '--connect-timeout', '5', ...args);
  const daemons: ChildProcess[] = [];
  // They end with this process, however it ends.
  const start = (program: string, ...args: string[]) =>
    void daemons.push(
      spawn('setpriv', ['--pdeathsig', 'KILL', program, '-f', ...args], { env, cwd: dir, stdio: 'ignore' }),
    );
  async function stop(): Promise<void> {
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      const exited = new Promise((resolve) => daemon.once('exit', resolve));
      daemon.kill('SIGKILL');
      await exited;
    }
    await rm(dir, { recursive: true, force: true });
  }
  try {
    const fsid = randomUUID();
    for (const folder of ['mon', 'osd', 'rgw', 'run', 'log']) await mkdir(join(dir, folder));
    await writeFile(config, configOf(dir, ports, fsid));
    const key = (name: string, ...caps: string[]) =>
      call('ceph-authtool', 'keyring', '--gen-key', '-n', name, ...caps.flatMap((cap) => ['--cap', ...cap.split('=')]));
    await call('ceph-authtool', '--create-keyring', 'keyring', '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
    await key('client.admin', 'mon=allow *', 'osd=allow *', 'mgr=allow *');
    await key('client.rgw', 'mon=allow rw', 'osd=allow rwx');
    await key('osd.0', 'mon=allow profile osd', 'osd=allow *');
    const monitor = `[v2:127.0.0.1:${ports.mon},v1:127.0.0.1:${ports.mon1}]`;
    await call('monmaptool', '--create', '--clobber', '--fsid', fsid, '--addv', 'a', monitor, 'monmap');
    await call('ceph-mon', '-c', config, '-i', 'a', '--mkfs', '--monmap', 'monmap', '--keyring', 'keyring');
    start('ceph-mon', '-c', config, '-i', 'a');
    await until(() =>
      ceph('mon', 'stat').then(
        () => true,
        () => false,
      ),
    );
    const osd = randomUUID();
    await ceph('osd', 'new', osd);
    await ceph('auth', 'import', '-i', 'keyring');
    await call('ceph-osd', '-c', config, '-i', '0', '--mkfs', '--osd-uuid', osd);
    start('ceph-osd', '-c', config, '-i', '0');
    await until(async () => (await ceph('osd', 'stat')).includes('1 up'));
    start('radosgw', '-c', config, '-n', 'client.rgw');
    await until(() => answers(ports.gateway));
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const user = ['--uid=test', '--display-name=test', `--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`];
    await call('radosgw-admin', '-c', config, 'user', 'create', ...user);
    const endpoint = `http://127.0.0.1:${ports.gateway}`;
    return { endpoint, bucket: () => newBucket(endpoint), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function clientOf({ endpoint, region, credentials }: S3Settings) {
  const s3 = await import('@aws-sdk/client-s3');
  return new s3.S3Client({ endpoint: endpoint!, region, credentials: credentials!, forcePathStyle: true });
}

/** Sets the rule that docs/deploy/nodes-and-store.md has for BLOBS_DIRECT. */
export async function allowPages(settings: S3Settings, origin: string): Promise<void> {
  const { PutBucketCorsCommand } = await import('@aws-sdk/client-s3');
  const client = await clientOf(settings);
  const rule = {
    AllowedOrigins: [origin],
    AllowedMethods: ['GET'],
    AllowedHeaders: ['range'],
    MaxAgeSeconds: 3600,
  };
  const CORSConfiguration = { CORSRules: [rule] };
  await client.send(new PutBucketCorsCommand({ Bucket: settings.bucket, CORSConfiguration }));
  client.destroy();
}

async function createBucket(settings: S3Settings): Promise<void> {
  const { CreateBucketCommand } = await import('@aws-sdk/client-s3');
  const { bucket } = settings;
  const client = await clientOf(settings);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}
