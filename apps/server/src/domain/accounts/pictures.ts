import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { and, eq } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { folder_visitors, profiles } from '../platform/schema.ts';
import type { Entrant } from './entry.ts';
import { folderBySlug, type Viewer } from './folders.ts';

/**
 * Avatars and banners by addresses of this site. The addresses that Discord gives hold a person's Discord id, so that they
 * stay in the profile, and no answer but a person's own export tells them.
 */

/** The parts of a profile that are pictures. */
interface Pictured {
  readonly avatar_url: string | null;
  readonly banner_url: string | null;
}
type Kind = 'avatar' | 'banner';

const NAME = /^(avatar|banner)\.(png|gif)$/;
const isMoving = (url: string) => /\.gif(?=$|\?)/.test(url);
const nameOf = (kind: Kind, url: string) => `${kind}.${isMoving(url) ? 'gif' : 'png'}`;

/** The addresses of pictures below `base`, null for those that a person has not. */
function addressesBelow(base: string, { avatar_url, banner_url }: Pictured): Pictured {
  const addressOf = (kind: Kind, url: string | null) => url && `${base}/${nameOf(kind, url)}`;
  return { avatar_url: addressOf('avatar', avatar_url), banner_url: addressOf('banner', banner_url) };
}

/** One's own pictures. */
export const ownPictures = (profile: Pictured): Pictured => addressesBelow(PATHS.ownPictures, profile);

/** The pictures of a folder's owner, or of a visitor, for whoever sees them on that folder's page. */
export const picturesInFolder = (slug: string, profile: Pictured & { readonly id: string }): Pictured =>
  addressesBelow(`${PATHS.folders}/${slug}/people/${profile.id}`, profile);

/**
 * Where Discord has a person's picture.
 * @param name as the addresses above end; a moving picture is asked for as PNG by those who want less motion
 * @throws request.not_found
 */
function pictureOf(profile: Pictured | undefined, name: string): string {
  const [, kind, extension] = NAME.exec(name) ?? [];
  const url = kind === 'banner' ? profile?.banner_url : profile?.avatar_url;
  if (!kind || !url || (extension === 'gif' && !isMoving(url))) throw new AppError('request.not_found');
  return extension === 'png' ? url.replace(/\.gif(?=$|\?)/, '.png') : url;
}

const columns = { avatar_url: profiles.avatar_url, banner_url: profiles.banner_url };

/** @throws request.not_found */
export async function ownPicture(db: Queryable, { profile_id }: Viewer, name: string): Promise<string> {
  const [profile] = await db.select(columns).from(profiles).where(eq(profiles.id, profile_id));
  return pictureOf(profile, name);
}

export interface PictureInFolder {
  readonly slug: string;
  readonly profileId: string;
  readonly name: string;
}

/**
 * The owner's pictures for those who may see the folder; a visitor's for the owner and the visitor, as Recent Activity.
 * @throws request.not_found; folder.not_found, also to whoever may not know of it; folder.expired, folder.taken_down
 */
export async function pictureInFolder(
  db: Queryable,
  { slug, profileId, name }: PictureInFolder,
  { viewer, entrant }: { viewer: Viewer | null; entrant: Entrant },
): Promise<string> {
  const folder = await folderBySlug(db, slug, entrant);
  const isOwner = folder.owner_profile_id === profileId;
  const maySeeVisitor = viewer !== null && [folder.owner_profile_id, profileId].includes(viewer.profile_id);
  if (!isOwner && !maySeeVisitor) throw new AppError('request.not_found');
  const ofFolder = and(eq(folder_visitors.folder_id, folder.id), eq(folder_visitors.profile_id, profileId));
  const [person] = isOwner
    ? await db.select(columns).from(profiles).where(eq(profiles.id, profileId))
    : await db
        .select(columns)
        .from(profiles)
        .innerJoin(folder_visitors, eq(folder_visitors.profile_id, profiles.id))
        .where(ofFolder);
  return pictureOf(person, name);
}
