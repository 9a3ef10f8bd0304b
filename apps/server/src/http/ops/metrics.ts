import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import type { Checks } from '../../domain/site-checks.ts';
import { readSiteFigures, type SiteFigures } from '../../domain/site-figures.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { FreeSpace } from '../../platform/site/free-space.ts';
import { isLoopback } from '../../setting-types.ts';

/** `/metrics`, in Prometheus' text format (docs/operate.md). */

const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** True for a call made on this machine itself, false for one that a local proxy forwards. */
function isLocal(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  if (!/^(::1|(::ffff:)?127\.)/.test(address)) return false;
  if (PROXY_HEADERS.some((name) => request.headers[name] !== undefined)) return false;
  // False also for a page whose host name was pointed at this machine (DNS rebinding).
  const host = `http://${request.headers.host ?? ''}`;
  return URL.canParse(host) && isLoopback(new URL(host).hostname);
}

/** True for the bearer token METRICS_TOKEN, compared in constant time. */
function hasToken(request: FastifyRequest, token: string | null): boolean {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (token === null || given === undefined) return false;
  const [expected, actual] = [Buffer.from(token), Buffer.from(given)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** Counts the bytes of all connections of the server, closed ones and open ones. */
function countBytes(app: FastifyInstance, registry: Registry): void {
  const open = new Set<Socket>();
  const closed = { received: 0, sent: 0 };
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed.received += socket.bytesRead;
      closed.sent += socket.bytesWritten;
    });
  });
  const sum = (of: (socket: Socket) => number, before: number) =>
    [...open].reduce((all, socket) => all + of(socket), before);
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  counter('satchel_network_received_bytes_total', 'Bytes received on all connections', () =>
    sum((socket) => socket.bytesRead, closed.received),
  );
  counter('satchel_network_sent_bytes_total', 'Bytes sent on all connections', () =>
    sum((socket) => socket.bytesWritten, closed.sent),
  );
}

/** Counts answers by route template, so that no person's path appears. */
function countAnswers(app: FastifyInstance, { answers }: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    answers.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

function watchPool(registry: Registry, database: Database): void {
  new Gauge({
    name: 'satchel_database_connections',
    help: 'Connections of the pool by state, and callers that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(database.connections())) this.set({ state }, count);
    },
  });
}

/** The checks of `/readyz?deep`: Prometheus learns of a part that fails where no balancer asks. */
function watchChecks(registry: Registry, checks: Checks): void {
  new Gauge({
    name: 'satchel_check_failed',
    help: 'For each check of /readyz?deep: 1 if it fails, otherwise 0',
    labelNames: ['check'],
    registers: [registry],
    async collect() {
      const all = await Promise.all([checks.own(), checks.shared()]);
      for (const verdicts of all)
        for (const [name, verdict] of Object.entries(verdicts)) this.set({ check: name }, verdict === 'ok' ? 0 : 1);
    },
  });
}

function watchDisk(registry: Registry, freeSpace: FreeSpace): void {
  new Gauge({
    name: 'satchel_disk_bytes',
    help: 'Size of the file system of DATA_DIR, and what of it is free',
    labelNames: ['of'],
    registers: [registry],
    async collect() {
      const space = await freeSpace.read();
      this.reset();
      if (!space) return;
      this.set({ of: 'size' }, space.sizeBytes);
      this.set({ of: 'free' }, space.freeBytes);
    },
  });
}

const SITE_FIGURES: Readonly<Record<keyof SiteFigures, readonly [name: string, help: string]>> = {
  profiles: ['satchel_profiles', 'Accounts'],
  folders: ['satchel_folders', 'Live folders'],
  files: ['satchel_files', 'Files of live folders'],
  file_bytes: ['satchel_file_bytes', 'Bytes of the files of live folders'],
  used_bytes: ['satchel_storage_used_bytes', 'Bytes of files and stills, as booked on accounts'],
  reserved_bytes: ['satchel_storage_reserved_bytes', 'Bytes reserved for uploads under way'],
  open_uploads: ['satchel_open_upload_rows', 'Uploads that are begun and can still be completed'],
  queued_blobs: ['satchel_purge_queue_blobs', 'Blobs that wait to be purged'],
  oldest_queued_seconds: ['satchel_purge_queue_oldest_seconds', 'Age of the oldest blob that waits to be purged'],
  sweep_lag_seconds: ['satchel_sweep_lag_seconds', 'For how long the oldest expired folder has waited for a sweep'],
  key_lag_seconds: [
    'satchel_key_erasure_lag_seconds',
    'For how long the oldest expired key has waited for its erasure',
  ],
};
/** The figures look at each account and live folder; Prometheus asks every 15 to 60 seconds, perhaps from two places. */
const FIGURES_FOR_MS = 30_000;

/** The figures of the whole site, which every node tells alike. A database that is away leaves them out. */
function watchSite(registry: Registry, { db }: Database, report: (error: unknown) => void): () => Promise<void> {
  const gauges = Object.entries(SITE_FIGURES).map(
    ([figure, [name, help]]) =>
      [figure as keyof SiteFigures, new Gauge({ name, help, registers: [registry] })] as const,
  );
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - readAtMs < FIGURES_FOR_MS) return;
    readAtMs = performance.now();
    try {
      const figures = await readSiteFigures(db);
      for (const [figure, gauge] of gauges) gauge.set(figures[figure]);
    } catch (error) {
      for (const [, gauge] of gauges) gauge.remove();
      report(error);
    }
  };
}

/** SITE_STORAGE_BYTES, where it is set. */
function tellStorageLimit(registry: Registry, limitBytes: number | null): void {
  if (limitBytes === null) return;
  const name = 'satchel_storage_limit_bytes';
  new Gauge({ name, help: 'The most that all accounts together may use', registers: [registry] }).set(limitBytes);
}

export interface MeasureDeps {
  readonly config: Pick<Config, 'metricsToken' | 'siteStorageBytes'>;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly freeSpace: FreeSpace;
  readonly checks: Checks;
  readonly report: (error: unknown, what: string) => void;
}

/**
 * Counts what the server does, and answers `/metrics` to callers on this machine and to callers with METRICS_TOKEN. Pass
 * the root: every route is counted.
 */
export function measure(
  app: FastifyInstance,
  { config, database, metrics, freeSpace, checks, report }: MeasureDeps,
): void {
  countAnswers(app, metrics);
  // Metrics of this app, beside the ones that the parts of the process count.
  const registry = new Registry();
  countBytes(app, registry);
  watchPool(registry, database);
  watchDisk(registry, freeSpace);
  watchChecks(registry, checks);
  tellStorageLimit(registry, config.siteStorageBytes);
  const readSite = watchSite(registry, database, (error) => report(error, 'figures of the site not read'));
  const all = Registry.merge([metrics.registry, registry]);
  // A scope of its own registers later, after the API's description has begun to listen for routes.
  app.register(async (scope) => {
    scope.get(PATHS.metrics, async (request, reply) => {
      if (!isLocal(request) && !hasToken(request, config.metricsToken)) throw new AppError('request.not_found');
      await readSite();
      return reply.type(all.contentType).send(await all.metrics());
    });
  });
}
