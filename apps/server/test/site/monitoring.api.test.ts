import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATHS } from '@satchel/contract/api';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { createTestApp } from '../support/test-app.ts';

/** What dashboard and alert rules are checked against, by `scripts/check.mjs monitoring`. RECORD_SCRAPE=1 writes it anew. */
const RECORDED = join(import.meta.dirname, '../../../../deploy/monitoring/scrape.txt');

const metrics = createMetrics({ ofProcess: true });
const app = await createTestApp({ env: { SITE_STORAGE_BYTES: '10GiB' }, deps: { metrics } });
// Series that only appear with an event which a test of one process doesn't have.
metrics.rateRefusals.inc({ group: 'reads' });
metrics.sweepSeconds.observe(0.2);
metrics.sweptAt.set(1_700_000_000);
for (const outcome of ['ok', 'failed']) metrics.keyServiceSeconds.observe({ outcome }, 0.01);
for (const status of [500, 507]) metrics.answers.observe({ method: 'POST', route: PATHS.resumable, status }, 0.01);
await app.call('GET', `${PATHS.folders}/a-slug`);
await app.call('POST', `${PATHS.list}/a-bucket`, { body: {} });
await app.call('POST', PATHS.interactions, { body: {} });
await app.call('GET', PATHS.session);
await app.call('GET', PATHS.readyz);

/** The names of all metrics with their types, and the series of those that are this server's own. */
function shapeOf(scrape: string): string[] {
  const types = scrape.match(/^# TYPE .*$/gm) ?? [];
  const series = scrape.match(/^(satchel|http)_[^ ]+/gm) ?? [];
  return [...new Set([...types, ...series])].sort();
}

test('the recorded scrape has the metrics, labels and routes of this version, and no others', async () => {
  // The first answer is not in its own figures.
  await app.call('GET', PATHS.metrics);
  const scrape = await (await app.call('GET', PATHS.metrics)).text();
  if (process.env.RECORD_SCRAPE) await writeFile(RECORDED, scrape);
  const recorded = shapeOf(await readFile(RECORDED, 'utf8'));
  // Which figures Node and the kernel give is the machine's.
  const own = (lines: string[]) => lines.filter((line) => !/^# TYPE (process|nodejs)_/.test(line));
  expect(own(shapeOf(scrape))).toEqual(own(recorded));
  if (process.platform === 'linux') expect(shapeOf(scrape)).toEqual(recorded);
});
