import { join } from 'node:path';
import { onStopRequest, startNode } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';

/** Registers the bot by the settings of this shell. It needs nothing built: the entry runs as it is. */
export async function registerBot() {
  const entry = startNode([join(ROOT, 'apps/server/src/register.ts')]);
  onStopRequest(
    () => entry.stop(),
    () => entry.kill(),
  );
  process.exit((await entry.exited).code);
}
