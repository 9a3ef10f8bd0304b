import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { onStopRequest, startNode } from '../runtime/children.mjs';
import { isListening } from '../runtime/listening.mjs';
import { fail, ROOT, say } from '../runtime/paths.mjs';
import { provideDatabase } from './provide-database.mjs';
import { answersAt, untilReady } from './readiness.mjs';
import { chatUrlOf, registerAtSandbox } from './sandbox-registration.mjs';
import { planSandbox } from './sandbox-settings.mjs';

/** The page is Vite's here, with hot reload; its proxy passes the server's own paths on (apps/web/vite.config.ts). */
const PAGE_URL = 'http://127.0.0.1:5173';

/** Runs sandbox, server and page from their sources, each starting over or reloading when those change. */
export async function startDevelopment() {
  const publicUrl = process.env.PUBLIC_URL || PAGE_URL;
  const port = process.env.PORT || '3000';
  const plan = planSandbox(process.env, publicUrl);
  if (plan?.problem) fail(plan.problem);
  const database = await provideDatabase(process.env);
  const children = [
    startNode(['--watch', '--watch-preserve-output', join(ROOT, 'apps/server/src/main.ts')], {
      env: { PUBLIC_URL: publicUrl, PORT: port, ...plan?.server, ...database.env },
    }),
    startNode([findVite(), '--clearScreen', 'false'], {
      cwd: join(ROOT, 'apps/web'),
      env: { SATCHEL_SERVER: `http://127.0.0.1:${port}` },
    }),
  ];
  const sandbox = plan && startNode([join(ROOT, 'packages/discord-sandbox/src/main.ts')], { env: plan.sandbox });
  if (sandbox) children.push(sandbox);

  let stopping = false;
  const stopAll = async (code) => {
    if (stopping) return;
    stopping = true;
    database.expectStop();
    await Promise.all(children.map((child) => child.stop()));
    await database.stop();
    process.exit(code);
  };
  onStopRequest(
    () => stopAll(0),
    () => {
      for (const child of children) child.kill();
      process.exit(130);
    },
  );
  database.exited.then((reason) => {
    process.stderr.write(`satchel: ${reason}; stopping.\n`);
    return stopAll(1);
  });
  for (const { exited } of children) exited.then(({ code }) => stopAll(code || 1));
  say(`the page is at ${publicUrl}; changes to server and page show at once. Ctrl-C stops all.`);
  if (sandbox) await offerChat(sandbox, plan, { publicUrl, port });
}

/** The sandbox keeps what is registered for as long as it runs, so that a server that starts over need not say it again. */
async function offerChat(sandbox, plan, { publicUrl, port }) {
  const until = (isReady) => untilReady(sandbox, { wasTaken: false }, isReady);
  await until(() => isListening({ host: 'localhost', port: plan.sandbox.SANDBOX_PORT }));
  // Vite would complain of every question that it can't pass on yet.
  await until(() => isListening({ host: 'localhost', port }));
  // Through the page's proxy, as the sandbox will ask.
  await until(() => answersAt(`${publicUrl.replace(/\/+$/, '')}/healthz`));
  if (!sandbox.isRunning()) return;
  const problem = await registerAtSandbox(plan, { env: { PUBLIC_URL: publicUrl, PORT: port } });
  say(problem ? `the bot's commands could not be registered: ${problem}` : `try the chat: ${chatUrlOf(plan)}`);
}

function findVite() {
  const fromWeb = createRequire(join(ROOT, 'apps/web/package.json'));
  return join(dirname(fromWeb.resolve('vite/package.json')), 'bin', 'vite.js');
}
