/** Where storage is full, or closed to the page, it keeps nothing: callers go on as if nothing were kept. */
function quietly<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

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
