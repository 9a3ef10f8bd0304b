import { type FileHandle, open, stat } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** The syncs of one folder, by which the names in it become durable. */
export interface FolderSyncs {
  /** Syncs that have ended. */
  count(): number;
  /** Holds the next one back. @returns when it has begun, and what lets it continue */
  hold(): { readonly begun: Promise<void>; release(): void };
}

/** Watches a folder until the end of the test. */
export async function watchSyncs(dir: string): Promise<FolderSyncs> {
  const { ino: watched } = await stat(dir);
  const handle = await open(dir, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  let ended = 0;
  let held: { begin(): void; released: Promise<void> } | undefined;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    const { ino } = await this.stat();
    if (ino !== watched) return sync.call(this);
    const mine = held;
    held = undefined;
    mine?.begin();
    await mine?.released;
    await sync.call(this);
    ended += 1;
  });
  onTestFinished(() => spy.mockRestore());
  return {
    count: () => ended,
    hold() {
      const begun = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held = { begin: begun.resolve, released: released.promise };
      return { begun: begun.promise, release: released.resolve };
    },
  };
}
