import { deviceCaches } from '../../../lib/base/device.ts';

/**
 * After the store could not be reached, nothing is fetched from it for a while, so that no file waits for it again. Workers
 * come and go: the note of it lies where all of this browser's find it.
 */

const REST_MS = 10 * 60_000;
const CACHE = 'satchel-store-rest';
const NOTE = '/store-rest';

export interface Rest {
  isOn(): boolean;
  /** Whether another worker has noted a failure; looks once. */
  isOnElsewhere(): Promise<boolean>;
  begin(): void;
}

/** Notes that can't be written or read are as if there were none: private windows have no such store. */
const orNothing = <Result>(work: Promise<Result>): Promise<Result | undefined> => work.catch(() => undefined);

async function noted(): Promise<number> {
  const cache = await deviceCaches()?.open(CACHE);
  return Number((await (await cache?.match(NOTE))?.text()) ?? 0);
}

async function note(): Promise<void> {
  await (await deviceCaches()?.open(CACHE))?.put(NOTE, new Response(String(Date.now())));
}

export function createRest(): Rest {
  let untilMs = 0;
  let hasLooked = false;
  return {
    isOn: () => performance.now() < untilMs,
    async isOnElsewhere() {
      if (hasLooked) return false;
      hasLooked = true;
      const agoMs = Date.now() - ((await orNothing(noted())) ?? 0);
      if (agoMs < 0 || agoMs >= REST_MS) return false;
      untilMs = performance.now() + REST_MS - agoMs;
      return true;
    },
    begin() {
      untilMs = performance.now() + REST_MS;
      void orNothing(note());
    },
  };
}
