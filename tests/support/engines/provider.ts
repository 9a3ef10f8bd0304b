import { playwright } from '@vitest/browser-playwright';
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node';
import type { Engine } from './engine.ts';

/**
 * Vitest's own driver starts Playwright's builds of Firefox and WebKit only. This one opens the page of a run as tests of sites do;
 * it has no commands, which only tests of screens send.
 */
export const engineProvider = (): BrowserProviderOption => ({
  ...playwright(),
  prewarm: () => {},
  providerFactory(project) {
    // Sent before each file; no test here looks at how large its page is.
    project.browser?.registerCommand('__vitest_viewport' as never, async () => undefined as never);
    return createProvider(project.config.browser.name as Engine);
  },
});

function createProvider(engine: Engine): BrowserProvider {
  const closers: (() => Promise<void>)[] = [];
  return {
    name: 'engines',
    supportsParallelism: false,
    getCommandsContext: () => ({}),
    async openPage(_session, url) {
      const { openEngine } = await import('./engine.ts');
      const browser = await openEngine(engine);
      closers.unshift(browser.close);
      const { page, close } = await browser.visit();
      closers.unshift(close);
      await page.goto(url);
    },
    async close() {
      for (const close of closers.splice(0)) await close();
    },
  };
}
