const WITHIN_MS = 3000;

/**
 * Resolves when the page has drawn what it has and nothing else waits: for what would take the place of names and first
 * pictures on a slow line.
 */
export const whenIdle = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: WITHIN_MS });
    else setTimeout(resolve);
  });
