import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { runSatchel } = await import('./run-satchel.mjs');
await runSatchel(process.argv.slice(2));
