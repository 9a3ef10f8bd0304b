import { AnnotationMode, getDocument, PDFDataRangeTransport, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
// Its parser. Once it is here, pdf.js starts no worker for it: both halves run in ours, and end with it.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import type { Drawn } from './encode-still.ts';
import { fillEdge, isBlank } from './pdf-page-size.ts';
import { PIXELS_MAX, STILL_BOUNDS } from './still-bounds.ts';

/**
 * Draws a PDF's first page, in the worker that makes stills: what a file makes pdf.js do there ends when the page ends the
 * worker. Nothing is fetched and no script of the file is run. Fonts are drawn as paths, those that a file doesn't bring
 * as the browser's own.
 */

/** pdf.js keeps each canvas to 3,000 pixels a side or to the page's; none that it asks for is larger. */
const CANVAS_MAX_PIXELS = 4096 ** 2;
/** Decoded pictures beyond this are made smaller at once. */
const PICTURE_MAX_BYTES = 64 * 1024 ** 2;

// Where several parts of a file are damaged, pdf.js reports the first and leaves the others' promises unhandled. Here they say
// no more than that there is no still.
globalThis.addEventListener('unhandledrejection', (event) => event.preventDefault());

/** Reads what pdf.js asks for from the file, which is never held whole unless its table of contents is damaged. */
class FileRanges extends PDFDataRangeTransport {
  readonly unreadable = Promise.withResolvers<never>();
  readonly #file: Blob;

  constructor(file: Blob) {
    super(file.size, null);
    this.#file = file;
  }

  override requestDataRange(begin: number, end: number): void {
    this.#file
      .slice(begin, end)
      .arrayBuffer()
      .then((bytes) => this.onDataRange(begin, new Uint8Array(bytes)))
      .catch(this.unreadable.reject);
  }
}

interface Surface {
  canvas: OffscreenCanvas | null;
  context: OffscreenCanvasRenderingContext2D | null;
}

/** A worker has no document to make canvases with. */
class Canvases {
  create(widthPx: number, heightPx: number): Surface {
    if (!(widthPx > 0 && heightPx > 0 && widthPx * heightPx <= CANVAS_MAX_PIXELS)) throw new RangeError('canvas size');
    const canvas = new OffscreenCanvas(widthPx, heightPx);
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) };
  }

  reset({ canvas }: Surface, widthPx: number, heightPx: number): void {
    if (!canvas || !(widthPx * heightPx <= CANVAS_MAX_PIXELS)) throw new RangeError('canvas size');
    canvas.width = widthPx;
    canvas.height = heightPx;
  }

  destroy(surface: Surface): void {
    if (surface.canvas) Object.assign(surface.canvas, { width: 0, height: 0 });
    Object.assign(surface, { canvas: null, context: null });
  }

  getNoAlphaContext(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D | null {
    return canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  }
}

/** Filters are SVG in a document; without them pdf.js computes the pixels itself. */
class NoFilters {
  readonly addFilter = () => 'none';
  readonly addHCMFilter = () => 'none';
  readonly addAlphaFilter = () => 'none';
  readonly addLuminosityFilter = () => 'none';
  readonly addKnockoutFilter = () => 'none';
  readonly destroy = () => undefined;
}

/** Fonts, character maps and decoders of pdf.js that it would fetch. */
class NothingToFetch {
  fetch(): Promise<never> {
    return Promise.reject(new Error('nothing is fetched for a still'));
  }
}

const startReading = (range: FileRanges) =>
  getDocument({
    range,
    disableAutoFetch: true,
    disableStream: true,
    verbosity: VerbosityLevel.ERRORS,
    CanvasFactory: Canvases,
    FilterFactory: NoFilters,
    BinaryDataFactory: NothingToFetch,
    useWorkerFetch: false,
    useWasm: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    maxImageSize: PIXELS_MAX,
    canvasMaxAreaInBytes: PICTURE_MAX_BYTES,
  });

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
  // A scan in a format whose decoder pdf.js would fetch leaves the page white. A white card says less than its icon.
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, widthPx, heightPx);
  if (!pixels || isBlank(pixels.data)) throw new Error('the page is blank');
  return { image: canvas, widthPx, heightPx };
}

/**
 * Draws the first page, on white.
 * @throws when the file is damaged, encrypted or unreadable, or its page shows nothing
 */
export async function drawFirstPage(file: Blob): Promise<Drawn> {
  const ranges = new FileRanges(file);
  const reading = startReading(ranges);
  try {
    return await Promise.race([draw(reading), ranges.unreadable.promise]);
  } finally {
    await reading.destroy();
  }
}
