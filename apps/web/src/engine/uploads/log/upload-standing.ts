/** What the server says of an upload that an earlier page began. */
export type Standing =
  | { readonly state: 'open'; readonly offset: number }
  /** Completed, or deleted on the server: nothing to resume. */
  | { readonly state: 'over' }
  /** It could not be asked. */
  | { readonly state: 'unknown' };

// tus 1.0.0, "HEAD": "If the resource is not found, the Server SHOULD return either the `404 Not Found`, `410 Gone` or
// `403 Forbidden` status without the `Upload-Offset` header."
const GONE = [403, 404, 410];

/**
 * Asks the server how far an upload is (tus HEAD). Never throws.
 * @param token gets a bearer
 */
export async function standingOf(url: string, token: () => Promise<string>): Promise<Standing> {
  try {
    const headers = { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${await token()}` };
    const response = await fetch(url, { method: 'HEAD', headers, credentials: 'same-origin' });
    if (GONE.includes(response.status)) return { state: 'over' };
    const offset = Number.parseInt(response.headers.get('Upload-Offset') ?? '', 10);
    const length = Number.parseInt(response.headers.get('Upload-Length') ?? '', 10);
    if (!response.ok || !(offset <= length)) return { state: 'unknown' };
    return offset === length ? { state: 'over' } : { state: 'open', offset };
  } catch {
    return { state: 'unknown' };
  }
}
