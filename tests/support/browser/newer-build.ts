import type { Page } from 'playwright-core';

/**
 * Has a page register its service worker under another address, which to the browser is another worker, as that of another
 * build would be. Before the page is loaded.
 */
export const asNewerBuild = (page: Page): Promise<unknown> => page.addInitScript(renameServiceWorker);

function renameServiceWorker(): void {
  type Rules = { createScriptURL: (address: string) => string };
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes: { createPolicy: (name: string, rules: Rules) => unknown };
  };
  const createPolicy = trustedTypes.createPolicy.bind(trustedTypes);
  trustedTypes.createPolicy = (name, rules) =>
    createPolicy(name, {
      ...rules,
      createScriptURL: (address) => rules.createScriptURL(address).replace(/^\/sw\.js$/, '/sw.js?newer'),
    });
}

/** Whether the worker that serves pages, and the one that waits to, are a newer build's; null where there is none. */
export const newerWorkers = (page: Page): Promise<readonly (boolean | null)[]> =>
  page.evaluate(async () => {
    const { active, waiting } = (await navigator.serviceWorker.getRegistration()) ?? {};
    return [active, waiting].map((worker) => worker?.scriptURL.endsWith('?newer') ?? null);
  });
