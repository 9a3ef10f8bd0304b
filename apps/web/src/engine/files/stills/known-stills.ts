import { createStore } from '../../../lib/base/external-store.ts';
import { importPatiently } from '../../../lib/base/patient-import.ts';
import type { StillShelf } from './still-shelf.ts';

/** The page's shelf of stills, by another object after each change; null until the first still is wanted. */
export const knownStills = createStore<{ readonly shelf: StillShelf } | null>(null);

let loading: Promise<StillShelf> | null = null;

async function load(): Promise<StillShelf> {
  const { stillShelf: shelf } = await importPatiently(() => import('./still-shelf.ts'));
  const tell = () => knownStills.set({ shelf });
  shelf.subscribe(tell);
  tell();
  return shelf;
}

/** Loads the shelf, once. */
export function loadShelf(): Promise<StillShelf> {
  loading ??= load();
  return loading;
}
