/** Parts of a zip's directory are smaller, and the packer still counts them; no collector ever waits for so little. */
const RELEASED_BYTES = 64 * 1024;

/** What is moved to a port that leads nowhere is freed. */
function deadEnd(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}
let nowhere: MessagePort | null = null;

/**
 * Frees a chunk at once. Left to the collector, which looks when 64 MiB of them have come together and takes its time on
 * a busy machine, chunks took 60 to 290 MB during a download. `transfer(0)` frees nothing in Chromium: what its own objects
 * still hold is then no longer counted, and never collected.
 */
export function releaseChunk({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength < RELEASED_BYTES) return;
  nowhere ??= deadEnd();
  nowhere.postMessage(null, [buffer]);
}
