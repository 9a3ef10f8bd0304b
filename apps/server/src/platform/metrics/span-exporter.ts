import { randomBytes } from 'node:crypto';

/**
 * Sends spans by OTLP over HTTP in JSON, which every OpenTelemetry collector takes. One kind of span needs a few lines
 * here, where the SDK and its exporter bring a hundred packages.
 */

/** An answer, as its span has it: nothing that names a person, a folder or an address. */
export interface AnswerSpan {
  readonly method: string;
  /** The route's template. */
  readonly route: string;
  readonly status: number;
  /** How long it took until now. */
  readonly ms: number;
}

export interface SpanExporter {
  add(span: AnswerSpan): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

const SEND_EVERY_MS = 5000;
const BATCH_MAX = 512;
/** A collector that is away costs spans, and no memory. */
const WAITING_MAX = 4096;
const ANSWER_WITHIN_MS = 5000;
const KIND_SERVER = 2;
const STATUS_ERROR = 2;
const NANOSECONDS = 1_000_000n;

const nanoseconds = (ms: number) => String(BigInt(Math.round(ms)) * NANOSECONDS);
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

const toOtlp = ({ method, route, status, ms }: AnswerSpan, endMs: number) => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  name: `${method} ${route}`,
  kind: KIND_SERVER,
  startTimeUnixNano: nanoseconds(endMs - ms),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: [
    text('http.request.method', method),
    text('http.route', route),
    { key: 'http.response.status_code', value: { intValue: String(status) } },
  ],
  status: status >= 500 ? { code: STATUS_ERROR } : {},
});

const RESOURCE = { attributes: [text('service.name', 'satchel')] };

/**
 * @param url where the collector takes traces, such as http://127.0.0.1:4318/v1/traces
 * @param report is called when spans could not be sent; they are dropped
 */
export function createSpanExporter(url: string, report: (error: unknown) => void): SpanExporter {
  let waiting: ReturnType<typeof toOtlp>[] = [];
  let sending: Promise<void> = Promise.resolve();

  async function send(spans: typeof waiting): Promise<void> {
    const body = { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: { name: 'satchel' }, spans }] }] };
    try {
      const { ok, status } = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      if (!ok) throw Object.assign(new Error('the collector refused spans'), { code: `status_${status}` });
    } catch (error) {
      report(error);
    }
  }
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await send(waiting.splice(0, BATCH_MAX));
  }
  const flush = () => {
    sending = sending.then(sendAll);
    return sending;
  };
  const timer = setInterval(flush, SEND_EVERY_MS).unref();

  return {
    add(span) {
      if (waiting.length < WAITING_MAX) waiting.push(toOtlp(span, Date.now()));
    },
    async close() {
      clearInterval(timer);
      const left = waiting.slice(0, BATCH_MAX);
      waiting = [];
      await Promise.all([sending, left.length > 0 ? send(left) : undefined]);
    },
  };
}
