import { canvasTellsTruth } from './canvas-truth.ts';
import { drawFilmFrame } from './film-frame.ts';

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
/** A film's still is its poster, too, and so keeps its shape. */
const POSTER_PX = 640;
/** A film that a browser can’t play may never say so; a slow device needs its time for one that it can. */
const GIVE_UP_MS = 60_000;
const QUALITY = 0.82;

interface Cut {
  /** Of the middle of the original. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scale: number;
}

/** As much of a picture as a card shows of it, as `object-cover` would. */
function covering(widthPx: number, heightPx: number): Cut {
  const scale = Math.min(1, Math.max(WIDTH_PX / widthPx, HEIGHT_PX / heightPx));
  return { scale, widthPx: Math.min(widthPx, WIDTH_PX / scale), heightPx: Math.min(heightPx, HEIGHT_PX / scale) };
}

/** All of it, made small. */
const whole = (widthPx: number, heightPx: number): Cut => ({
  widthPx,
  heightPx,
  scale: Math.min(1, POSTER_PX / widthPx, POSTER_PX / heightPx),
});

interface Original {
  readonly image: CanvasImageSource;
  readonly widthPx: number;
  readonly heightPx: number;
}

function draw({ image, widthPx, heightPx }: Original, cut: Cut): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(cut.widthPx * cut.scale));
  canvas.height = Math.max(1, Math.round(cut.heightPx * cut.scale));
  const [x, y] = [(widthPx - cut.widthPx) / 2, (heightPx - cut.heightPx) / 2];
  canvas.getContext('2d')?.drawImage(image, x, y, cut.widthPx, cut.heightPx, 0, 0, canvas.width, canvas.height);
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

const drawFilm = (src: string): Promise<Still> =>
  drawFilmFrame(src, AbortSignal.timeout(GIVE_UP_MS), async (frame) => {
    const { duration } = frame.image;
    const canvas = draw(frame, whole(frame.widthPx, frame.heightPx));
    return { picture: await toPicture(canvas), durationSeconds: Number.isFinite(duration) ? duration : null };
  });

async function drawPicture(blob: Blob): Promise<Still> {
  const bitmap = await createImageBitmap(blob);
  try {
    const { width: widthPx, height: heightPx } = bitmap;
    const canvas = draw({ image: bitmap, widthPx, heightPx }, covering(widthPx, heightPx));
    return { picture: await toPicture(canvas), durationSeconds: null };
  } finally {
    bitmap.close();
  }
}

/**
 * Draws a still. Where a canvas gives back other pixels than were drawn, a picture is its own still.
 * @throws when this browser can't decode the file, or could make only noise of a film
 */
export async function drawStill(source: StillSource): Promise<Still> {
  if (canvasTellsTruth()) return source.kind === 'film' ? drawFilm(source.src) : drawPicture(source.blob);
  if (source.kind === 'film') throw new Error('the canvas gives other pixels than it was given');
  return { picture: source.blob, durationSeconds: null };
}
