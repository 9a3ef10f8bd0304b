import { getDocument, PDFDataRangeTransport, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
// Its parser. Once it is here, pdf.js starts no worker for it: both halves run in ours, and end with it.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import type { RangeReader } from '@satchel/client/open/read-range';

/**
 * How a worker of ours reads PDFs: no address of the file is fetched, no script of it is run, and canvases and pictures have
 * bounds. What a file makes pdf.js do ends when the page ends the worker. Fonts are drawn as paths, those that a file doesn't
 * bring as the browser's own.
 */

/** pdf.js keeps each canvas to 3,000 pixels a side or to the page's; none that it asks for is larger. */
export const CANVAS_MAX_PIXELS = 4096 ** 2;
/** A picture of 64 megapixels takes 256 MB while it is decoded. */
const PICTURE_MAX_PIXELS = 64 * 1000 ** 2;
/** Decoded pictures beyond this are made smaller at once. */
const PICTURE_MAX_BYTES = 64 * 1024 ** 2;

// Where several parts of a file are damaged, pdf.js reports the first and leaves the others' promises unhandled. Here they say
// no more than that the page can't be drawn.
globalThis.addEventListener('unhandledrejection', (event) => event.preventDefault());

/** Reads what pdf.js asks for from the file, which is never held whole unless its table of contents is damaged. */
export class FileRanges extends PDFDataRangeTransport {
  readonly unreadable = Promise.withResolvers<never>();
  readonly #read: RangeReader;

  constructor(read: RangeReader, sizeBytes: number) {
    super(sizeBytes, null);
    this.#read = read;
    // Each reading of the file that waits for it says so itself.
    this.unreadable.promise.catch(() => {});
  }

  override requestDataRange(begin: number, end: number): void {
    this.#read(begin, end)
      .then((bytes) => this.onDataRange(begin, bytes))
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

/**
 * What pdf.js needs beside the file: decoders and character maps, from this site only, and no fonts. Without one that can't be
 * fetched, a page would be drawn white: it says that it can't be drawn.
 */
const dataFactory = (range: FileRanges) =>
  class {
    async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
      try {
        const { fetchPdfData } = await import('./pdf-data.ts');
        return await fetchPdfData(filename);
      } catch (error) {
        if (DATA.test(filename)) range.unreadable.reject(error);
        throw error;
      }
    }
  };

/** Without a font that a file doesn't bring, the browser's own is drawn. */
const DATA = /\.(wasm|bcmap)$/;
/** The names of files are all that counts. */
const SOME_FOLDER = '/';

export const startReading = (range: FileRanges) =>
  getDocument({
    range,
    disableAutoFetch: true,
    disableStream: true,
    verbosity: VerbosityLevel.ERRORS,
    CanvasFactory: Canvases,
    FilterFactory: NoFilters,
    BinaryDataFactory: dataFactory(range),
    cMapUrl: SOME_FOLDER,
    wasmUrl: SOME_FOLDER,
    useWorkerFetch: false,
    useWasm: true,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    maxImageSize: PICTURE_MAX_PIXELS,
    canvasMaxAreaInBytes: PICTURE_MAX_BYTES,
  });
