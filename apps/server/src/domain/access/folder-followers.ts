import { CHANGE_AGE_MAX_MS, type FolderChange } from '@satchel/contract/wire/folder-changes';
import { and, inArray, isNull, sql } from 'drizzle-orm';
import { type Db, type Queryable, rowsOf } from '../../platform/database/db.ts';
import { folders } from '../../platform/schema/folders.ts';
import { type Requester, visibleTo, visibleToColumns } from './folder-access.ts';

/** What the followed folders are now, and who may still see them. */

export interface FollowedFolder {
  readonly id: string;
  readonly slug: string;
  readonly isRestricted: boolean;
  readonly expiresInMs: number;
  /** Another one after each change of the folder's row: of settings, link and end, and of the sum of its files. */
  readonly row: string;
}

const columns = {
  id: folders.id,
  slug: folders.slug,
  isRestricted: sql<boolean>`${folders.access} = 'restricted'`,
  expiresInMs: sql<number>`(extract(epoch from ${folders.expires_at} - clock_timestamp()) * 1000)::float8`,
  row: sql<string>`${folders}.xmin::text`,
};
const isLive = and(isNull(folders.deleted_at), sql`${folders.expires_at} > clock_timestamp()`);

/** The folders of these slugs that the requester may see. */
export const visibleFolders = (
  db: Queryable,
  slugs: readonly string[],
  requester: Requester,
): Promise<FollowedFolder[]> =>
  db
    .select(columns)
    .from(folders)
    .where(and(inArray(folders.slug, [...slugs]), isLive, visibleTo(requester)));

/** The ones of these folders that exist. */
export const liveFolders = (db: Queryable, ids: readonly string[]): Promise<FollowedFolder[]> =>
  db
    .select(columns)
    .from(folders)
    .where(and(inArray(folders.id, [...ids]), isLive));

/** The places in `requesters` of people who may see a folder. */
export async function placesOfReaders(
  db: Db,
  folderId: string,
  requesters: readonly Requester[],
): Promise<ReadonlySet<number>> {
  const array = (values: readonly (string | null)[], type: string) =>
    sql`${`{${values.map((value) => (value === null ? 'null' : `"${value}"`)).join()}}`}::${sql.raw(type)}[]`;
  const condition = visibleToColumns({
    profile_id: sql`requester.profile_id`,
    session_hash: sql`requester.session_hash`,
    holder_hash: sql`requester.holder_hash`,
  });
  const result = await db.execute(sql`
    select requester.place::integer as place from ${folders}, unnest(
      ${array(
        requesters.map(({ profile_id }) => profile_id),
        'uuid',
      )}, ${array(
        requesters.map(({ session_hash }) => session_hash),
        'text',
      )}, ${array(
        requesters.map(({ holder_hash }) => holder_hash),
        'text',
      )}
    ) with ordinality as requester (profile_id, session_hash, holder_hash, place)
    where ${folders.id} = ${folderId} and ${condition}`);
  return new Set(rowsOf<{ place: number }>(result).map(({ place }) => place - 1));
}

/**
 * Versions of folders: in memory, since they only say whether something changed while a page's connection was away. After
 * a restart every version is another one, and every page looks once.
 */
export function createVersions(nowMs: () => number) {
  const boot = crypto.randomUUID().slice(0, 8);
  const bootMs = nowMs();
  const changes = new Map<string, { number: number; atMs: number }>();
  let last = 0;
  /** The version of every folder whose change was so long ago that it is forgotten. */
  let floor = 0;

  function forget(): void {
    for (const [id, { number, atMs }] of changes) {
      if (nowMs() - atMs < CHANGE_AGE_MAX_MS) return;
      changes.delete(id);
      floor = number;
    }
  }

  return {
    change(id: string): void {
      forget();
      last += 1;
      // The map stays in the order of the changes.
      changes.delete(id);
      changes.set(id, { number: last, atMs: nowMs() });
    },
    of({ id, slug }: Pick<FollowedFolder, 'id' | 'slug'>): FolderChange {
      forget();
      const change = changes.get(id);
      const ageMs = nowMs() - (change?.atMs ?? bootMs);
      return {
        slug,
        version: `${boot}.${change?.number ?? floor}`,
        age_ms: Math.min(Math.round(ageMs), CHANGE_AGE_MAX_MS),
      };
    },
  };
}
