import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { startSatchel } = await import('./start-satchel.mjs');
await startSatchel();
