import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { texts } from './apps/web/vite.texts.ts';
import { RUNTIME_DIR } from './scripts/runtime/paths.mjs';
import { measurePace } from './scripts/tests/pace.mjs';
import { excludesOf, findSiteTests, PROJECTS } from './scripts/tests/projects.mjs';

/** Deadlines stop what hangs; how long something takes is the bench's subject. */
const pace = measurePace();
const WAIT_SECONDS = 60;
const deadlineMs = (seconds: number) => Math.ceil(seconds * 1000 * pace);

/** Where servers, sandboxes and launchers keep what they compiled: a sandbox starts in half of its processor's time. */
process.env.NODE_COMPILE_CACHE ??= join(RUNTIME_DIR, 'compiled');

/** The browser is found before tests run in it (tests/needs/chromium.mjs), not when this file is read. */
const IN_BROWSER = {
  enabled: true,
  headless: true,
  screenshotFailures: false,
  instances: [{ browser: 'chromium' as const }],
  provider: playwright({
    launchOptions: {
      get executablePath() {
        return process.env.HEADLESS_SHELL_PATH ?? process.env.CHROMIUM_PATH;
      },
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  }),
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
        ...(project.inBrowser && { browser: IN_BROWSER }),
        globalSetup: (project.needs ?? []).map((need) => `tests/needs/${need}.mjs`),
        setupFiles: ['tests/fail-on-console-error.ts', ...(project.setupFiles ?? [])],
        testTimeout: deadlineMs(project.seconds),
        hookTimeout: deadlineMs(project.seconds),
        expect: { poll: { timeout: deadlineMs(WAIT_SECONDS) } },
      },
    })),
  },
});
