import type { Page } from 'playwright-core';

/** Lists that no honest server would send. */

export interface ListedEntry {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly metadata: {
    readonly size: number;
    readonly mimetype: string;
    readonly eTag: string;
    readonly sealed?: string | undefined;
  };
}

const byArrival = (one: ListedEntry, other: ListedEntry) => one.created_at.localeCompare(other.created_at);

/**
 * Changes the list in every folder that the page opens, until the returned function is called.
 * @param change gets what was asked for, oldest first: an open page asks for the newest as well, and is told the same
 */
export async function changeListing(
  page: Page,
  change: (entries: readonly ListedEntry[]) => readonly ListedEntry[],
): Promise<() => void> {
  let isOver = false;
  const isList = (url: URL) => url.pathname.startsWith('/storage/v1/object/list/');
  await page.route(isList, async (route) => {
    if (isOver) return route.fallback();
    try {
      const response = await route.fetch();
      const { sortBy } = route.request().postDataJSON() as { sortBy?: { order: string } };
      const told = change(((await response.json()) as ListedEntry[]).toSorted(byArrival));
      await route.fulfill({ response, json: sortBy?.order === 'desc' ? told.toReversed() : told });
    } catch (error) {
      // A page that has been left takes its requests along.
      if (!isOver) throw error;
    }
  });
  // The route stays: one that is removed while it answers breaks that answer.
  return () => {
    isOver = true;
  };
}

/** An entry that was never sealed, which a server could add to any list. */
export const injectedEntry = (name: string): ListedEntry => ({
  id: crypto.randomUUID(),
  name,
  created_at: '2026-11-22T12:00:00.000Z',
  updated_at: '2026-11-22T12:00:00.000Z',
  metadata: { size: 18_000, mimetype: 'text/html', eTag: '"injected"' },
});

/** The first two entries with their labels swapped. */
export function swapLabels([first, second, ...others]: readonly ListedEntry[]): readonly ListedEntry[] {
  if (!first || !second) throw new Error('nothing to swap');
  const relabelled = (entry: ListedEntry, { metadata }: ListedEntry) => ({
    ...entry,
    metadata: { ...entry.metadata, sealed: metadata.sealed },
  });
  return [relabelled(first, second), relabelled(second, first), ...others];
}

export const longListing = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    name: `file-${String(at + 1).padStart(4, '0')}.txt`,
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T12:00:00.000Z',
    metadata: { size: 1000 + at, mimetype: 'text/plain', eTag: `"${at}"` },
  }));

/** Makes every folder that the page opens list these files instead of the server's. */
export const listInstead = (page: Page, entries: ReturnType<typeof longListing>): Promise<unknown> =>
  page.route('**/storage/v1/object/list/**', (route) => {
    const { offset, limit } = route.request().postDataJSON() as { offset: number; limit: number };
    return route.fulfill({ json: entries.slice(offset, offset + limit) });
  });
