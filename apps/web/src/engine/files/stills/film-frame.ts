/** The picture that stands for a film: the first one from the first second on that isn't black. */

/** Films often fade in from black; at these seconds there is most likely a picture. */
const TRIED_SECONDS = [1, 2, 4, 8, 15, 30];
/** A pixel darker than this counts as black. */
const BLACK_BELOW = 24;
/** A frame with fewer lit pixels is taken for black. */
const LIT_SHARE_MIN = 0.02;
const SAMPLE_PX = 24;

/** Whether almost all pixels are black. @param rgba four bytes for each pixel */
export function isBlack(rgba: Uint8ClampedArray): boolean {
  let lit = 0;
  for (let at = 0; at < rgba.length; at += 4) {
    if (Math.max(rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0) >= BLACK_BELOW) lit += 1;
  }
  return lit * 4 < rgba.length * LIT_SHARE_MIN;
}

/**
 * The seconds at which to look for a picture, in their order.
 * @param durationSeconds infinite or NaN where the film doesn't say
 */
export function secondsToTry(durationSeconds: number): readonly number[] {
  if (!Number.isFinite(durationSeconds)) return TRIED_SECONDS;
  const inside = TRIED_SECONDS.filter((seconds) => seconds < durationSeconds);
  return inside.length > 0 ? inside : [durationSeconds / 2];
}

function happened(video: HTMLVideoElement, event: 'loadeddata' | 'seeked', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { once: true, signal };
    video.addEventListener(event, () => resolve(), options);
    video.addEventListener('error', () => reject(new Error('the film can’t be played')), options);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function showsBlack(video: HTMLVideoElement): boolean {
  const context = new OffscreenCanvas(SAMPLE_PX, SAMPLE_PX).getContext('2d', { willReadFrequently: true });
  context?.drawImage(video, 0, 0, SAMPLE_PX, SAMPLE_PX);
  return !context || isBlack(context.getImageData(0, 0, SAMPLE_PX, SAMPLE_PX).data);
}

/** Moves to the first picture that isn't black; to the last one tried if all are. */
async function seekPicture(video: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  for (const seconds of secondsToTry(video.duration)) {
    const hasJumped = happened(video, 'seeked', signal);
    video.currentTime = seconds;
    await hasJumped;
    if (!showsBlack(video)) return;
  }
}

export interface FilmFrame {
  readonly image: HTMLVideoElement;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Plays a film as far as its picture, and lets go of it once that was drawn.
 * @throws when the browser can't play it; what `draw` throws; the signal's reason
 */
export async function drawFilmFrame<T>(
  src: string,
  signal: AbortSignal,
  draw: (frame: FilmFrame) => Promise<T>,
): Promise<T> {
  const video = Object.assign(document.createElement('video'), { muted: true, playsInline: true, preload: 'auto' });
  try {
    const isLoaded = happened(video, 'loadeddata', signal);
    video.src = src;
    await isLoaded;
    await seekPicture(video, signal);
    const { videoWidth: widthPx, videoHeight: heightPx } = video;
    if (widthPx === 0 || heightPx === 0) throw new Error('the film has no picture');
    return await draw({ image: video, widthPx, heightPx });
  } finally {
    // Lets go of the decoder, and of the file or the connection.
    video.removeAttribute('src');
    video.load();
  }
}
