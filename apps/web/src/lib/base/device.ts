/**
 * The one door to what a browser keeps for the site, and to what its tabs share. Each part may be shut: a person blocks cookies
 * and site data, a window is private, a disk is full, a browser is old. Then even asking for a part throws, so nothing else in
 * the page asks (biome.json); what is shut is null here, and callers continue as if nothing were kept.
 */

function quietly<T>(act: () => T | null | undefined): T | null {
  try {
    return act() ?? null;
  } catch {
    return null;
  }
}

/** Choices that this device keeps; without storage, a choice lasts as long as the page. */
export const keptChoice = (name: string): string | null => quietly(() => localStorage.getItem(name));

/** @param value null deletes the choice */
export const keepChoice = (name: string, value: string | null): void =>
  void quietly(() => (value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value)));

/** Values that last as long as this tab. */
export const tabStorage = {
  get: (name: string): string | null => quietly(() => sessionStorage.getItem(name)),
  set: (name: string, value: string): void => void quietly(() => sessionStorage.setItem(name, value)),
  delete: (name: string): void => void quietly(() => sessionStorage.removeItem(name)),
  /** Deletes the values whose names begin with `prefix`. */
  deleteAll: (prefix: string): void =>
    void quietly(() => {
      const names = Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at) ?? '');
      for (const name of names) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
    }),
  /** The value as JSON; null without one, and for what is no JSON. */
  json: (name: string): unknown => quietly(() => JSON.parse(sessionStorage.getItem(name) ?? 'null')),
};

/** Opening a database may still be refused: it rejects then. */
export const deviceDatabases = (): IDBFactory | null => quietly(() => indexedDB);
/** As above. */
export const deviceCaches = (): CacheStorage | null => quietly(() => caches);
/** A request for a lock may still be refused: it rejects then, with another name than AbortError. */
export const deviceLocks = (): LockManager | null => quietly(() => navigator.locks);
/** Null, too, where site data is blocked: a registration is refused there, which Firefox prints as an error at each try. */
export const serviceWorkers = (): ServiceWorkerContainer | null =>
  quietly(() => {
    void globalThis.localStorage;
    return navigator.serviceWorker;
  });

export type Channel = BroadcastChannel;
/** A line to the site's other tabs; null where each is alone. */
export const openChannel = (name: string): BroadcastChannel | null => quietly(() => new BroadcastChannel(name));

/** `no-data`: a session lasts, but no key, choice or unfinished upload does; `nothing`: nobody can sign in either. */
export type Keeping = 'all' | 'no-data' | 'nothing';

const PROBE = 'satchel-probe';

/** Chromium says that cookies are enabled where the person has blocked this site's cookies: one has to be tried. */
function keepsCookies(): boolean {
  if (navigator.cookieEnabled === false) return false;
  return (
    quietly(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
      document.cookie = `${PROBE}=1; Max-Age=2; SameSite=Strict`;
      return document.cookie.includes(PROBE);
    }) === true
  );
}

export function whatIsKept(): Keeping {
  const hasData = quietly(() => localStorage) !== null && deviceDatabases() !== null;
  if (hasData && navigator.cookieEnabled !== false) return 'all';
  return keepsCookies() ? 'no-data' : 'nothing';
}

const SEVEN_DAYS_MS = 7 * 24 * 3600 * 1000;

/**
 * Safari deletes what a site keeps here once its person has used Safari on seven days without a visit to the site
 * (webkit.org/blog/10218); not of an app of the home screen.
 */
export const forgetsAfterMs = (device: Pick<Navigator, 'vendor'> & { standalone?: boolean } = navigator): number =>
  /^Apple/.test(device.vendor) && device.standalone !== true ? SEVEN_DAYS_MS : Number.POSITIVE_INFINITY;
