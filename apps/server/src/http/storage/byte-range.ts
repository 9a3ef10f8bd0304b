import type { ByteRange } from '../platform/blobs.ts';

/** Conditions and ranges of RFC 9110, as far as whole objects with strong entity tags need them. */

/**
 * What a Range header asks of `sizeBytes`. Several ranges at once, other units and nonsense count as no header at all,
 * as §14.2 allows.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffixBytes = Math.min(Number(last), sizeBytes);
    return suffixBytes === 0 ? 'unsatisfiable' : { start: sizeBytes - suffixBytes, end: sizeBytes };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}

/** True when If-Range lets a range count: only for exactly this version. A date never does, having only seconds. */
export const rangeCounts = (ifRange: string | undefined, eTag: string): boolean =>
  ifRange === undefined || ifRange.trim() === eTag;

/** True when If-None-Match says that the asker has this version already. */
export function hasVersion(ifNoneMatch: string | undefined, eTag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  // Tags of ours hold no comma.
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === eTag);
}

/**
 * Content-Disposition for a download (RFC 6266): the name as it is, and one that the oldest client can read.
 */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** What a page of this very site could run or apply (the JavaScript types of the MIME Sniffing Standard §4.6, and CSS). */
const RUNNABLE = /^\s*(?:(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script[\d.]*|text\/css)\s*(?:;|$)/i;

/**
 * The Content-Type that a stranger's file is sent with. A script says that it is text: our own CSP allows scripts of this
 * origin, and whoever could put one tag into a page could otherwise load their program from a folder.
 */
export const servedType = (mimetype: string): string =>
  RUNNABLE.test(mimetype) ? 'text/plain; charset=utf-8' : mimetype;
