import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { startDevelopment } = await import('./start-development.mjs');
await startDevelopment();
