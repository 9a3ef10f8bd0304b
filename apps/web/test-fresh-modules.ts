import { IDBFactory } from 'fake-indexeddb';
import { vi } from 'vitest';

/**
 * The test files of a worker share loaded libraries. Each file loads the page's own modules again, as a tab does, and sees
 * no stubs or stored data of the file before.
 */
vi.useRealTimers();
vi.unstubAllGlobals();
vi.resetModules();
if ('indexedDB' in globalThis) globalThis.indexedDB = new IDBFactory();
