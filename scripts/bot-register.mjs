import { enterRuntime } from './runtime.mjs';

await enterRuntime(import.meta.url);
const { registerBot } = await import('./run-bot-register.mjs');
await registerBot();
