import { defineConfig } from 'vitest/config';
import { texts } from './apps/web/vite.texts.ts';
import { LongestFirst } from './scripts/tests/longest-first.mjs';
import { OutsideErrors } from './scripts/tests/outside-errors.mjs';
import { excludesOf, SUITES } from './scripts/tests/suites.mjs';

/** Set by scripts/tests/run-tests.mjs: where results go, and that there were errors outside of tests. */
const { TEST_RESULTS_FILE: results, OUTSIDE_ERRORS_FILE: outsideErrors } = process.env;

export default defineConfig({
  test: {
    ...(results &&
      outsideErrors && { reporters: ['default', ['json', { outputFile: results }], new OutsideErrors(outsideErrors)] }),
    sequence: { sequencer: LongestFirst },
    projects: SUITES.map((suite) => ({
      plugins: suite.name === 'web' ? texts() : [],
      test: {
        name: suite.name,
        include: suite.include,
        exclude: excludesOf(suite),
        environment: 'node',
        // A style sheet that a component links has an address only where Vite handles it.
        css: suite.name === 'web',
        environmentOptions: { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: true } } },
        isolate: !suite.sharesModules,
        setupFiles: ['tests/fail-on-console-error.ts', ...(suite.setupFiles ?? [])],
        testTimeout: suite.timeoutMs,
        hookTimeout: suite.timeoutMs,
        expect: { poll: { timeout: suite.timeoutMs / 6 } },
      },
    })),
  },
});
