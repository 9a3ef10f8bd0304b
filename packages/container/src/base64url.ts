/** base64url without padding (RFC 4648 §5), for labels, link secrets and sealed keys of at most a few KiB. */

/** Text of `bytes` in base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * Bytes of a base64url text. Accepts only the canonical spelling (no padding, no white space, no stray bits at the
 * end), so that no two texts decode to the same bytes.
 * @throws SyntaxError for any other text
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) throw new SyntaxError('not base64url');
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  if (encodeBase64Url(bytes) !== text) throw new SyntaxError('not base64url');
  return bytes;
}
