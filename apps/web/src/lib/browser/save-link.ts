/** Saving by a click on a link: the browser does the rest. */

/** A blob's address must outlive the click until the browser has begun to copy it. */
const BLOB_LINK_MS = 60_000;
/** How long the browser may take to turn a click into a navigation. */
const NAVIGATE_MS = 2000;

function clickLink(properties: { href: string; download?: string }): void {
  const link = Object.assign(document.createElement('a'), { ...properties, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Saves what an address of this site's server answers, under `name`. */
export const saveAs = (url: string, name: string): void => clickLink({ href: url, download: name });

/** Saves an opened file. */
export function saveBlob(blob: Blob, name: string): void {
  // Saved as plain bytes: with its own type a browser might offer to show it instead.
  const url = URL.createObjectURL(blob.slice(0, blob.size, 'application/octet-stream'));
  saveAs(url, name);
  setTimeout(() => URL.revokeObjectURL(url), BLOB_LINK_MS);
}

let navigatingUntilMs = 0;

// Listeners of a window's beforeunload are called in the order in which they came, so this one has to be there first:
// this module is loaded with the folder page, before anything there asks whether to leave.
globalThis.addEventListener?.('beforeunload', (event) => {
  if (performance.now() < navigatingUntilMs) event.stopImmediatePropagation();
});

/**
 * Navigates to an address that answers with an attachment: the browser saves it and the page stays. Chromium sends a link
 * with the `download` attribute past the service worker (docs/decisions/005), so this one has none. It is a navigation
 * then, and must not ask whether to leave while uploads or other downloads are running.
 */
export function saveNavigating(url: string): void {
  navigatingUntilMs = performance.now() + NAVIGATE_MS;
  clickLink({ href: url });
}
