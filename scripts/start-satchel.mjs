import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildAll } from './build-outputs.mjs';
import { onStopRequest, startNode } from './children.mjs';
import { ROOT, say } from './paths.mjs';
import { planSandbox } from './sandbox-settings.mjs';

const POLL_MS = 40;
const TAKEN_PORT_MS = 5000;

/** Builds what changed, runs sandbox and server until one ends or someone stops them, and exits this process. */
export async function startSatchel() {
  const built = await buildAll();
  if (!built) process.exit(1);
  const { port, host, publicUrl } = readAddress(process.env);
  const plan = planSandbox(process.env, publicUrl);
  const wasTaken = await isListening(host, port);
  const sandboxWasTaken = plan && (await isListening('localhost', plan.sandbox.SANDBOX_PORT));
  const server = startNode([join(ROOT, 'apps/server/dist/main.js')], { env: plan?.server });
  const sandbox = plan && startSandbox(plan);
  let stopping = false;

  onStopRequest(
    async () => {
      stopping = true;
      if (server.isRunning()) say('stopping; open requests may finish (Ctrl-C again to stop at once) …');
      const code = await server.stop();
      await sandbox?.stop();
      process.exit(code);
    },
    () => {
      server.kill();
      sandbox?.kill();
      process.exit(130);
    },
  );

  server.exited.then(async ({ code, signal }) => {
    if (stopping) return;
    stopping = true;
    if (signal) process.stderr.write(`satchel: the server was ended by ${signal}.\n`);
    await sandbox?.stop();
    process.exit(code);
  });

  await untilReady(server, wasTaken, () => isHealthy(host, port));
  if (stopping) return;
  sandbox?.showErrors();
  sandbox?.exited.then(async ({ code }) => {
    if (stopping) return;
    stopping = true;
    process.stderr.write('satchel: the sandbox ended, so nobody could sign in; stopping.\n');
    await server.stop();
    process.exit(code || 1);
  });
  if (sandbox) await untilReady(sandbox, sandboxWasTaken, () => isListening('localhost', plan.sandbox.SANDBOX_PORT));
  if (!stopping) greet(publicUrl, plan);
}

/** The two settings the launcher itself needs; whether they are any good is for the server to say. */
function readAddress(env) {
  const port = env.PORT || '3000';
  const host = !env.HOST || env.HOST === '0.0.0.0' || env.HOST === '::' ? '127.0.0.1' : env.HOST;
  return { port, host, publicUrl: env.PUBLIC_URL || `http://127.0.0.1:${port}` };
}

/**
 * The sandbox starts beside the server, yet what it complains about waits until the server stands: when both fail (a
 * second start on the same data directory and ports), the server's one line is the one that explains it.
 */
export function startSandbox(plan) {
  const sandbox = startNode([join(ROOT, 'apps/sandbox/src/main.ts')], {
    env: plan.sandbox,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let held = '';
  const hold = (text) => {
    held += text;
  };
  sandbox.child.stderr.setEncoding('utf8').on('data', hold);
  const showErrors = () => {
    process.stderr.write(held);
    sandbox.child.stderr.off('data', hold).pipe(process.stderr);
  };
  return { ...sandbox, showErrors };
}

/** Waits until a child answers or ends. */
async function untilReady(child, wasTaken, isReady) {
  // An answer by whoever holds the port already must not pass for ours: ours is about to end and say so.
  if (wasTaken) await Promise.race([child.exited, sleep(TAKEN_PORT_MS)]);
  while (child.isRunning() && !(await isReady())) await sleep(POLL_MS);
}

function isListening(host, port) {
  return new Promise((resolve) => {
    try {
      const socket = connect({ host, port, timeout: 1000 });
      const answer = (isOpen) => {
        socket.destroy();
        resolve(isOpen);
      };
      socket
        .on('connect', () => answer(true))
        .on('error', () => answer(false))
        .on('timeout', () => answer(false));
    } catch {
      resolve(false);
    }
  });
}

function isHealthy(host, port) {
  return new Promise((resolve) => {
    try {
      get({ host, port, path: '/healthz', timeout: 1000 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      })
        .on('error', () => resolve(false))
        .on('timeout', () => resolve(false));
    } catch {
      resolve(false);
    }
  });
}

function greet(publicUrl, plan) {
  say(`ready at ${publicUrl}`);
  if (plan) {
    say(`sign-in goes to the sandbox at ${plan.sandboxUrl}, a stand-in for Discord: pick any persona.`);
    say('open the address, sign in, create a folder, drop files into it and copy its link.');
  } else {
    say(`Discord's application must list ${publicUrl.replace(/\/+$/, '')}/auth/v1/callback among its redirects.`);
  }
  say('Ctrl-C stops it; docs/deploy.md says how to run it for others.');
}
