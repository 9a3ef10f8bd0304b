import { Trans } from '@lingui/react/macro';
import { Play } from 'lucide-react';
import type { StillSource } from '../../../engine/files/stills/draw-still.ts';
import { useKnownStill, useStill } from '../use-still.ts';
import { durationText, PICTURE_LOOK } from './card-model.ts';

const FilmMark = ({ durationSeconds }: { durationSeconds: number | null }) => (
  <span
    aria-hidden="true"
    className="absolute right-2 bottom-2 inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-chip bg-[oklch(0.15_0.01_290/0.85)] px-1.5 text-2xs text-[oklch(0.98_0_0)] tabular"
  >
    <Play size={11} fill="currentColor" />
    {durationSeconds !== null && durationText(durationSeconds)}
  </span>
);

/** A scaled-down picture, or one frame of a video with its duration. */
export function StillPicture({ source }: { source: StillSource }) {
  const still = useStill(source);
  return (
    <>
      {still?.url && <img src={still.url} alt="" decoding="async" className={PICTURE_LOOK} />}
      {source.kind === 'film' && <FilmMark durationSeconds={still?.durationSeconds ?? null} />}
    </>
  );
}

/** The duration for screen readers. */
export function SpokenDuration({ src }: { src: string }) {
  const seconds = useKnownStill(src)?.durationSeconds ?? null;
  if (seconds === null) return null;
  const duration = durationText(seconds);
  return (
    <span className="sr-only">
      . <Trans>Length {duration}</Trans>
    </span>
  );
}
