import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { runBench } = await import('./run-bench.mjs');
await runBench(process.argv.slice(2));
