import { defineConfig } from 'vitest/config';
import { texts } from './apps/web/vite.texts.ts';
import { excludesOf, SUITES } from './scripts/tests/suites.mjs';

export default defineConfig({
  test: {
    projects: SUITES.map((suite) => ({
      plugins: suite.name === 'web' ? texts() : [],
      test: {
        name: suite.name,
        include: suite.include,
        exclude: excludesOf(suite),
        environment: 'node',
        isolate: !suite.sharesModules,
        setupFiles: ['tests/fail-on-console-error.ts', ...(suite.setupFiles ?? [])],
        testTimeout: suite.timeoutMs,
        hookTimeout: suite.timeoutMs,
        expect: { poll: { timeout: suite.timeoutMs / 6 } },
      },
    })),
  },
});
