import type { BrowserContext, Page } from 'playwright-core';

/** The built script of the upload worker. */
const UPLOAD_WORKER = /\/assets\/upload-worker-[\w-]+\.js$/;

/**
 * Takes WebSocket away from the upload worker, as an old browser or a strict policy would: its uploads go by tus, whose
 * requests a test can hold or answer.
 * @param times how many workers; with the last of them the browser no longer asks about requests
 * @returns how many there were
 */
export async function withoutSocket(context: BrowserContext | Page, times?: number): Promise<() => number> {
  let changed = 0;
  await context.route(
    UPLOAD_WORKER,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `delete globalThis.WebSocket;${await response.text()}` });
      changed += 1;
    },
    times === undefined ? {} : { times },
  );
  return () => changed;
}
