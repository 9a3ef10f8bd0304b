import { afterEach, expect, test, vi } from 'vitest';
import {
  deviceCaches,
  deviceDatabases,
  deviceLocks,
  forgetsAfterMs,
  keepChoice,
  keptChoice,
  openChannel,
  serviceWorkers,
  tabStorage,
  whatIsKept,
} from './device.ts';

const PARTS = ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'BroadcastChannel'];

function shut(parts: readonly string[]): void {
  const get = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  for (const name of parts) Object.defineProperty(globalThis, name, { configurable: true, get });
}

const before = PARTS.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
afterEach(() => {
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
  vi.unstubAllGlobals();
});

test('what a browser refuses even to name is as if nothing were kept', () => {
  shut(PARTS);
  vi.stubGlobal('navigator', { cookieEnabled: false });
  keepChoice('theme', 'light');
  tabStorage.set('a', '1');
  tabStorage.delete('a');
  tabStorage.deleteAll('a');
  const kept = [keptChoice('theme'), tabStorage.get('a'), tabStorage.json('a'), openChannel('a')];
  const parts = [deviceDatabases(), deviceCaches(), deviceLocks(), serviceWorkers()];
  expect([...kept, ...parts].every((one) => one === null)).toBe(true);
  expect(whatIsKept()).toBe('nothing');
});

test('a browser that blocks site data is asked for no service worker', () => {
  vi.stubGlobal('navigator', { serviceWorker: {} });
  vi.stubGlobal('localStorage', {});
  expect(serviceWorkers()).not.toBeNull();
  shut(['localStorage']);
  expect(serviceWorkers()).toBeNull();
});

test('a browser with cookies and without data of sites keeps a session, and no more', () => {
  shut(['localStorage']);
  vi.stubGlobal('navigator', { cookieEnabled: true });
  vi.stubGlobal('document', { cookie: '' });
  expect(whatIsKept()).toBe('no-data');
});

test('a browser that blocks this site’s cookies without saying so keeps nothing', () => {
  shut(['localStorage']);
  vi.stubGlobal('navigator', { cookieEnabled: true });
  const document = Object.defineProperty({}, 'cookie', { get: () => '', set: () => undefined });
  vi.stubGlobal('document', document);
  expect(whatIsKept()).toBe('nothing');
});

test('a browser with both keeps all', () => {
  vi.stubGlobal('localStorage', {});
  vi.stubGlobal('indexedDB', {});
  vi.stubGlobal('navigator', { cookieEnabled: true });
  expect(whatIsKept()).toBe('all');
});

test('only Safari forgets a site that is not visited, and not where the site is an app of the home screen', () => {
  const sevenDays = 7 * 24 * 3600 * 1000;
  expect(forgetsAfterMs({ vendor: 'Apple Computer, Inc.' })).toBe(sevenDays);
  expect(forgetsAfterMs({ vendor: 'Apple Computer, Inc.', standalone: true })).toBe(Number.POSITIVE_INFINITY);
  expect(forgetsAfterMs({ vendor: 'Google Inc.' })).toBe(Number.POSITIVE_INFINITY);
  expect(forgetsAfterMs({ vendor: '' })).toBe(Number.POSITIVE_INFINITY);
});
