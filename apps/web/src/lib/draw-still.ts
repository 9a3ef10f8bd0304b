/** Small pictures of large ones and of films, so that a grid holds and decodes thumbnails and nothing else. */

export interface Still {
  readonly picture: Blob;
  /** Of a film, when it says so. */
  readonly durationSeconds: number | null;
}

export type StillSource =
  | { readonly kind: 'film'; readonly src: string }
  | { readonly kind: 'picture'; readonly src: string; readonly blob: Blob };

/** Of a card, at twice its width. */
const WIDTH_PX = 480;
const HEIGHT_PX = 360;
/** A film that a browser can't play may never say so. */
const GIVE_UP_MS = 15_000;
const QUALITY = 0.82;

/** Cuts a picture to the shape of a card, about its middle, as `object-cover` would. */
function drawCovering(image: CanvasImageSource, widthPx: number, heightPx: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const scale = Math.min(1, Math.max(WIDTH_PX / widthPx, HEIGHT_PX / heightPx));
  canvas.width = Math.max(1, Math.min(WIDTH_PX, Math.round(widthPx * scale)));
  canvas.height = Math.max(1, Math.min(HEIGHT_PX, Math.round(heightPx * scale)));
  const [w, h] = [canvas.width / scale, canvas.height / scale];
  const context = canvas.getContext('2d');
  context?.drawImage(image, (widthPx - w) / 2, (heightPx - h) / 2, w, h, 0, 0, canvas.width, canvas.height);
  return canvas;
}

async function toPicture(canvas: HTMLCanvasElement): Promise<Blob> {
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', QUALITY));
  // Gives the pixels back now; Safari keeps them until the canvas is collected.
  canvas.width = 0;
  canvas.height = 0;
  if (picture === null) throw new Error('the picture could not be made');
  return picture;
}

function happened(video: HTMLVideoElement, event: 'loadeddata' | 'seeked', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { once: true, signal };
    video.addEventListener(event, () => resolve(), options);
    video.addEventListener('error', () => reject(new Error('the film could not be played')), options);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function drawFilm(src: string): Promise<Still> {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(new Error('the film took too long')), GIVE_UP_MS);
  const video = Object.assign(document.createElement('video'), { muted: true, playsInline: true, preload: 'auto' });
  try {
    const isLoaded = happened(video, 'loadeddata', control.signal);
    video.src = src;
    await isLoaded;
    const durationSeconds = Number.isFinite(video.duration) ? video.duration : null;
    const hasJumped = happened(video, 'seeked', control.signal);
    // The very first frame of a film is often black.
    video.currentTime = Math.min(1, (durationSeconds ?? 0) / 10);
    await hasJumped;
    return { picture: await toPicture(drawCovering(video, video.videoWidth, video.videoHeight)), durationSeconds };
  } finally {
    clearTimeout(timer);
    control.abort();
    // Lets go of the decoder and of the connection.
    video.removeAttribute('src');
    video.load();
  }
}

async function drawPicture(blob: Blob): Promise<Still> {
  const bitmap = await createImageBitmap(blob);
  try {
    return { picture: await toPicture(drawCovering(bitmap, bitmap.width, bitmap.height)), durationSeconds: null };
  } finally {
    bitmap.close();
  }
}

/**
 * Draws a still.
 * @throws when this browser can't decode the file
 */
export const drawStill = (source: StillSource): Promise<Still> =>
  source.kind === 'film' ? drawFilm(source.src) : drawPicture(source.blob);
