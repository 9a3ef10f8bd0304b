import { join } from 'node:path';
import { onStopRequest } from './children.mjs';
import { ROOT } from './paths.mjs';
import { enterRuntime } from './runtime.mjs';

// `npm run test:crashes`: rounds of kill -9 against the built site (tests/faults).
await enterRuntime(import.meta.url);
const { buildInChild } = await import('./build-outputs.mjs');
const { startGroup } = await import('./process-group.mjs');
if (!(await buildInChild())) process.exit(1);
const rounds = startGroup([join(ROOT, 'tests/faults/main.ts')]);
onStopRequest(() => rounds.stop().then(() => process.exit(130)));
process.exit(await rounds.exited);
