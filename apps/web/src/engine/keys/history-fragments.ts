/** Addresses of this tab's history that hold keys which the person has had forgotten. */
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

/** The address of this very page would open its folder again for the next person. The router follows the change. */
export function dropKeyFromAddress(): void {
  const { pathname, search, hash } = location;
  if (hash !== '') history.replaceState(history.state, '', `${pathname}${search}`);
}

/** Has the steps back and forward lose the fragments that they hold now, each when somebody comes to it. */
export function forgetFragments(): void {
  // All of this site, up to where the tab came from another one: under no-referrer, they don't tell their addresses.
  const keys = navigationHistory()
    ?.entries()
    .map(({ key }) => key);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(keys ?? []));
  } catch {
    // Storage is closed to this page: what can be cleared is the present address.
  }
  dropKeyFromAddress();
}

function isForgotten(): boolean {
  try {
    const key = navigationHistory()?.currentEntry?.key;
    return key !== undefined && sessionStorage.getItem(KEY)?.includes(key) === true && location.hash !== '';
  } catch {
    // Storage is closed to this page, so nothing was put by.
    return false;
  }
}

const otherTabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('satchel.forgotten');

/** Says in the site's other open tabs that the keys of this device are forgotten. */
export const tellForgotten = (): void => otherTabs?.postMessage('');

export const onForgotten = (listener: () => void): void => otherTabs?.addEventListener('message', listener);

/** Call it once, before anything reads the address. */
export function dropForgottenKeys(): void {
  const drop = () => isForgotten() && dropKeyFromAddress();
  drop();
  // Before the router hears of it.
  addEventListener('popstate', drop, { capture: true });
  // A page that the browser has kept whole still holds what it opened.
  addEventListener('pageshow', (event) => {
    if (!(event as PageTransitionEvent).persisted || !isForgotten()) return;
    dropKeyFromAddress();
    location.reload();
  });
}
