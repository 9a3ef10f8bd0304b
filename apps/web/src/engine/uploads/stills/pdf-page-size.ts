/** What of a PDF's stills needs no browser. */

const MARK = '%PDF-';
/** Readers look for the mark in this number of bytes: some programs write something of their own before it. */
export const PDF_HEAD_BYTES = 1024;

/** Whether a file begins as a PDF does. pdf.js is loaded for no other. */
export function beginsAsPdf(head: Uint8Array): boolean {
  return String.fromCharCode(...head.subarray(0, PDF_HEAD_BYTES)).includes(MARK);
}

/**
 * The scale at which a page fills a square, and its pixels then. A page is lines and letters: it is enlarged, too.
 * @returns null for a page without an area
 */
export function fillEdge(widthPt: number, heightPt: number, edgePx: number) {
  const longestPt = Math.max(widthPt, heightPt);
  if (!(Math.min(widthPt, heightPt) > 0 && Number.isFinite(longestPt))) return null;
  const scale = edgePx / longestPt;
  const pixels = (lengthPt: number) => Math.max(1, Math.round(lengthPt * scale));
  return { scale, widthPx: pixels(widthPt), heightPx: pixels(heightPt) };
}

/** Whether all pixels are white. @param rgba four bytes for each pixel */
export function isBlank(rgba: Uint8ClampedArray): boolean {
  return rgba.every((value) => value === 255);
}
