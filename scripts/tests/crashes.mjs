import { join } from 'node:path';
import { buildInChild } from '../launch/build-outputs.mjs';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { startGroup } from './process-group.mjs';

/** Rounds of kill -9 against the built site (tests/faults). */
export async function runCrashes() {
  if (!(await buildInChild())) process.exit(1);
  const rounds = startGroup([join(ROOT, 'tests/faults/main.ts')]);
  onStopRequest(() => rounds.stop().then(() => process.exit(130)));
  process.exit(await rounds.exited);
}
