import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { buildEverything } = await import('./run-build.mjs');
await buildEverything({ isForced: process.argv.includes('--force') });
