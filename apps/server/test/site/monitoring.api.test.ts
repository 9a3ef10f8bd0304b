import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATHS } from '@satchel/contract/api';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { createTestApp } from '../support/test-app.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** The names of this server's own metrics. */
const namesIn = (text: string) => new Set(text.match(/\b(?:satchel|http)_\w+/g) ?? []);
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

test('/metrics has each metric of dashboard, alert rules and documentation, which explains each of them', async () => {
  const metrics = createMetrics({ ofProcess: true });
  const app = await createTestApp({ env: { SITE_STORAGE_BYTES: '10GiB' }, deps: { metrics } });
  const scrape = await (await app.call('GET', PATHS.metrics)).text();
  const types = [...scrape.matchAll(/^# TYPE ((?:satchel|http)_\w+) (\w+)$/gm)];
  const series = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['', '_bucket', '_count', '_sum'].map((end) => name + end) : [name],
  );
  const page = await read('docs/operate.md');
  for (const text of [page, await read('deploy/monitoring/alerts.yml'), await read('deploy/monitoring/dashboard.json')])
    expect([...namesIn(text)].filter((name) => !series.includes(name))).toEqual([]);
  const explained = namesIn(page);
  expect(types.map(([, name = '']) => name).filter((name) => !explained.has(name))).toEqual([]);
});
