import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { runTests } = await import('./run-tests.mjs');
await runTests(process.argv.slice(2));
