#!/usr/bin/env node
import { readSettings, type Settings } from './settings.ts';
import { startSandbox } from './start.ts';

// A browser's spare connection that never sent a request would hold the drain up for ever.
const DRAIN_LIMIT_MS = 2_000;

function fail(message: string): never {
  process.stderr.write(`Sandbox Discord: ${message}\n`);
  process.exit(1);
}

function readSettingsOrFail(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    return fail(error instanceof Error ? error.message : 'unreadable settings.');
  }
}

function explainListenError(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'EADDRINUSE') return `port ${port} is taken. Set SANDBOX_PORT to a free one.`;
  return `can't listen on port ${port} (${code}). Check SANDBOX_HOST and SANDBOX_PORT.`;
}

const settings = readSettingsOrFail();
const sandbox = await startSandbox(settings).catch((error: unknown) => fail(explainListenError(error, settings.port)));

let draining = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (draining) return;
    draining = true;
    setTimeout(() => process.exit(0), DRAIN_LIMIT_MS).unref();
    sandbox.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
process.stdout.write(`Sandbox Discord on ${sandbox.origin}\n`);
