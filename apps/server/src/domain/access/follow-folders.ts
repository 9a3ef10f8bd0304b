import { CHANGES_GATHER_MS, type FolderChange } from '@satchel/contract/wire/folder-changes';
import type { ChangeChannel } from '../../platform/database/change-channel.ts';
import { onChanges } from '../../platform/database/change-notes.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Requester } from './folder-access.ts';
import {
  createVersions,
  type FollowedFolder,
  liveFolders,
  placesOfReaders,
  visibleFolders,
} from './folder-followers.ts';

/**
 * Tells open pages that their folder changed (docs/decisions/027). Each change has the database asked once for its folder,
 * however many pages are open: what it is now, and who of its followers may still see it.
 */

/** How often all followed folders are asked for: a change or an end of access that no note told of is found then. */
const LOOK_MS = 30_000;
/** Followers that are told before others get their turn. */
const TOLD_AT_ONCE = 250;
/** How long after a failure of the database the next question waits. */
const RETRY_MS = 2000;
const TIMER_MAX_MS = 2 ** 31 - 1;

interface Follower {
  readonly requester: Requester;
  readonly tell: (change: FolderChange) => void;
}

interface Followed {
  folder: FollowedFolder;
  readonly followers: Set<Follower>;
  expiry: NodeJS.Timeout | undefined;
}

export interface FolderFollowing {
  /** What the requester may know of these folders now: one row for each slug. */
  look(slugs: readonly string[], requester: Requester): Promise<FolderChange[]>;
  /**
   * Follows these folders. The first changes are what `look` returns.
   * @returns stops following
   */
  follow(slugs: readonly string[], follower: Follower): Promise<{ first: FolderChange[]; stop: () => void }>;
  close(): Promise<void>;
}

export interface FollowingDeps {
  readonly db: Db;
  /** Null where one process serves the database alone. */
  readonly elsewhere: ChangeChannel | null;
  readonly report: (error: unknown) => void;
}

const gone = (slug: string): FolderChange => ({ slug, version: null, age_ms: 0 });

/** The followers of a folder that may not see it any more. */
async function losersOf(db: Db, { folder, followers }: Followed): Promise<ReadonlySet<Follower>> {
  if (!folder.isRestricted) return new Set();
  // A session has many pages, and a guest's browser, too.
  const byWho = Map.groupBy(followers, ({ requester: r }) => `${r.profile_id} ${r.session_hash} ${r.holder_hash}`);
  const groups = [...byWho.values()];
  const readers = await placesOfReaders(
    db,
    folder.id,
    groups.map(([one]) => one!.requester),
  );
  return new Set(groups.filter((_, place) => !readers.has(place)).flat());
}

export function createFolderFollowing(deps: FollowingDeps): FolderFollowing {
  const { db, elsewhere, report } = deps;
  const versions = createVersions(() => performance.now());
  const followed = new Map<string, Followed>();
  const changed = new Set<string>();
  const toPublish = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let telling = Promise.resolve();

  function drop(id: string, follower: Follower): void {
    const one = followed.get(id);
    if (!one?.followers.delete(follower) || one.followers.size > 0) return;
    clearTimeout(one.expiry);
    followed.delete(id);
  }

  function awaitExpiry(one: Followed): void {
    clearTimeout(one.expiry);
    const delayMs = Math.min(Math.max(one.folder.expiresInMs, 0) + 1, TIMER_MAX_MS);
    one.expiry = setTimeout(() => note(one.folder.id), delayMs);
    one.expiry.unref();
  }

  /** Lets other work of the process run in between: there may be many thousand followers. */
  async function tellAll(followers: readonly Follower[], change: (follower: Follower) => FolderChange): Promise<void> {
    for (const [place, follower] of followers.entries()) {
      follower.tell(change(follower));
      if ((place + 1) % TOLD_AT_ONCE === 0) await new Promise(setImmediate);
    }
  }

  /** Tells the followers that may not see the folder any more and, if it changed, all others. */
  async function tellOf(one: Followed, now: FollowedFolder | undefined, hasChanged: boolean): Promise<void> {
    if (now && hasChanged) {
      one.folder = now;
      awaitExpiry(one);
    }
    const { id, slug } = one.folder;
    const losers = now ? await losersOf(db, one) : new Set(one.followers);
    const told = hasChanged ? [...one.followers] : [...losers];
    const change = versions.of(one.folder);
    for (const follower of losers) drop(id, follower);
    await tellAll(told, (follower) => (losers.has(follower) ? gone(slug) : change));
  }

  /** @param ids the folders that notes named; null asks for every followed folder, and tells of changed ones */
  async function ask(ids: readonly string[] | null): Promise<void> {
    const asked = (ids ?? [...followed.keys()]).filter((id) => followed.has(id));
    if (asked.length === 0) return;
    const live = new Map((await liveFolders(db, asked)).map((folder) => [folder.id, folder]));
    for (const id of asked) {
      const now = live.get(id);
      const one = followed.get(id);
      if (!one) continue;
      const hasChanged = ids !== null || now?.row !== one.folder.row;
      if (ids === null && hasChanged) versions.change(id);
      await tellOf(one, now, hasChanged);
    }
  }

  /** Asks one after the other, so that no earlier answer comes after a later one. */
  function askInTurn(ids: readonly string[] | null): Promise<void> {
    telling = telling
      .then(() => (isClosed ? undefined : ask(ids)))
      .catch((error: unknown) => {
        report(error);
        // Without an answer nothing is told: not even that something changed, to a follower who may not know it.
        for (const id of ids ?? []) changed.add(id);
        if (ids) plan(RETRY_MS);
      });
    return telling;
  }

  function plan(delayMs: number): void {
    if (timer || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      const ids = [...changed];
      changed.clear();
      elsewhere?.publish([...toPublish]);
      toPublish.clear();
      void askInTurn(ids);
    }, delayMs);
    timer.unref();
  }

  function note(id: string): void {
    versions.change(id);
    if (followed.has(id)) changed.add(id);
    if (followed.has(id) || toPublish.size > 0) plan(CHANGES_GATHER_MS);
  }

  onChanges(db, (ids) => {
    for (const id of ids) {
      if (elsewhere) toPublish.add(id);
      note(id);
    }
  });
  elsewhere?.listen(
    (ids) => ids.forEach(note),
    () => void askInTurn(null),
  );
  const looks = setInterval(() => void askInTurn(null), LOOK_MS);
  looks.unref();

  const firstOf = (slugs: readonly string[], visible: readonly FollowedFolder[]): FolderChange[] => {
    const bySlug = new Map(visible.map((folder) => [folder.slug, folder]));
    return slugs.map((slug) => {
      const folder = bySlug.get(slug);
      return folder ? versions.of(folder) : gone(slug);
    });
  };

  return {
    async look(slugs, requester) {
      return firstOf(slugs, await visibleFolders(db, slugs, requester));
    },
    async follow(slugs, follower) {
      const visible = await visibleFolders(db, slugs, follower.requester);
      for (const folder of visible) {
        const one = followed.get(folder.id) ?? { folder, followers: new Set(), expiry: undefined };
        followed.set(folder.id, one);
        one.followers.add(follower);
        if (!one.expiry) awaitExpiry(one);
      }
      return {
        first: firstOf(slugs, visible),
        stop: () => {
          for (const { id } of visible) drop(id, follower);
        },
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(looks);
      for (const { expiry } of followed.values()) clearTimeout(expiry);
      followed.clear();
      await telling;
      await elsewhere?.close();
    },
  };
}
