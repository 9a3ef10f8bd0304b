import type { ByteRange } from '../../platform/blobs/blobs.ts';

/** Conditions and ranges of RFC 9110, as far as whole objects with strong entity tags need them. */

/**
 * What a Range header asks of `sizeBytes`.
 * RFC 9110 §14.2: "A server MAY ignore the Range header field." So several ranges and malformed ones give the whole.
 * RFC 9110 §14.2: "An origin server MUST ignore a Range header field that contains a range unit it does not
 * understand."
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    // RFC 9110 §14.1.2: "If the selected representation is shorter than the specified suffix-length, the entire
    // representation is used."
    const suffixBytes = Math.min(Number(last), sizeBytes);
    return suffixBytes === 0 ? 'unsatisfiable' : { start: sizeBytes - suffixBytes, end: sizeBytes };
  }
  const start = Number(first);
  // RFC 9110 §14.1.2: "If the last-pos value is absent, or if the value is greater than or equal to the current length
  // of the representation data, the byte range is interpreted as the remainder of the representation".
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  // RFC 9110 §14.1.1: "An int-range is invalid if the last-pos value is present and less than the first-pos."
  if (last !== '' && Number(last) < start) return 'whole';
  // RFC 9110 §14.1.2: "For a GET request, a valid bytes range-spec is satisfiable if it is either: an int-range with a
  // first-pos that is less than the current length of the selected representation or a suffix-range with a non-zero
  // suffix-length."
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}

/**
 * True when If-Range lets a range count. A date never does: we send no Last-Modified.
 * RFC 9110 §13.1.5: "If the entity-tag validator provided exactly matches the ETag field value for the selected
 * representation using the strong comparison function (Section 8.8.3.2), the condition is true."
 */
export const rangeCounts = (ifRange: string | undefined, eTag: string): boolean =>
  ifRange === undefined || ifRange.trim() === eTag;

/** True when If-None-Match says that the client has this version already. */
export function hasVersion(ifNoneMatch: string | undefined, eTag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // RFC 9110 §13.1.2: "If the field value is "*", the condition is false if the origin server has a current
  // representation for the target resource."
  if (ifNoneMatch.trim() === '*') return true;
  // RFC 9110 §13.1.2: "A recipient MUST use the weak comparison function when comparing entity tags for If-None-Match".
  // Our tags hold no comma.
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === eTag);
}

/**
 * Content-Disposition for a download: the name itself, and an ASCII one for old clients.
 * RFC 6266 §4.3: "when both "filename" and "filename*" are present in a single header field value, recipients SHOULD
 * pick "filename*" and ignore "filename"".
 */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Types that a page of this site could run or apply: JavaScript (MIME Sniffing Standard §4.6) and CSS. */
const RUNNABLE = /^\s*(?:(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script[\d.]*|text\/css)\s*(?:;|$)/i;

/**
 * The Content-Type of a stranger's file. Scripts are sent as text: our CSP allows scripts of this origin, so an
 * injected tag could otherwise load one from a folder.
 */
export const servedType = (mimetype: string): string =>
  RUNNABLE.test(mimetype) ? 'text/plain; charset=utf-8' : mimetype;
