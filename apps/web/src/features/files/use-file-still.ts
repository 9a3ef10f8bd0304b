import type { StillSize } from '@satchel/contract/wire/still-frames';
import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import { knownStills } from '../../engine/files/stills/known-stills.ts';
import type { FileStill } from '../../engine/files/stills/still-ref.ts';

/** Asks for a file's still as long as it is wanted; returns the address of the best one that is here, up to a size. */
export function useWantedStill(still: FileStill | null, upTo: StillSize, isWanted = true): string | null {
  const ref = still?.ref;
  const key = ref?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key always names the same still
  useEffect(() => (ref && isWanted ? knownStills.get()?.shelf.want(ref, upTo) : undefined), [key, upTo, isWanted]);
  return useSyncExternalStore(knownStills.subscribe, () =>
    key === undefined ? null : (knownStills.get()?.shelf.get(key, upTo) ?? null),
  );
}

/** Whether an element is in view; before that is known, what the caller says. */
export function useIsNear(ref: RefObject<Element | null>, atFirst = false): boolean {
  const [isNear, setNear] = useState(atFirst);
  useEffect(() => {
    if (!ref.current) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [ref]);
  return isNear;
}
