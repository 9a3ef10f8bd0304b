import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSpanExporter } from './span-exporter.ts';

interface Sent {
  resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
}
let collector: Server;
let url: string;
let status = 200;
const received: Sent[] = [];

beforeEach(async () => {
  received.length = 0;
  status = 200;
  collector = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    received.push(JSON.parse(body));
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
});
afterEach(() => collector.close());

const spansOf = (sent: Sent[]) => sent.flatMap(({ resourceSpans }) => resourceSpans[0]!.scopeSpans[0]!.spans);
const ANSWER = { method: 'GET', route: '/rest/v1/folders/:slug', status: 503, ms: 250 };

describe('spans', () => {
  test('tell method, route template, status and times of an answer', async () => {
    const exporter = createSpanExporter(url, () => undefined);
    exporter.add(ANSWER);
    exporter.add({ ...ANSWER, status: 200 });
    await exporter.close();
    const [failed, well] = spansOf(received) as [Record<string, unknown>, Record<string, unknown>];
    expect(failed).toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'GET /rest/v1/folders/:slug',
      kind: 2,
      attributes: [
        { key: 'http.request.method', value: { stringValue: 'GET' } },
        { key: 'http.route', value: { stringValue: '/rest/v1/folders/:slug' } },
        { key: 'http.response.status_code', value: { intValue: '503' } },
      ],
      status: { code: 2 },
    });
    expect(BigInt(String(failed.endTimeUnixNano)) - BigInt(String(failed.startTimeUnixNano))).toBe(250_000_000n);
    expect(well.status).toEqual({});
    expect(well.traceId).not.toBe(failed.traceId);
  });

  test('are dropped, and that is reported, when the collector refuses them or is away', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown) => reported.push(error);
    status = 500;
    const refused = createSpanExporter(url, report);
    refused.add(ANSWER);
    await refused.close();
    const away = createSpanExporter('http://127.0.0.1:1/v1/traces', report);
    away.add(ANSWER);
    await away.close();
    expect(reported).toHaveLength(2);
    expect(reported[0]).toMatchObject({ code: 'status_500' });
  });

  test('without an answer nothing is sent', async () => {
    await createSpanExporter(url, () => undefined).close();
    expect(received).toEqual([]);
  });
});
