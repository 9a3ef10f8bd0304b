import type { PutAddress } from '@satchel/contract/wire/direct-uploads';

/** The store did not take a part; status 0: it did not answer. */
export class PutFailed extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The store answered ${status}`);
    this.name = 'PutFailed';
    this.status = status;
  }
}

export interface Put {
  readonly address: PutAddress;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
  /** Hears how many bytes the network has taken. */
  readonly onSent: (bytes: number) => void;
}

/** A lost connection reports no error: without progress for this long it is given up. */
const SILENT_MS = 60_000;

/**
 * Stores a part at its address. By XMLHttpRequest, since fetch tells nothing of what is sent.
 * @throws PutFailed, or why the signal was aborted
 */
export function putPart({ address: { url, headers }, bytes, signal, onSent }: Put): Promise<void> {
  const request = new XMLHttpRequest();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => request.abort(), SILENT_MS);
  };
  const leave = () => request.abort();
  const stored = new Promise<void>((resolve, reject) => {
    request.onload = () => (request.status === 200 ? resolve() : reject(new PutFailed(request.status)));
    request.onerror = () => reject(new PutFailed(0));
    request.onabort = () => reject(signal.aborted ? signal.reason : new PutFailed(0));
    request.upload.onprogress = ({ loaded }) => {
      watch();
      onSent(loaded);
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', leave, { once: true });
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    watch();
    request.send(bytes);
  });
  return stored.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  });
}
