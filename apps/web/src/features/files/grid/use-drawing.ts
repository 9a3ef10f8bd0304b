import { useEffect, useState } from 'react';
import type { DrawingSource } from '../../../engine/files/weigh-drawing.ts';
import { whileCurrent } from '../../../lib/browser/while-current.ts';

export type DrawingWeight = 'unknown' | 'light' | 'heavy';

async function weightOf(source: DrawingSource): Promise<DrawingWeight> {
  const { isHeavyDrawing } = await import('../../../engine/files/weigh-drawing.ts');
  return (await isHeavyDrawing(source)) ? 'heavy' : 'light';
}

/** Whether a drawing may be drawn unasked; 'unknown' as long as it is weighed, and without one. */
export function useDrawing(source: DrawingSource | null): DrawingWeight {
  const [known, setKnown] = useState<{ readonly src: string; readonly weight: DrawingWeight } | null>(null);
  const src = source?.src ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address always names the same drawing
  useEffect(() => {
    if (source === null || src === null) return;
    const show = (weight: DrawingWeight) => setKnown({ src, weight });
    return whileCurrent(weightOf(source), show, () => show('heavy'));
  }, [src]);
  return known !== null && known.src === src ? known.weight : 'unknown';
}
