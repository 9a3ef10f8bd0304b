import { useEffect, useSyncExternalStore } from 'react';
import { openedCache } from '../../engine/files/opened-cache.ts';
import type { StillSource } from '../../engine/files/stills/draw-still.ts';
import { createStills, type KeptStill } from '../../engine/files/stills/stills.ts';

const stills = createStills({
  draw: async (source) => (await import('../../engine/files/stills/draw-still.ts')).drawStill(source),
  createUrl: (picture) => URL.createObjectURL(picture),
  revoke: (url) => URL.revokeObjectURL(url),
});
openedCache.subscribe(() => stills.keepOnly(openedCache.isOpen));

/** Thumbnail of an opened file, created if needed; null until it is ready, and for files without one. */
export function useStill(source: StillSource | null): KeptStill | null {
  const src = source?.src ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address always names the same file
  useEffect(() => (source === null ? undefined : stills.want(source)), [src]);
  return useKnownStill(src);
}

/** Thumbnail of an opened file if it exists already. */
export const useKnownStill = (src: string | null): KeptStill | null =>
  useSyncExternalStore(stills.subscribe, () => (src === null ? null : stills.get(src)));
