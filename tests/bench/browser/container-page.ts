import { encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { openContainer } from '@satchel/container/open';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';

/** Runs in a dedicated worker of a real Chromium: seals a Blob of noise and opens it, on one thread. */

export interface Timing {
  readonly sealMs: number;
  readonly openMs: number;
}

function noise(sizeBytes: number): Blob {
  const piece = new Uint8Array(65_536);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < sizeBytes; at += piece.length) parts.push(crypto.getRandomValues(piece).slice());
  return new Blob(parts);
}

async function measure(sizeBytes: number): Promise<Timing> {
  const keys = await importKeys(newFolderKey());
  const plain = noise(sizeBytes);
  const decoded = encodeHeader(createHeader({ sizeBytes, name: 'bench.bin', type: 'application/octet-stream' }));
  const sealer = await createSealer(keys, decoded);
  const parts: BlobPart[] = [decoded.prefix];
  const started = performance.now();
  let sealedBytes = decoded.prefix.length;
  for await (const unit of sealStream(sealer, plain, { reuseBuffer: true })) {
    for (const chunk of unit) sealedBytes += chunk.bytes.length;
  }
  const sealMs = performance.now() - started;
  if (sealedBytes !== sealer.sizeBytes) throw new Error(`sealed ${sealedBytes} of ${sealer.sizeBytes} bytes`);

  // Seal once more, untimed, for a container to open.
  for await (const unit of sealStream(sealer, plain)) for (const chunk of unit) parts.push(new Blob([chunk.bytes]));

  const container = new Blob(parts);
  const reopened = performance.now();
  const { plaintext } = await openContainer(keys, container.stream());
  let openedBytes = 0;
  for await (const unit of plaintext) for (const piece of unit) openedBytes += piece.length;
  if (openedBytes !== sizeBytes) throw new Error(`opened ${openedBytes} of ${sizeBytes} bytes`);
  return { sealMs, openMs: performance.now() - reopened };
}

self.onmessage = async (event: MessageEvent<{ sizeBytes: number }>) => {
  try {
    self.postMessage({ timing: await measure(event.data.sizeBytes) });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
