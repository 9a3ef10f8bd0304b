import { defineConfig } from 'vitest/config';

const SECOND_MS = 1000;

interface Suite {
  name: string;
  include: string[];
  exclude?: string[];
  timeoutMs: number;
  /** Suites that start servers and browsers take turns: on two cores they would only slow each other down. */
  isSerial?: boolean;
}

const suites: Suite[] = [
  { name: 'contract', include: ['packages/contract/src/**/*.test.ts'], timeoutMs: 10 * SECOND_MS },
  { name: 'container', include: ['packages/container/src/**/*.test.ts'], timeoutMs: 60 * SECOND_MS },
  {
    name: 'server-unit',
    include: ['apps/server/src/**/*.test.ts'],
    exclude: ['**/*.api.test.ts'],
    timeoutMs: 30 * SECOND_MS,
  },
  { name: 'server-api', include: ['apps/server/**/*.api.test.ts'], timeoutMs: 60 * SECOND_MS },
  { name: 'sandbox', include: ['apps/sandbox/src/**/*.test.ts'], timeoutMs: 20 * SECOND_MS },
  { name: 'web', include: ['apps/web/src/**/*.test.{ts,tsx}'], timeoutMs: 20 * SECOND_MS },
  { name: 'scripts', include: ['scripts/**/*.test.mjs'], timeoutMs: 60 * SECOND_MS },
  {
    name: 'acceptance',
    include: ['tests/acceptance/**/*.test.ts'],
    timeoutMs: 120 * SECOND_MS,
    isSerial: true,
  },
  { name: 'e2e', include: ['tests/e2e/**/*.test.ts'], timeoutMs: 180 * SECOND_MS, isSerial: true },
];

export default defineConfig({
  test: {
    projects: suites.map(({ name, include, exclude = [], timeoutMs, isSerial = false }) => ({
      test: {
        name,
        include,
        exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
        environment: 'node',
        setupFiles: ['tests/fail-on-console-error.ts'],
        testTimeout: timeoutMs,
        hookTimeout: timeoutMs,
        fileParallelism: !isSerial,
      },
    })),
  },
});
