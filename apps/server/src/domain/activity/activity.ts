import type { EventKind } from '@satchel/contract/api';
import type { Db } from '../platform/db.ts';
import type { Stranger, VisitorSalts } from '../platform/visitor-salts.ts';
import { bookVisits, type Visits } from './activity-books.ts';
import type { Entrant } from './entry.ts';
import { folderBySlug, type Viewer } from './folders.ts';

/**
 * Counts views and downloads (DESIGN R7). Events are gathered in memory and booked together, a folder at a time, so that
 * a folder that many look at is one short transaction a second and not one an event.
 */

export interface ActivityDeps {
  readonly db: Db;
  readonly visitorSalts: VisitorSalts;
  /** Told of visits that could not be booked. */
  readonly report: (error: unknown) => void;
}

export interface FolderEvent {
  readonly slug: string;
  readonly kind: EventKind;
  /** Null for somebody not signed in. */
  readonly viewer: Viewer | null;
  readonly entrant: Entrant;
  readonly stranger: Stranger;
  /** False for what only looks like a visit: a crawler, a prefetch. */
  readonly isVisit: boolean;
}

export interface Activity {
  /**
   * Takes an event in; the owner's own count for nothing.
   * @throws folder.not_found, folder.expired
   */
  record(event: FolderEvent): Promise<void>;
  /** Books everything taken in so far. What cannot be booked now is tried again later. */
  flush(): Promise<void>;
  /** Books the rest, as far as that takes no longer than a stop may, and stops. */
  close(): Promise<void>;
}

/** How long an event waits at most before it is booked. */
const FLUSH_MS = 1000;
/** So many visitors wait at most; the next one waits for the books. */
const WAITING_MAX = 1000;
/** How long the end of the process waits for the last books: figures are not worth a stop that hangs. */
const CLOSE_MAX_MS = 5000;
/** Books that cannot be written so many times in a row are given up: they must not fill the memory. */
const TRIES_MAX = 5;

interface Waiting {
  readonly visits: Visits;
  readonly tries: number;
}

const noVisit = (profileId: string | null) => ({ profile_id: profileId, hasViewed: false, downloads: 0 });

function addVisit(visits: Visits, visitor: string, profileId: string | null, kind: EventKind): void {
  const visit = visits.get(visitor) ?? noVisit(profileId);
  if (kind === 'view') visit.hasViewed = true;
  else visit.downloads += 1;
  visits.set(visitor, visit);
}

/** Joins visits that failed to be booked with those that came meanwhile. */
function mergeVisits(into: Visits, from: Visits): void {
  for (const [visitor, { profile_id, hasViewed, downloads }] of from) {
    const visit = into.get(visitor) ?? noVisit(profile_id);
    visit.hasViewed ||= hasViewed;
    visit.downloads += downloads;
    into.set(visitor, visit);
  }
}

const countOf = (waiting: ReadonlyMap<string, Waiting>) =>
  [...waiting.values()].reduce((sum, { visits }) => sum + visits.size, 0);

export function createActivity({ db, visitorSalts, report }: ActivityDeps): Activity {
  let waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let flushing = Promise.resolve();
  let makingRoom: Promise<void> | undefined;
  let isClosed = false;
  let isLate = false;

  function putBack(folderId: string, { visits, tries }: Waiting): void {
    if (isClosed || tries + 1 >= TRIES_MAX) return;
    const later = waiting.get(folderId)?.visits ?? new Map();
    mergeVisits(later, visits);
    waiting.set(folderId, { visits: later, tries: tries + 1 });
    flushSoon();
  }

  async function bookAll(): Promise<void> {
    const batch = waiting;
    waiting = new Map();
    for (const [folderId, entry] of batch) {
      if (isLate) return;
      try {
        await bookVisits(db, folderId, entry.visits);
      } catch (error) {
        report(error);
        putBack(folderId, entry);
      }
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(bookAll);
    return flushing;
  }

  /** Whoever comes while there is no room waits for the same books: one booking, and not one for each of them. */
  function makeRoom(): Promise<void> {
    makingRoom ??= flush().finally(() => {
      makingRoom = undefined;
    });
    return makingRoom;
  }

  function flushSoon(): void {
    timer ??= setTimeout(() => void flush(), FLUSH_MS);
  }

  return {
    async record({ slug, kind, viewer, entrant, stranger, isVisit }) {
      const folder = await folderBySlug(db, slug, entrant);
      if (!isVisit || viewer?.profile_id === folder.owner_profile_id) return;
      const visitor = viewer?.profile_id ?? (await visitorSalts.pseudonymOf(folder.id, stranger));
      while (countOf(waiting) >= WAITING_MAX) await makeRoom();
      const entry = waiting.get(folder.id) ?? { visits: new Map(), tries: 0 };
      addVisit(entry.visits, visitor, viewer?.profile_id ?? null, kind);
      waiting.set(folder.id, entry);
      flushSoon();
    },
    flush,
    async close() {
      isClosed = true;
      let late: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        late = setTimeout(() => {
          isLate = true;
          report(new Error('The last visits are not booked in time'));
          resolve();
        }, CLOSE_MAX_MS);
      });
      await Promise.race([flush(), tooLong]);
      clearTimeout(late);
      clearTimeout(timer);
    },
  };
}
