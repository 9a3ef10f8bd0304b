import { useMedia } from './page-hooks.ts';

/** Discord has a still picture beside each that moves. */
export const stillPicture = (url: string): string => url.replace(/\.gif(?=$|\?)/, '.png');

/** A person's picture, without animation for visitors who prefer reduced motion. */
export function usePicture(url: string | null | undefined): string | null {
  const isStill = useMedia('(prefers-reduced-motion: reduce)');
  if (!url) return null;
  return isStill ? stillPicture(url) : url;
}
