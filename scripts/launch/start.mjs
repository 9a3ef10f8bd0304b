import { join } from 'node:path';
import { onStopRequest, startNode } from '../runtime/children.mjs';
import { isListening } from '../runtime/listening.mjs';
import { fail, ROOT, say } from '../runtime/paths.mjs';
import { buildInChild, SERVER_MAIN } from './build-outputs.mjs';
import { keepServer } from './kept-server.mjs';
import { provideDatabase } from './provide-database.mjs';
import { isHealthy, lookAt, untilReady } from './readiness.mjs';
import { chatUrlOf, REGISTER_BUILT, registerAtSandbox } from './sandbox-registration.mjs';
import { planSandbox } from './sandbox-settings.mjs';

/** V8 lets young objects take 64 MB. With 16 the server is as fast, and 50 people who upload cost 40 MB less (docs/performance.md). */
const NODE_FLAGS = ['--max-semi-space-size=8'];

/** Builds what changed, runs sandbox and server until one ends or someone stops them, and exits this process. */
export async function startSatchel() {
  const { port, host, publicUrl } = readAddress(process.env);
  const plan = planSandbox(process.env, publicUrl);
  if (plan?.problem) fail(plan.problem);
  const sandboxDoor = plan && (await lookAt('localhost', plan.sandbox.SANDBOX_PORT));
  // It needs neither database nor build, and is there before the server then.
  const sandbox = plan && startSandbox(plan);
  const [database, isBuilt] = await Promise.all([provideDatabase(process.env), buildInChild()]);
  if (!isBuilt) {
    await database.stop();
    process.exit();
  }
  const door = await lookAt(host, port);
  const startServer = () => startNode([...NODE_FLAGS, SERVER_MAIN], { env: { ...plan?.server, ...database.env } });
  const server = keepServer(startServer, database);
  const ending = endTogether(server, sandbox, database);

  await untilReady(server, door, () => isHealthy(host, port));
  if (ending.hasBegun()) return;
  server.noteReady();
  if (sandbox) {
    sandbox.showErrors();
    ending.watchSandbox();
    await untilReady(sandbox, sandboxDoor, () => isListening(sandboxDoor));
  }
  const problem = !ending.hasBegun() && plan && (await registerAtSandbox(plan, { main: REGISTER_BUILT }));
  if (!ending.hasBegun()) greet(publicUrl, plan, problem);
}

/** One that ends takes the others along: the server before the sandbox it may still ask something, the database last. */
function endTogether(server, sandbox, database) {
  let begun = false;
  const end = async (explain, exitCode) => {
    if (begun) return;
    begun = true;
    if (explain) process.stderr.write(`satchel: ${explain}\n`);
    database.expectStop();
    const code = await server.stop();
    await sandbox?.stop();
    await database.stop();
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
  database.exited.then((reason) => end(`${reason}; stopping.`, 1));
  server.exited.then(({ signal }) => end(signal && `the server was ended by ${signal}.`));
  return {
    hasBegun: () => begun,
    watchSandbox: () =>
      sandbox.exited.then(({ code }) =>
        end('the sandbox ended, and without it no one can sign in; stopping.', code || 1),
      ),
  };
}

/** The two settings that the launcher itself needs; the server validates them. */
function readAddress(env) {
  const port = env.PORT || '3000';
  const host = !env.HOST || env.HOST === '0.0.0.0' || env.HOST === '::' ? '127.0.0.1' : env.HOST;
  return { port, host, publicUrl: env.PUBLIC_URL || `http://127.0.0.1:${port}` };
}

/**
 * The sandbox starts before the server, yet what it complains about waits until the server stands: when both fail (a
 * second start on the same data directory and ports), the server's one line is the one that explains it.
 */
export function startSandbox(plan) {
  const sandbox = startNode([join(ROOT, 'packages/discord-sandbox/src/main.ts')], {
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

function greet(publicUrl, plan, problem) {
  say(`ready at ${publicUrl}`);
  if (plan) greetWithChat(plan, problem);
  else greetWithDiscord(publicUrl.replace(/\/+$/, ''));
  say('Ctrl-C stops it; docs/deploy/compose.md says how to run it for others.');
}

function greetWithChat(plan, problem) {
  if (problem) say(`the bot's commands could not be registered at the sandbox: ${problem}`);
  else {
    say(`try the chat first: ${chatUrlOf(plan)}`);
    say('type /upload as Mika, put files into the folder that the link opens, then /share it with Jonas.');
  }
  say(`the sandbox at ${plan.sandboxUrl} stands in for Discord: sign in as any of its people.`);
}

function greetWithDiscord(publicUrl) {
  say(`Discord's application must list ${publicUrl}/auth/v1/callback among its redirects.`);
  say('npm run bot:register publishes the commands of its bot, once (docs/discord.md).');
}
