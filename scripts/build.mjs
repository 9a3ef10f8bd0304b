import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { buildAll } = await import('./build-outputs.mjs');
process.exit((await buildAll({ isForced: process.argv.includes('--force') })) ? 0 : 1);
