import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { texts } from './apps/web/vite.texts.ts';
import { RUNTIME_DIR } from './scripts/runtime/paths.mjs';
import { findEngines } from './scripts/tests/browser-and-proxy.mjs';
import { measurePace } from './scripts/tests/pace.mjs';
import { excludesOf, findSiteTests, PROJECTS } from './scripts/tests/projects.mjs';
import { engineProvider } from './tests/support/engines/provider.ts';

/** Deadlines stop what hangs; how long something takes is the bench's subject. */
const pace = measurePace();
const WAIT_SECONDS = 60;
const deadlineMs = (seconds: number) => Math.ceil(seconds * 1000 * pace);

/** Where servers, sandboxes and launchers keep what they compiled: a sandbox starts in half of its processor's time. */
process.env.NODE_COMPILE_CACHE ??= join(RUNTIME_DIR, 'compiled');

const inBrowsers = {
  enabled: true,
  headless: true,
  screenshotFailures: false,
  instances: findEngines().map((browser) => ({ browser })),
  provider: engineProvider(),
};

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    teardownTimeout: deadlineMs(WAIT_SECONDS),
    watchTriggerPatterns: [{ pattern: /\/(apps|packages)\/.*\/src\//, testsToRun: findSiteTests }],
    projects: PROJECTS.map((project) => ({
      plugins: project.name === 'web' ? texts() : [],
      test: {
        name: project.name,
        include: project.include,
        exclude: excludesOf(project),
        environment: 'node',
        // A style sheet that a component links has an address only where Vite handles it.
        css: project.name === 'web',
        environmentOptions: { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: true } } },
        isolate: !project.sharesModules,
        ...(project.inBrowsers && { browser: inBrowsers }),
        globalSetup: (project.needs ?? []).map((need) => `tests/needs/${need}.mjs`),
        setupFiles: ['tests/fail-on-console-error.ts', ...(project.setupFiles ?? [])],
        testTimeout: deadlineMs(project.seconds),
        hookTimeout: deadlineMs(project.seconds),
        expect: { poll: { timeout: deadlineMs(WAIT_SECONDS) } },
      },
    })),
  },
});
