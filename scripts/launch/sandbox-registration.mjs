import { join } from 'node:path';
import { startNode } from '../runtime/children.mjs';
import { isRelease, ROOT } from '../runtime/paths.mjs';

/** Runs as it is in a checkout, so that registering needs no build. */
export const REGISTER_MAIN = join(ROOT, isRelease() ? 'apps/server/dist/register.js' : 'apps/server/src/register.ts');

/**
 * Publishes the bot's commands at the sandbox, by the same entry as `npm run bot:register` at Discord. Server and sandbox
 * answer already: the sandbox asks the server at once whether it checks signatures.
 * @returns {Promise<string | undefined>} what went wrong, in one line
 */
export async function registerAtSandbox(plan, env = {}) {
  const entry = startNode([REGISTER_MAIN], {
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
