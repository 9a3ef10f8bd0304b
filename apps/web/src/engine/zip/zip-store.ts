import { createStore } from '../../lib/base/external-store.ts';
import type { ZipState } from './zip-state.ts';

/** The zip that is being saved; one at a time. It continues on other pages. */
export const zipStore = createStore<ZipState | null>(null);
