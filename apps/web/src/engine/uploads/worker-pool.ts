/** Idle workers are ended after this long. */
const IDLE_MS = 5000;
/** At most this many idle workers are kept: as many as small files go at once. */
const IDLE_MAX = 6;

export interface WorkerPool {
  /** An idle worker, or a new one. */
  take(): Worker;
  /** Takes back an idle worker that sends no further messages. */
  giveBack(worker: Worker): void;
}

/** Keeps workers for the next file: to start one takes longer than to upload a small file. */
export function createWorkerPool(createWorker: () => Worker): WorkerPool {
  const idle = new Map<Worker, ReturnType<typeof setTimeout>>();

  function dismiss(worker: Worker): void {
    idle.delete(worker);
    worker.terminate();
  }

  return {
    take() {
      for (const [worker, timer] of idle) {
        clearTimeout(timer);
        idle.delete(worker);
        return worker;
      }
      return createWorker();
    },
    giveBack(worker) {
      if (idle.size >= IDLE_MAX) return worker.terminate();
      idle.set(worker, setTimeout(dismiss, IDLE_MS, worker));
    },
  };
}
