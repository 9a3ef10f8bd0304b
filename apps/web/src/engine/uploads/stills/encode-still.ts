import { STILL_BOUNDS } from './still-bounds.ts';

/** Draws a picture small, twice, and encodes it. What is written has no metadata: it is made from pixels. */

/** A still as it is sealed. */
export interface MadeStill {
  readonly small: Blob;
  readonly large: Blob;
}

export interface Drawn {
  readonly image: CanvasImageSource;
  readonly widthPx: number;
  readonly heightPx: number;
}

const QUALITIES = [0.8, 0.6, 0.4, 0.2];

/** Sizes that fit into a square, with their shape kept, and never enlarged. */
export function fitInto(widthPx: number, heightPx: number, edgePx: number) {
  const scale = Math.min(1, edgePx / widthPx, edgePx / heightPx);
  return { widthPx: Math.max(1, Math.round(widthPx * scale)), heightPx: Math.max(1, Math.round(heightPx * scale)) };
}

function draw({ image, ...size }: Drawn, edgePx: number): OffscreenCanvas {
  const { widthPx, heightPx } = fitInto(size.widthPx, size.heightPx, edgePx);
  const canvas = new OffscreenCanvas(widthPx, heightPx);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('no canvas');
  context.imageSmoothingQuality = 'medium';
  context.drawImage(image, 0, 0, widthPx, heightPx);
  return canvas;
}

/** JPEG has no transparency: what shows through is white, as on paper. */
function onWhite(canvas: OffscreenCanvas): OffscreenCanvas {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return canvas;
}

/** WebP, or JPEG where the browser can't write WebP, as good as fits. */
async function encode(canvas: OffscreenCanvas, maxBytes: number): Promise<Blob> {
  let type = 'image/webp';
  for (const quality of QUALITIES) {
    let blob = await canvas.convertToBlob({ type, quality });
    if (blob.type !== type) {
      // A browser that can't write a type, as Safari can't write WebP, writes a PNG in its place.
      type = 'image/jpeg';
      blob = await onWhite(canvas).convertToBlob({ type, quality });
    }
    if (blob.size <= maxBytes) return blob;
  }
  throw new Error('the still is too large');
}

/** Gives the pixels back now; Safari keeps them until the canvas is collected. */
function drop(canvas: OffscreenCanvas): void {
  canvas.width = 0;
  canvas.height = 0;
}

/** Makes both sizes of a still. */
export async function encodeStill(drawn: Drawn): Promise<MadeStill> {
  const { small, large } = STILL_BOUNDS;
  const canvas = draw(drawn, large.edgePx);
  const { width: widthPx, height: heightPx } = canvas;
  const tiny = draw({ image: canvas, widthPx, heightPx }, small.edgePx);
  try {
    return { large: await encode(canvas, large.maxBytes), small: await encode(tiny, small.maxBytes) };
  } finally {
    drop(canvas);
    drop(tiny);
  }
}
