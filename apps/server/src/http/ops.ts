import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { isLoopback } from '../config.ts';
import { maxDescriptors, openDescriptors } from '../platform/descriptors.ts';
import type { AppDeps } from './deps.ts';
import { AWAY_RETRY_SECONDS } from './errors.ts';

const MAX_DESCRIPTORS = maxDescriptors();
const READY_WITHIN_MS = 2000;
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

interface RouteTotals {
  count: number;
  seconds: number;
}

/** Counts answers by route template, so that no person's path appears. */
function countRequests(app: FastifyInstance): () => string[] {
  const totals = new Map<string, RouteTotals>();
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const labels = `method="${request.method}",route="${route}",status="${reply.statusCode}"`;
    const total = totals.get(labels) ?? { count: 0, seconds: 0 };
    totals.set(labels, { count: total.count + 1, seconds: total.seconds + reply.elapsedTime / 1000 });
  });
  return () => [
    '# TYPE http_request_duration_seconds summary',
    ...[...totals].flatMap(([labels, { count, seconds }]) => [
      `http_request_duration_seconds_count{${labels}} ${count}`,
      `http_request_duration_seconds_sum{${labels}} ${seconds}`,
    ]),
  ];
}

function processNumbers(): string[] {
  const open = openDescriptors();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return [
    '# TYPE process_cpu_seconds_total counter',
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${rss}`,
    '# TYPE nodejs_heap_size_used_bytes gauge',
    `nodejs_heap_size_used_bytes ${heapUsed}`,
    ...(open === null ? [] : ['# TYPE process_open_fds gauge', `process_open_fds ${open}`]),
    '# TYPE process_max_fds gauge',
    `process_max_fds ${MAX_DESCRIPTORS}`,
    '# TYPE process_start_time_seconds gauge',
    `process_start_time_seconds ${Math.round(Date.now() / 1000 - process.uptime())}`,
  ];
}

async function answers(database: AppDeps['database']): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database did not answer in time')), READY_WITHIN_MS);
  });
  try {
    await Promise.race([database.db.execute(sql`select 1`), tooLate]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Health checks for operators (DESIGN §5, "Operations"). */
export function opsRoutes({ database }: Pick<AppDeps, 'database'>): FastifyPluginAsync {
  return async (app) => {
    app.get(PATHS.healthz, async (_request, reply) => reply.type('text/plain').send('ok\n'));

    app.get(PATHS.readyz, async (_request, reply) => {
      if (!(await answers(database)))
        throw new AppError('request.unavailable', { retry_after_seconds: AWAY_RETRY_SECONDS });
      return reply.type('text/plain').send('ok\n');
    });
  };
}

/** Prometheus metrics, for callers on this machine only. Pass the root: every route is counted. */
export function measure(app: FastifyInstance): void {
  const requestNumbers = countRequests(app);
  // A scope of its own registers later, after the API's description has begun to listen for routes.
  app.register(async (scope) => {
    scope.get(PATHS.metrics, async (request, reply) => {
      if (!isLocal(request)) throw new AppError('request.not_found');
      return reply.type('text/plain; version=0.0.4').send(`${[...processNumbers(), ...requestNumbers()].join('\n')}\n`);
    });
  });
}
