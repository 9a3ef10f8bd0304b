import { Suspense } from 'react';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import type { SpotPose } from '../spot-drawing.tsx';

const SpotDrawing = lazyPart(() => import('../spot-drawing.tsx'), 'SpotDrawing');

/**
 * Spot drawings for whole-page states; each is the mark in another pose. The drawing loads when a page
 * shows one, into a box of its final size: a folder with files shows none.
 */
export const Spot = ({ pose, sizePx = 132 }: { pose: SpotPose; sizePx?: number }) => (
  <svg viewBox="0 0 140 120" width={sizePx} height={(sizePx * 120) / 140} aria-hidden="true" fill="none">
    <Suspense>
      <SpotDrawing pose={pose} />
    </Suspense>
  </svg>
);
