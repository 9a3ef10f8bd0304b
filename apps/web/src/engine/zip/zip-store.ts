import { createStore } from '../../lib/external-store.ts';
import type { ZipState } from './zip-state.ts';

/** The zip that is being saved; one at a time. It goes on while other pages are looked at. */
export const zipStore = createStore<ZipState | null>(null);
