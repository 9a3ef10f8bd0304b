#!/usr/bin/env node
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createSandbox } from './app.ts';
import { readSettings } from './settings.ts';

// A browser's spare connection that never sent a request would hold the drain up for ever.
const DRAIN_LIMIT_MS = 2_000;
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '::1'];

function fail(message: string): never {
  process.stderr.write(`Sandbox Discord: ${message}\n`);
  process.exit(1);
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');

/** Machines without IPv6 are fine; a port taken on ::1 is not, since "localhost" would lead to a stranger. */
async function listenOnIpv6(server: Server, port: number) {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '::1', port, ipv6Only: true }, resolve);
    });
  } catch (error) {
    if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(codeOf(error))) throw error;
  }
}

/**
 * Listens, and returns the port. On loopback it takes both 127.0.0.1 and ::1, because "localhost" means either,
 * depending on who resolves it.
 */
async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<number> {
  const isOnLoopback = LOOPBACK_NAMES.includes(host);
  const second = createServer((request, response) => app.routing(request, response));
  app.addHook('preClose', async () => {
    if (second.listening) await new Promise((resolve) => second.close(resolve));
  });
  await app.listen({ host: isOnLoopback ? '127.0.0.1' : host, port });
  const { port: bound } = app.server.address() as AddressInfo;
  if (isOnLoopback) await listenOnIpv6(second, bound);
  return bound;
}

function readSettingsOrFail() {
  try {
    return readSettings(process.env);
  } catch (error) {
    return fail(error instanceof Error ? error.message : 'unreadable settings.');
  }
}

const settings = readSettingsOrFail();
const { app } = createSandbox(settings);
const port = await listen(app, settings).catch((error: unknown) => {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') return fail(`port ${settings.port} is taken. Set SANDBOX_PORT to a free one.`);
  return fail(`can't listen on port ${settings.port} (${code}). Check SANDBOX_HOST and SANDBOX_PORT.`);
});

let isDraining = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (isDraining) return;
    isDraining = true;
    setTimeout(() => process.exit(0), DRAIN_LIMIT_MS).unref();
    app.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
process.stdout.write(`Sandbox Discord on http://localhost:${port}\n`);
