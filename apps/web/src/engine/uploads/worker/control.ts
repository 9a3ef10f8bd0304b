/** The page's instructions to a running upload: pause, resume, and whether there is a network. */
export interface Control {
  readonly online: boolean;
  pause(): void;
  resume(): void;
  setOnline(online: boolean): void;
  /** Aborted by the next pause. A fresh one after every resume. */
  signal(): AbortSignal;
  /**
   * Aborted by the next pause, and when the network is lost: a request on a lost connection reports nothing for minutes,
   * and the page would not show that it waits.
   */
  attemptSignal(): AbortSignal;
  /** Resolves once the upload may run: at once, or at the next resume. */
  running(): Promise<void>;
  /** Resolves after `delayMs`, or at once when the upload is paused or the network comes or goes. */
  rest(delayMs: number): Promise<void>;
  /** Resolves when there is a network, or when the upload is paused. */
  networkOrPause(): Promise<void>;
}

export function createControl(startOnline: boolean): Control {
  let pausing = new AbortController();
  let cutting = new AbortController();
  let online = startOnline;
  let changed = Promise.withResolvers<void>();
  const wakeAll = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  async function networkOrPause(): Promise<void> {
    while (!online && !pausing.signal.aborted) await changed.promise;
  }

  async function running(): Promise<void> {
    while (pausing.signal.aborted) await changed.promise;
  }

  async function rest(delayMs: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, delayMs);
    await Promise.race([over.promise, changed.promise]);
    clearTimeout(timer);
  }

  return {
    get online() {
      return online;
    },
    pause() {
      pausing.abort();
      wakeAll();
    },
    resume() {
      if (!pausing.signal.aborted) return;
      pausing = new AbortController();
      wakeAll();
    },
    setOnline(value) {
      if (value === online) return;
      online = value;
      if (online) cutting = new AbortController();
      else cutting.abort();
      wakeAll();
    },
    signal: () => pausing.signal,
    attemptSignal: () => AbortSignal.any([pausing.signal, cutting.signal]),
    running,
    rest,
    networkOrPause,
  };
}
