import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildAll } from './build-outputs.mjs';
import { onStopRequest, startNode } from './children.mjs';
import { fail, ROOT, say } from './paths.mjs';
import { planSandbox } from './sandbox-settings.mjs';

const POLL_MS = 40;

/** Builds what changed, runs sandbox and server until one ends or someone stops them, and exits this process. */
export async function startSatchel() {
  if (!(await buildAll())) process.exit(1);
  const { port, host, publicUrl } = readAddress(process.env);
  const plan = planSandbox(process.env, publicUrl);
  if (plan?.problem) fail(plan.problem);
  const door = await lookAt(host, port);
  const sandboxDoor = plan && (await lookAt('localhost', plan.sandbox.SANDBOX_PORT));
  const server = startNode([join(ROOT, 'apps/server/dist/main.js')], { env: plan?.server });
  const sandbox = plan && startSandbox(plan);
  const ending = endTogether(server, sandbox);

  await untilReady(server, door, () => isHealthy(host, port));
  if (ending.hasBegun()) return;
  if (sandbox) {
    sandbox.showErrors();
    ending.watchSandbox();
    await untilReady(sandbox, sandboxDoor, () => isListening(sandboxDoor.host, sandboxDoor.port));
  }
  if (!ending.hasBegun()) greet(publicUrl, plan);
}

/** Whoever ends first takes the other along, the server always before the sandbox it may still ask something. */
function endTogether(server, sandbox) {
  let begun = false;
  const end = async (explain, exitCode) => {
    if (begun) return;
    begun = true;
    if (explain) process.stderr.write(`satchel: ${explain}\n`);
    const code = await server.stop();
    await sandbox?.stop();
    process.exit(exitCode ?? code);
  };
  onStopRequest(
    () => {
      if (server.isRunning()) say('stopping; open requests may finish (Ctrl-C again to stop at once) …');
      end();
    },
    () => {
      server.kill();
      sandbox?.kill();
      process.exit(130);
    },
  );
  server.exited.then(({ signal }) => end(signal && `the server was ended by ${signal}.`));
  return {
    hasBegun: () => begun,
    watchSandbox: () =>
      sandbox.exited.then(({ code }) => end('the sandbox ended, so nobody could sign in; stopping.', code || 1)),
  };
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

const lookAt = async (host, port) => ({ host, port, wasTaken: await isListening(host, port) });

/** Waits until a child answers or ends. */
async function untilReady(child, { host, port, wasTaken }, isReady) {
  // An answer by whoever had the port before must not pass for ours: ours is about to end, and to say so.
  while (wasTaken && child.isRunning() && (await isListening(host, port))) await sleep(POLL_MS);
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
