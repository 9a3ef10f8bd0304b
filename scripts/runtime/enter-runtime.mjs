// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onStopRequest } from './children.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { withLock } from './mutex.mjs';
import { installNode, isNodeInstalled, NODE_BIN, nodePinFor } from './node-install.mjs';
import { fail, isRelease, NODE_PINS, ROOT, RUNTIME_DIR, say } from './paths.mjs';
import { thisMachine } from './pinned-package.mjs';
import { explain } from './start-error.mjs';

const NODE_PATH = join(RUNTIME_DIR, NODE_BIN);
const RELAYED = 'SATCHEL_RELAYED';

/**
 * Makes sure that the calling script runs on a new enough Node with its packages installed. On an older Node the
 * script starts again under a fetched one, this process only passes signals and the exit code, and never returns.
 * @param {string} scriptUrl
 * @param {{ beside?: () => Promise<unknown> }} [options] what to fetch while packages are installed, if they have to be
 */
export async function enterRuntime(scriptUrl, { beside } = {}) {
  if (!isNewEnough(process.versions.node)) {
    await ensureNode().catch(explain);
    return relay(fileURLToPath(scriptUrl));
  }
  if (process.env[RELAYED]) endWithRelay();
  // Every program started from here on must find this Node first, not the machine's.
  const bin = dirname(process.execPath);
  if (!process.env.PATH?.startsWith(bin + delimiter)) process.env.PATH = bin + delimiter + (process.env.PATH ?? '');
  await ensureDependencies({ beside });
  linkNode();
}

/** Node 22.19 runs TypeScript as it is; the short-lived 23 learned it in 23.6. */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major === 22) return minor >= 19;
  if (major === 23) return minor >= 6;
  return major > 23;
}

/**
 * Where the machine's own Node is too old, puts the fetched one among the commands of the packages: `npx` and npm's scripts look
 * there first, so that `npx vitest` runs on it, too. A release has no such commands, and its folder may be read-only.
 */
function linkNode() {
  if (isRelease()) return;
  if (process.platform === 'win32' || !existsSync(NODE_PATH) || process.execPath !== realpathSync(NODE_PATH)) return;
  const link = join(ROOT, 'node_modules', '.bin', 'node');
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), process.execPath), link);
}

const ensureNode = async () => installOnce(nodePinFor(JSON.parse(readFileSync(NODE_PINS, 'utf8')), thisMachine()));

async function installOnce(pin) {
  if (isNodeInstalled(RUNTIME_DIR, pin)) return;
  await withLock(
    RUNTIME_DIR,
    'node',
    async (alsoHeldBy) => {
      if (isNodeInstalled(RUNTIME_DIR, pin)) return;
      say(`this is Node ${process.versions.node}; fetching ${pin.version} into .runtime (once) …`);
      await installNode({ folder: RUNTIME_DIR, pin, onStart: alsoHeldBy });
    },
    () => say('another start is fetching Node; waiting for it …'),
  );
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

/** The pipe to the relay closes when the relay is killed outright; this process then ends, too. */
function endWithRelay() {
  delete process.env[RELAYED];
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
