// Usage: node scripts/test.mjs [all | OPTIONS OF VITEST] | bench [name] | crashes | faults [part] | cluster [nodes [seconds]] | sites [s3|nodes|kills|usercontent [acceptance|browser [name …]]]
import { enterRuntime } from './runtime/enter-runtime.mjs';

const [part, ...rest] = process.argv.slice(2);
await enterRuntime(import.meta.url, {
  beside: async () => !process.env.DATABASE_URL && (await import('./postgres/binaries.mjs')).ensurePostgres(),
});
if (part === 'bench') await (await import('./tests/bench.mjs')).runBench(rest);
else if (part === 'cluster') await (await import('./tests/cluster.mjs')).runCluster(rest);
else if (part === 'faults') await (await import('./tests/faults.mjs')).runFaults(rest);
else if (part === 'sites') await (await import('./tests/cluster.mjs')).runOnSites(rest);
else if (part === 'crashes') await (await import('./tests/faults.mjs')).runCrashes();
else
  await (await import('./tests/run-tests.mjs')).runTests(
    part === 'all' || !part ? { isAll: !!part } : { args: [part, ...rest] },
  );
