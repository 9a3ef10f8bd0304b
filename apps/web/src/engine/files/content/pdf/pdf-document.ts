import type { RangeReader } from '@satchel/client/open/read-range';
import {
  AnnotationMode,
  PasswordException,
  type PDFDocumentProxy,
  type PDFPageProxy,
  Util,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { CANVAS_MAX_PIXELS, FileRanges, startReading } from './pdf-setup.ts';

/** A PDF that is looked at: its pages are drawn one by one, in the content worker, with their words beside them. */

export interface PdfFacts {
  readonly pageCount: number;
  /** Height by width of the first page. Most have one shape throughout; each page says its own once it is drawn. */
  readonly ratio: number;
}

/** A run of text and where it stands on the page, in the page's own units from the upper left corner. */
export interface PageWord {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly width: number;
  readonly degrees: number;
}

export interface DrawnPage {
  readonly picture: ImageBitmap;
  readonly width: number;
  readonly height: number;
  readonly words: readonly PageWord[];
}

/** Wider or higher pages are drawn with fewer pixels: a screenful needs no more. */
const PAGE_MAX_PIXELS = CANVAS_MAX_PIXELS / 2;
/** A page of a book has some 3,000 characters. */
const WORDS_MAX = 4000;
const WORD_MAX_CHARS = 1000;

/** Thrown for a file that asks for a password. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

function sizeOf(page: PDFPageProxy): { width: number; height: number } {
  const { width, height } = page.getViewport({ scale: 1 });
  if (!(width > 0 && height > 0 && Number.isFinite(width * height))) throw new TypeError('the page has no area');
  return { width, height };
}

async function draw(page: PDFPageProxy, wantedPx: number): Promise<ImageBitmap> {
  const { width, height } = sizeOf(page);
  const scale = Math.min(
    wantedPx / width,
    Math.sqrt(PAGE_MAX_PIXELS / (width * height)),
    8192 / Math.max(width, height),
  );
  const viewport = page.getViewport({ scale });
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  // To be printed: what is drawn for a screen waits for animation frames, which a worker may not have. What was filled
  // into a form is drawn with the page; nothing of a form or a link can be clicked.
  const drawing = page.render({
    canvas: canvas as unknown as HTMLCanvasElement,
    viewport,
    intent: 'print',
    annotationMode: AnnotationMode.ENABLE,
    background: '#fff',
  });
  await drawing.promise;
  return canvas.transferToImageBitmap();
}

type Matrix = [a: number, b: number, c: number, d: number, x: number, y: number];

async function wordsOf(page: PDFPageProxy): Promise<PageWord[]> {
  const { transform } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  const words: PageWord[] = [];
  for (const item of items) {
    if (words.length === WORDS_MAX) break;
    if (!('str' in item) || item.str.trim() === '') continue;
    const [a, b, c, d, x, y] = Util.transform(transform, item.transform) as Matrix;
    const word = {
      text: item.str.slice(0, WORD_MAX_CHARS),
      x,
      y,
      size: Math.hypot(c, d),
      width: item.width,
      degrees: (Math.atan2(b, a) * 180) / Math.PI,
    };
    if (Object.values(word).every((value) => typeof value === 'string' || Number.isFinite(value))) words.push(word);
  }
  return words;
}

export interface OpenPdf {
  readonly facts: PdfFacts;
  page(number: number, widthPx: number): Promise<DrawnPage>;
}

async function open(promise: Promise<PDFDocumentProxy>): Promise<OpenPdf> {
  const file = await promise.catch((error: unknown) => {
    throw error instanceof PasswordException ? new LockedError() : error;
  });
  const first = sizeOf(await file.getPage(1));
  return {
    facts: { pageCount: file.numPages, ratio: first.height / first.width },
    async page(number, widthPx) {
      const page = await file.getPage(number);
      try {
        const picture = await draw(page, widthPx);
        // A page whose text is damaged is still a page.
        return { picture, ...sizeOf(page), words: await wordsOf(page).catch(() => []) };
      } finally {
        page.cleanup();
      }
    },
  };
}

/**
 * Opens a PDF.
 * @throws LockedError when it asks for a password; what pdf.js throws at a damaged file, and what `read` throws
 */
export async function openPdf(read: RangeReader, sizeBytes: number): Promise<OpenPdf> {
  const ranges = new FileRanges(read, sizeBytes);
  const opened = await Promise.race([open(startReading(ranges).promise), ranges.unreadable.promise]);
  return {
    facts: opened.facts,
    page: (number, widthPx) => Promise.race([opened.page(number, widthPx), ranges.unreadable.promise]),
  };
}
