import { lazy, Suspense } from 'react';
import { importPatiently } from '../lib/patient-import.ts';
import type { SpotPose } from './spot-drawing.tsx';

const SpotDrawing = lazy(async () => {
  const { SpotDrawing } = await importPatiently(() => import('./spot-drawing.tsx'));
  return { default: SpotDrawing };
});

/**
 * Spot drawings for whole-page states; each is the mark in another pose (DESIGN-UX §1). The drawing comes when a page has
 * one, into a box that has its size already: a folder with files shows none.
 */
export const Spot = ({ pose, sizePx = 132 }: { pose: SpotPose; sizePx?: number }) => (
  <svg viewBox="0 0 140 120" width={sizePx} height={(sizePx * 120) / 140} aria-hidden="true" fill="none">
    <Suspense>
      <SpotDrawing pose={pose} />
    </Suspense>
  </svg>
);
