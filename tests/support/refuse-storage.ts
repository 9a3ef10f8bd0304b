/** Runs in a page before its own scripts: all that Firefox refuses where cookies are blocked; Chromium leaves some of it open. */
export function refuseStorage(): void {
  const refuse = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'BroadcastChannel'])
    Object.defineProperty(window, name, { configurable: true, get: refuse });
  for (const name of ['locks', 'serviceWorker', 'storage'])
    Object.defineProperty(navigator, name, { configurable: true, get: refuse });
}
