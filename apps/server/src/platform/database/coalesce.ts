/**
 * Calls that come close together become one: while a call's work is under way, further ones are gathered, and go on together
 * when it ends. So a single call waits for nothing, and of many each costs a part of one statement and of one commit.
 */

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GatheringOptions {
  /** At most so many items go together. */
  readonly max: number;
  /** Whether nothing has come of work that failed with this error: then its items are tried one by one. */
  readonly isUndone: (error: unknown) => boolean;
}

/**
 * @param work does what is to be done with all the items at once; its results are in their order
 * @returns does it with one item
 */
export function gathered<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, isUndone }: GatheringOptions,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isUnderWay = false;

  async function settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      // One item that can't be done must not fail the others.
      if (group.length > 1 && isUndone(error)) await Promise.all(group.map((each) => settle([each])));
      else for (const { reject } of group) reject(error);
    }
  }

  async function run(): Promise<void> {
    isUnderWay = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, max);
      waiting = waiting.slice(max);
      await settle(group);
    }
    isUnderWay = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isUnderWay) void run();
    });
}
