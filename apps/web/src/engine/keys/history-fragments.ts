import { openChannel, tabStorage } from '../../lib/base/device.ts';

/** History entries of this tab whose fragments hold keys that the person deleted. */
const KEY = 'satchel.forgotten';

interface Entry {
  readonly key: string;
}
/** The Navigation API, which not every browser has: without it, only the present address is cleared. */
interface History {
  readonly currentEntry: Entry | null;
  entries(): readonly Entry[];
}
const navigationHistory = () => (globalThis as { navigation?: History }).navigation;

/** Deletes the fragment of the present address, which could open the folder again. The router follows the change. */
export function deleteKeyFromAddress(): void {
  const { pathname, search, hash } = location;
  if (hash !== '') history.replaceState(history.state, '', `${pathname}${search}`);
}

/** Marks all history entries: each loses its present fragment when it is visited. */
export function deleteHistoryFragments(): void {
  // Entries of this site only, back to where the tab came from another site. Under no-referrer they hide their addresses.
  const keys = navigationHistory()
    ?.entries()
    .map(({ key }) => key);
  // Where storage is shut, only the present address can be cleared.
  tabStorage.set(KEY, JSON.stringify(keys ?? []));
  deleteKeyFromAddress();
}

function isDeleted(): boolean {
  const key = navigationHistory()?.currentEntry?.key;
  return key !== undefined && tabStorage.get(KEY)?.includes(key) === true && location.hash !== '';
}

const otherTabs = openChannel('satchel.forgotten');

/** Tells the site's other open tabs that the keys of this device are deleted. */
export const tellKeysDeleted = (): void => otherTabs?.postMessage('');

export const onKeysDeleted = (listener: () => void): void => otherTabs?.addEventListener('message', listener);

/** Deletes the fragments of marked entries on each visit. Call it once, before anything reads the address. */
export function watchHistory(): void {
  const deleteOnVisit = () => isDeleted() && deleteKeyFromAddress();
  deleteOnVisit();
  // Capture: before the router's listener.
  addEventListener('popstate', deleteOnVisit, { capture: true });
  // A page restored from the back/forward cache still holds opened files: reload it.
  addEventListener('pageshow', (event) => {
    if (!(event as PageTransitionEvent).persisted || !isDeleted()) return;
    deleteKeyFromAddress();
    location.reload();
  });
}
