import type { EventKind } from '@satchel/contract/api';
import type { Db } from '../../platform/database/db.ts';
import type { Stranger, VisitorSalts } from '../../platform/keys/visitor-salts.ts';
import { folderBySlug, type Viewer } from '../access/find-folder.ts';
import type { Requester } from '../access/folder-access.ts';
import { saveVisits, type Visits } from './visit-counters.ts';

/**
 * Counts views and downloads. Events are collected in memory and saved together by folder, so that a
 * popular folder costs one short transaction a second, not one for each event.
 */

export interface ActivityDeps {
  readonly db: Db;
  readonly visitorSalts: VisitorSalts;
  /** Called for visits that could not be saved. */
  readonly report: (error: unknown) => void;
}

export interface FolderEvent {
  readonly slug: string;
  readonly kind: EventKind;
  /** Null for a visitor who is not signed in. */
  readonly viewer: Viewer | null;
  readonly requester: Requester;
  readonly stranger: Stranger;
  /** False for a crawler or a prefetch. */
  readonly isVisit: boolean;
}

export interface Activity {
  /**
   * Adds an event; the owner's own events do not count.
   * @throws folder.not_found, folder.expired
   */
  record(event: FolderEvent): Promise<void>;
  /** Saves all queued visits. Visits that can't be saved now are tried again later. */
  flush(): Promise<void>;
  /** Saves the queued visits, up to a time limit, and stops. */
  close(): Promise<void>;
}

/** How long an event is queued at most. */
const FLUSH_MS = 1000;
/** Visitors in the queue; the next one waits until the queue is saved. */
const QUEUED_MAX = 1000;
/** Time limit for the last save: lost counts are better than a stop that hangs. */
const CLOSE_MAX_MS = 5000;
/** A folder's visits are given up after this many failures in a row: they must not fill the memory. */
const TRIES_MAX = 5;

interface Queued {
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

/** Joins visits that could not be saved with later visits. */
function mergeVisits(into: Visits, from: Visits): void {
  for (const [visitor, { profile_id, hasViewed, downloads }] of from) {
    const visit = into.get(visitor) ?? noVisit(profile_id);
    visit.hasViewed ||= hasViewed;
    visit.downloads += downloads;
    into.set(visitor, visit);
  }
}

const countOf = (queued: ReadonlyMap<string, Queued>) =>
  [...queued.values()].reduce((sum, { visits }) => sum + visits.size, 0);

export function createActivity({ db, visitorSalts, report }: ActivityDeps): Activity {
  let queued = new Map<string, Queued>();
  let timer: NodeJS.Timeout | undefined;
  let flushing = Promise.resolve();
  let makingRoom: Promise<void> | undefined;
  let isClosed = false;
  let isLate = false;

  function requeue(folderId: string, { visits, tries }: Queued): void {
    if (isClosed || tries + 1 >= TRIES_MAX) return;
    const later = queued.get(folderId)?.visits ?? new Map();
    mergeVisits(later, visits);
    queued.set(folderId, { visits: later, tries: tries + 1 });
    flushSoon();
  }

  async function saveQueued(): Promise<void> {
    const batch = queued;
    queued = new Map();
    for (const [folderId, entry] of batch) {
      if (isLate) return;
      try {
        await saveVisits(db, folderId, entry.visits);
      } catch (error) {
        report(error);
        requeue(folderId, entry);
      }
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(saveQueued);
    return flushing;
  }

  /** Requests that find the queue full share one save. */
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
    async record({ slug, kind, viewer, requester, stranger, isVisit }) {
      const folder = await folderBySlug(db, slug, requester);
      if (!isVisit || viewer?.profile_id === folder.owner_profile_id) return;
      const visitor = viewer?.profile_id ?? (await visitorSalts.pseudonymOf(folder.id, stranger));
      while (countOf(queued) >= QUEUED_MAX) await makeRoom();
      const entry = queued.get(folder.id) ?? { visits: new Map(), tries: 0 };
      addVisit(entry.visits, visitor, viewer?.profile_id ?? null, kind);
      queued.set(folder.id, entry);
      flushSoon();
    },
    flush,
    async close() {
      isClosed = true;
      let late: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        late = setTimeout(() => {
          isLate = true;
          report(new Error('visit counts not saved before the server stops'));
          resolve();
        }, CLOSE_MAX_MS);
      });
      await Promise.race([flush(), tooLong]);
      clearTimeout(late);
      clearTimeout(timer);
    },
  };
}
