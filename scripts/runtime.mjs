// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onStopRequest } from './children.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { withLock } from './mutex.mjs';
import { runNpm } from './npm.mjs';
import { fail, RUNTIME_DIR, say } from './paths.mjs';

const NODE_VERSION = '24.21.0';
const NODE_PATH = join(RUNTIME_DIR, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
/** Written last, so that its presence says that the Node beside it ran once. */
const NODE_STAMP = join(RUNTIME_DIR, 'node_modules', '.satchel-node');
const RELAYED = 'SATCHEL_RELAYED';

/**
 * Makes sure that the calling script runs on a new enough Node with its packages installed. On an older Node the
 * script starts again under a fetched one, this process only passes signals and the exit code, and never returns.
 */
export async function enterRuntime(scriptUrl) {
  if (!isNewEnough(process.versions.node)) {
    await ensureNode();
    return relay(fileURLToPath(scriptUrl));
  }
  if (process.env[RELAYED]) endWithRelay();
  // Whatever is started from here on must find this Node first, not the one of the machine.
  const bin = dirname(process.execPath);
  if (!process.env.PATH?.startsWith(bin + delimiter)) process.env.PATH = bin + delimiter + (process.env.PATH ?? '');
  await ensureDependencies();
}

/** Node 22.19 runs TypeScript as it is; the short-lived 23 learned it in 23.6. */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major === 22) return minor >= 19;
  if (major === 23) return minor >= 6;
  return major > 23;
}

async function ensureNode() {
  if (isNodeReady()) return;
  await withLock(
    RUNTIME_DIR,
    'node',
    async (alsoHeldBy) => {
      if (isNodeReady()) return;
      if (nodeRuns(NODE_PATH)) return writeFileSync(NODE_STAMP, NODE_VERSION);
      await installNode(alsoHeldBy);
    },
    () => say('another start is fetching Node; waiting for it …'),
  );
}

function isNodeReady() {
  return existsSync(NODE_PATH) && existsSync(NODE_STAMP) && readFileSync(NODE_STAMP, 'utf8') === NODE_VERSION;
}

function nodeRuns(path) {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() === `v${NODE_VERSION}`;
  } catch {
    return false;
  }
}

async function installNode(alsoHeldBy) {
  say(`this is Node ${process.versions.node}; fetching ${NODE_VERSION} into .runtime (once) …`);
  // npm 12 runs no install script that the project does not name; the package links its binary in one.
  const manifest = '{"private":true,"allowScripts":{"node":true}}\n';
  const staging = join(RUNTIME_DIR, 'staging');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'package.json'), manifest);
  writeFileSync(join(RUNTIME_DIR, 'package.json'), manifest);
  const { output } = await runNpm(
    ['install', `node@${NODE_VERSION}`, '--no-save', '--no-package-lock', '--ignore-scripts=false'],
    { cwd: staging, onStart: alsoHeldBy },
  );
  const staged = NODE_PATH.replace(RUNTIME_DIR, staging);
  if (!nodeRuns(staged)) {
    fail(`could not fetch Node ${NODE_VERSION}. Check the network, or install Node 22.19 or newer yourself.`, output);
  }
  // Moved into place whole: an interrupted fetch leaves nothing that looks finished.
  rmSync(join(RUNTIME_DIR, 'node_modules'), { recursive: true, force: true });
  renameSync(join(staging, 'node_modules'), join(RUNTIME_DIR, 'node_modules'));
  rmSync(staging, { recursive: true, force: true });
  writeFileSync(NODE_STAMP, NODE_VERSION);
}

function relay(script) {
  const env = { ...process.env, [RELAYED]: '1', PATH: dirname(NODE_PATH) + delimiter + (process.env.PATH ?? '') };
  // npm looks for the machine's settings (proxy, registry, certificates) beside the Node it runs on, now another one.
  const npmSettings = join(dirname(process.execPath), '..', 'etc', 'npmrc');
  if (existsSync(npmSettings)) env.npm_config_globalconfig ??= npmSettings;
  const child = spawn(NODE_PATH, [script, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  const forward = () => child.kill('SIGTERM');
  onStopRequest(forward, forward);
  return new Promise(() => {
    child.on('error', (error) => fail(`could not run ${NODE_PATH}: ${error.message}`));
    child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/** The pipe to the relay closes when that is killed outright; then nobody is left to answer to. */
function endWithRelay() {
  delete process.env[RELAYED];
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
