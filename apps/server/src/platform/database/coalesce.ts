/**
 * Coalesces calls: while the work of one call runs, further calls are queued and then run together. A single call waits
 * for nothing, and each of many costs a part of one statement and of one commit.
 */

interface Queued<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface CoalescingOptions {
  /** Items that run together at most. */
  readonly max: number;
  /** True for an error after which nothing has been done: then the items are tried one by one. */
  readonly isUndone: (error: unknown) => boolean;
}

/**
 * @param work runs all items at once and returns their results in the same order
 * @returns a function that runs one item
 */
export function coalesce<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, isUndone }: CoalescingOptions,
): (item: Item) => Promise<Result> {
  let queue: Queued<Item, Result>[] = [];
  let isRunning = false;

  async function settle(group: readonly Queued<Item, Result>[]): Promise<void> {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      // One item that fails must not fail the others.
      if (group.length > 1 && isUndone(error)) await Promise.all(group.map((each) => settle([each])));
      else for (const { reject } of group) reject(error);
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      const group = queue.slice(0, max);
      queue = queue.slice(max);
      await settle(group);
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isRunning) void run();
    });
}
