import { fragmentKind } from '@satchel/client/keys/link-parts';
import { tabStorage } from '../../lib/base/device.ts';

const STORAGE_PREFIX = 'satchel.fragment.';
const storageName = (slug: string): string => `${STORAGE_PREFIX}${slug}`;
/** Time to sign in; after that the kept fragment is ignored. */
const CARRY_MS = 15 * 60_000;

/** Keeps the fragment during sign-in (without storage the visitor opens the link again), and for nothing else (docs/container.md §3). */
export function keepFragment(slug: string, hash: string = globalThis.location.hash): void {
  if (fragmentKind(hash) === 'none') return;
  tabStorage.set(storageName(slug), JSON.stringify({ hash, untilMs: Date.now() + CARRY_MS }));
}

/** Returns the fragment that {@link keepFragment} kept, and deletes it. Empty when there is none. */
export function takeFragment(slug: string): string {
  const { hash, untilMs } = (tabStorage.json(storageName(slug)) ?? {}) as { hash?: unknown; untilMs?: unknown };
  tabStorage.delete(storageName(slug));
  return typeof hash === 'string' && typeof untilMs === 'number' && Date.now() < untilMs ? hash : '';
}

/** Deletes every kept fragment: the sign-in was abandoned. */
export const deleteFragments = (): void => tabStorage.deleteAll(STORAGE_PREFIX);
