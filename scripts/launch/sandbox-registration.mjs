import { join } from 'node:path';
import { startNode } from '../runtime/children.mjs';
import { isRelease, ROOT } from '../runtime/paths.mjs';

/** As it was built: it starts in a third of the time. */
export const REGISTER_BUILT = join(ROOT, 'apps/server/dist/register.js');
/** Runs as it is in a checkout, so that registering needs no build. */
export const REGISTER_MAIN = isRelease() ? REGISTER_BUILT : join(ROOT, 'apps/server/src/register.ts');

/**
 * Publishes the bot's commands at the sandbox, by the same entry as `npm run bot:register` at Discord. Server and sandbox
 * answer already: the sandbox asks the server at once whether it checks signatures.
 * @param {{ main?: string, env?: NodeJS.ProcessEnv }} [options] which build of the entry, and settings beside the plan's
 * @returns {Promise<string | undefined>} what went wrong, in one line
 */
export async function registerAtSandbox(plan, { main = REGISTER_MAIN, env = {} } = {}) {
  const entry = startNode([main], {
    env: { ...env, ...plan.server, ...plan.register },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  entry.child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const { code } = await entry.exited;
  if (code === 0) return undefined;
  const [line = `it ended with code ${code}`] = errors.split('\n').filter((text) => text.trim() !== '');
  return line.replace(/^satchel: /, '');
}

/** Where the story is tried out: two people side by side. */
export const chatUrlOf = (plan) => `${plan.sandboxUrl}/chat?as=mika&as=jonas`;
