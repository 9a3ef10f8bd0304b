import type { SendEvent, UploadProgress } from './order.ts';

/** Four a second are plenty for an eye, and few enough for the page, which draws the queue for each. */
const EVERY_MS = 250;

/** Counts an upload's bytes, and tells the page now and then. */
export interface Meter {
  sealed(bytes: number): void;
  uploaded(bytes: number): void;
  /** Bytes made again and found right: they are sealed, and the server has them. */
  checked(bytes: number): void;
  /** Begins again. */
  reset(bytesTotal: number): void;
  /** Tells what has not been told yet. */
  flush(): void;
  /**
   * Tells an event after the bytes that were counted before it: told later, they look like bytes that moved since, and the page
   * would no longer show that the upload waits.
   */
  tell(event: SendEvent): void;
}

export function createMeter(emit: (event: SendEvent) => void, nowMs: () => number = Date.now): Meter {
  let figures: UploadProgress = { bytesSealed: 0, bytesUploaded: 0, bytesTotal: 0 };
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let isTold = true;

  function flush(): void {
    if (isTold) return;
    isTold = true;
    toldAtMs = nowMs();
    emit({ type: 'progress', ...figures });
  }

  function change(next: Partial<UploadProgress>): void {
    figures = { ...figures, ...next };
    isTold = false;
    if (nowMs() - toldAtMs >= EVERY_MS) flush();
  }

  return {
    sealed: (bytes) => change({ bytesSealed: Math.max(figures.bytesSealed, bytes) }),
    uploaded: (bytes) => change({ bytesUploaded: bytes }),
    checked: (bytes) => change({ bytesSealed: bytes, bytesUploaded: bytes }),
    reset(bytesTotal) {
      figures = { bytesSealed: 0, bytesUploaded: 0, bytesTotal };
      isTold = false;
      flush();
    },
    flush,
    tell(event) {
      flush();
      emit(event);
    },
  };
}
