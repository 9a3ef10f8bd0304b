/** Something that holds memory and can begin to give it back. */
export interface MemoryHolder {
  heldBytes(): number;
  /** Begins to send what it holds; the memory comes back once that has been sent. */
  flush(): void;
}

/** Memory for what waits to be sent to a store, of all senders together. */
export interface HeldMemory {
  /** Resolves when there is room. A request for more than there is at all waits until nothing else is held. */
  take(bytes: number): Promise<void>;
  giveBack(bytes: number): void;
  /** Called when a holder has more than before: others may be waiting for it. */
  grown(): void;
  add(holder: MemoryHolder): void;
  remove(holder: MemoryHolder): void;
}

export function createHeldMemory(limitBytes: number): HeldMemory {
  const holders = new Set<MemoryHolder>();
  const waiting: { readonly bytes: number; readonly resolve: () => void }[] = [];
  let usedBytes = 0;
  const fits = (bytes: number) => usedBytes === 0 || usedBytes + bytes <= limitBytes;

  /** The one that holds the most sends it, however little: what slow senders hold must not keep the others waiting. */
  function press(): void {
    let largest: MemoryHolder | undefined;
    for (const holder of holders) if (holder.heldBytes() > (largest?.heldBytes() ?? 0)) largest = holder;
    largest?.flush();
  }

  function admit(): void {
    for (let next = waiting[0]; next && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      usedBytes += next.bytes;
      next.resolve();
    }
    if (waiting.length > 0) press();
  }

  return {
    async take(bytes) {
      if (waiting.length === 0 && fits(bytes)) {
        usedBytes += bytes;
        return;
      }
      await new Promise<void>((resolve) => {
        waiting.push({ bytes, resolve });
        press();
      });
    },
    giveBack(bytes) {
      usedBytes -= bytes;
      admit();
    },
    grown() {
      if (waiting.length > 0) press();
    },
    add: (holder) => void holders.add(holder),
    remove: (holder) => void holders.delete(holder),
  };
}
