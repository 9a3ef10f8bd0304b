import { useEffect, useSyncExternalStore } from 'react';
import type { StillSource } from '../../lib/draw-still.ts';
import { openedCache } from '../../lib/opened-cache.ts';
import { createStills, type KeptStill } from '../../lib/stills.ts';

const stills = createStills({
  draw: async (source) => (await import('../../lib/draw-still.ts')).drawStill(source),
  createUrl: (picture) => URL.createObjectURL(picture),
  revoke: (url) => URL.revokeObjectURL(url),
});
openedCache.subscribe(() => stills.keepOnly(openedCache.isOpen));

/** The still of an opened file, drawn when there is none yet; null until then, and of nothing. */
export function useStill(source: StillSource | null): KeptStill | null {
  const src = source?.src ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address names one file for good
  useEffect(() => (source === null ? undefined : stills.want(source)), [src]);
  return useKnownStill(src);
}

/** The still of an opened file if it has been drawn. */
export const useKnownStill = (src: string | null): KeptStill | null =>
  useSyncExternalStore(stills.subscribe, () => (src === null ? null : stills.get(src)));
