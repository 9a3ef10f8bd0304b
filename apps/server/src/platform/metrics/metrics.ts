import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The figures that this process counts, in Prometheus' terms. docs/operate.md explains each; none has a label that
 * names a person, a folder or an address.
 */
export interface Metrics {
  readonly registry: Registry;
  /** One observation for each answer, by route template. */
  readonly answers: Histogram<'method' | 'route' | 'status'>;
  readonly rateRefusals: Counter<'group'>;
  readonly openTransfers: Gauge<'kind'>;
  readonly sweepSeconds: Histogram;
  readonly sweepFailures: Counter;
  readonly sweptAt: Gauge;
  readonly followUps: Counter<'outcome'>;
  readonly keyServiceSeconds: Histogram<'outcome'>;
}

/** From an answer out of memory to a transfer of half an hour. */
const ANSWER_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 1800];
const CALL_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SWEEP_SECONDS = [0.1, 0.5, 1, 5, 30, 120, 600];

/** How often the event loop's lag is sampled. At prom-client's default of 10 ms that would be most of an idle node's work. */
const LAG_EVERY_MS = 50;

/**
 * Creates the figures of one process.
 * @param options.ofProcess true to add the metrics of Node and the process: memory, processor, event loop, descriptors
 */
export function createMetrics({ ofProcess = false } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (ofProcess) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  const metrics: Metrics = {
    registry,
    answers: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time until an answer was sent, by route template',
      labelNames: ['method', 'route', 'status'],
      buckets: ANSWER_SECONDS,
      registers,
    }),
    rateRefusals: new Counter({
      name: 'satchel_rate_limit_refusals_total',
      help: 'Requests refused because their client was above a limit, by group of routes',
      labelNames: ['group'],
      registers,
    }),
    openTransfers: new Gauge({
      name: 'satchel_open_transfers',
      help: 'Uploads and downloads under way on this node',
      labelNames: ['kind'],
      registers,
    }),
    sweepSeconds: new Histogram({
      name: 'satchel_sweep_duration_seconds',
      help: 'Duration of sweeps',
      buckets: SWEEP_SECONDS,
      registers,
    }),
    sweepFailures: new Counter({
      name: 'satchel_sweep_failures_total',
      help: 'Steps of sweeps that failed; the next sweep tries again',
      registers,
    }),
    sweptAt: new Gauge({
      name: 'satchel_sweep_last_end_timestamp_seconds',
      help: 'When the last sweep of this process ended; 0 before the first',
      registers,
    }),
    followUps: new Counter({
      name: 'satchel_discord_follow_ups_total',
      help: "The bot's own calls to Discord, by outcome: ok, rate_limited (sent later), refused, failed, unreachable",
      labelNames: ['outcome'],
      registers,
    }),
    keyServiceSeconds: new Histogram({
      name: 'satchel_key_service_duration_seconds',
      help: 'Time of calls to the key service, by outcome: ok, failed',
      labelNames: ['outcome'],
      buckets: CALL_SECONDS,
      registers,
    }),
  };
  // A rate of a series that begins with its first event misses that event.
  for (const kind of ['upload', 'download']) metrics.openTransfers.set({ kind }, 0);
  for (const outcome of ['ok', 'rate_limited', 'refused', 'failed', 'unreachable'])
    metrics.followUps.inc({ outcome }, 0);
  return metrics;
}
