import { deviceLocks } from '../../../lib/base/device.ts';
import { keepFreedChunks } from '../../../lib/browser/keep-freed-chunks.ts';
import type { OpeningOrder, OpeningReady } from './opening-protocol.ts';
import { serveOffer } from './serve-offer.ts';

/**
 * Fetches and opens for the service worker, whose one thread then only hands bytes to the browser: opening on that thread
 * held up the bytes that were opened already.
 */

keepFreedChunks();

const lock = `satchel-opening-${crypto.randomUUID()}`;
/** Held until this worker ends. */
const held = new Promise<void>((resolve) => {
  const hold = () => {
    resolve();
    return new Promise(() => {});
  };
  // Without locks there is no service worker either, which is all that asks for this one.
  deviceLocks()
    ?.request(lock, hold)
    .catch(() => {});
});

globalThis.addEventListener('message', async ({ data, ports: [port] }: MessageEvent<OpeningOrder>) => {
  if (!port) return;
  serveOffer(port, data.offer);
  await held;
  port.postMessage({ lock } satisfies OpeningReady);
});
