// Usage, as root: node scripts/release/chroot-trial.mjs [--base FOLDER] [--work FOLDER]
// Tries the image where there is no container engine: runs Containerfile's steps in folders that begin as a bare Debian
// (debootstrap's smallest, or --base), starts what comes out as the image's user on a read-only tree, waits for its
// health check, does a person's main job by HTTP, and asks it to end.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fail, ROOT, say } from '../runtime/paths.mjs';
import { findProgram, isRoot } from '../runtime/programs.mjs';
import { inChroot, parseContainerfile, runContainerfile } from './containerfile.mjs';
import { doMainJob } from './main-job.mjs';

const SUITE = 'bookworm';
const COMPILERS = ['cc', 'gcc', 'c++', 'clang', 'tcc', 'make', 'npm'];
/** What npm needs to reach a registry through this machine's proxy. */
const OF_NETWORK =
  /^(npm_config_(registry|cafile|proxy|https_proxy|noproxy)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

const { values } = parseArgs({ options: { base: { type: 'string' }, work: { type: 'string' } } });
if (!isRoot()) fail('the trial makes a chroot, and only root may.');
const work = values.work ?? mkdtempSync(join(tmpdir(), 'satchel-trial-'));
mkdirSync(work, { recursive: true });
let stages = 0;

const base = values.base ?? bootstrap();
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const stage = runContainerfile(parseContainerfile(readFileSync(join(ROOT, 'Containerfile'), 'utf8')), {
  makeBase,
  copyContext: (folder) => execFileSync('sh', ['-c', `git archive HEAD | tar -x -C '${folder}'`], { cwd: ROOT }),
  args: { SOURCE_COMMIT: git('rev-parse', 'HEAD'), SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct') },
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_NETWORK.test(name))),
});
await tryOut(stage);
if (!values.work) rmSync(work, { recursive: true, force: true });
say('the image passed its trial.');

function bootstrap() {
  const folder = join(work, 'base');
  if (existsSync(join(folder, 'usr/bin/apt-get'))) return folder;
  const program = findProgram(['debootstrap'], ['/usr/sbin']);
  if (!program) fail('there is no debootstrap; install it, or name a bare Debian with --base.');
  execFileSync(program, ['--variant=minbase', SUITE, folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  return folder;
}

/** The image `node` is the same system with Node and npm in /usr/local: those that run this script. */
function makeBase(image) {
  stages += 1;
  const folder = join(work, `stage-${stages}`);
  rmSync(folder, { recursive: true, force: true });
  execFileSync('cp', ['-a', base, folder]);
  cpSync('/etc/resolv.conf', join(folder, 'etc/resolv.conf'), { dereference: true });
  cpSync('/etc/hosts', join(folder, 'etc/hosts'), { dereference: true });
  if (!/\/node:/.test(image)) return folder;
  const npm = realpathSync(findProgram(['npm']) ?? fail('there is no npm.'));
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'));
  cpSync(dirname(dirname(npm)), join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true });
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm')]);
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) cpSync(certificates, join(folder, certificates), { dereference: true });
  return folder;
}

async function tryOut({ root, env: ofImage, ...image }) {
  const compilers = COMPILERS.filter((name) => existsIn(root, name));
  if (compilers.length > 0) throw new Error(`the image has ${compilers.join(', ')}`);
  const [uid, gid] = image.user.split(':').map(Number);
  const data = join(work, 'data');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, gid);
  const env = { ...ofImage, PORT: await freePort(), SANDBOX_PORT: await freePort(), HOST: '127.0.0.1' };
  const running = { ...image, root, env };
  const [program, ...args] = inChroot(running, image.entrypoint, { isReadOnly: true, data });
  const site = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    await untilHealthy(running, site);
    requireConfined(site.pid, { uid, root });
    await doMainJob(`http://127.0.0.1:${env.PORT}`);
  } finally {
    site.kill('SIGTERM');
  }
  const [code] = site.exitCode === null ? await once(site, 'exit') : [site.exitCode];
  if (code !== 0) throw new Error(`asked to end, it ended with ${code}`);
  say('asked to end, it ended with 0');
}

function existsIn(root, name) {
  return ['bin', 'usr/bin', 'usr/local/bin'].some((path) => existsSync(join(root, path, name)));
}

async function untilHealthy(running, site) {
  const [program, ...args] = inChroot(running, running.healthcheck);
  for (;;) {
    if (site.exitCode !== null) throw new Error(`it ended with ${site.exitCode} before it was healthy`);
    if (spawnSync(program, args, { env: running.env, stdio: 'ignore' }).status === 0) return say('it is healthy');
    await sleep(250);
  }
}

/** By what the kernel says of the process: its user, and a root that can't be written. */
function requireConfined(pid, { uid, root }) {
  const [, real, effective] = /^Uid:\t(\d+)\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (Number(real) !== uid || Number(effective) !== uid) throw new Error(`it runs as ${real}, and not as ${uid}`);
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const ofRoot = mounts.findLast((fields) => [root, '/'].includes(fields[4]));
  if (!ofRoot?.[5].split(',').includes('ro')) throw new Error('its root can be written');
  say(`it runs as ${uid} on a read-only tree`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}
