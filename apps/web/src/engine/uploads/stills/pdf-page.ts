import { AnnotationMode } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FileRanges, startReading } from '../../files/content/pdf/pdf-setup.ts';
import type { Drawn } from './encode-still.ts';
import { fillEdge, isBlank } from './pdf-page-size.ts';
import { STILL_BOUNDS } from './still-bounds.ts';

/** Draws a PDF's first page, in the worker that makes stills. */

async function draw({ promise }: ReturnType<typeof startReading>): Promise<Drawn> {
  const page = await (await promise).getPage(1);
  const { width: widthPt, height: heightPt } = page.getViewport({ scale: 1 });
  const size = fillEdge(widthPt, heightPt, STILL_BOUNDS.large.edgePx);
  if (!size) throw new Error('the page has no area');
  const { scale, widthPx, heightPx } = size;
  const canvas = new OffscreenCanvas(widthPx, heightPx);
  // To be printed: what is drawn for a screen waits for animation frames, which a worker may not have.
  const drawing = page.render({
    canvas: canvas as unknown as HTMLCanvasElement,
    viewport: page.getViewport({ scale }),
    intent: 'print',
    annotationMode: AnnotationMode.DISABLE,
    background: '#fff',
  });
  await drawing.promise;
  // A picture that pdf.js can't decode leaves the page white. A white card says less than its icon.
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, widthPx, heightPx);
  if (!pixels || isBlank(pixels.data)) throw new Error('the page is blank');
  return { image: canvas, widthPx, heightPx };
}

/**
 * Draws the first page, on white.
 * @throws when the file is damaged, encrypted or unreadable, or its page shows nothing
 */
export async function drawFirstPage(file: Blob): Promise<Drawn> {
  const ranges = new FileRanges(
    async (from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
    file.size,
  );
  const reading = startReading(ranges);
  try {
    return await Promise.race([draw(reading), ranges.unreadable.promise]);
  } finally {
    await reading.destroy();
  }
}
