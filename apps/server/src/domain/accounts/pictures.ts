import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { and, eq } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { folder_visitors } from '../../platform/schema/folders.ts';
import { folderBySlug, type Viewer } from '../access/find-folder.ts';
import type { Requester } from '../access/folder-access.ts';

/**
 * Serves avatars and banners under addresses of this site. Discord's own addresses hold a person's Discord id: they
 * stay in the profile, and only the person's own export contains them.
 */

/** The picture addresses of a profile. */
interface Pictured {
  readonly avatar_url: string | null;
  readonly banner_url: string | null;
}
type Kind = 'avatar' | 'banner';

const NAME = /^(avatar|banner)\.(png|gif)$/;
const isMoving = (url: string) => /\.gif(?=$|\?)/.test(url);
const nameOf = (kind: Kind, url: string) => `${kind}.${isMoving(url) ? 'gif' : 'png'}`;

/** The addresses of pictures below `base`; null for a picture that the profile does not have. */
function addressesBelow(base: string, { avatar_url, banner_url }: Pictured): Pictured {
  const addressOf = (kind: Kind, url: string | null) => url && `${base}/${nameOf(kind, url)}`;
  return { avatar_url: addressOf('avatar', avatar_url), banner_url: addressOf('banner', banner_url) };
}

/** Addresses of the viewer's own pictures. */
export const ownPictures = (profile: Pictured): Pictured => addressesBelow(PATHS.ownPictures, profile);

/** Addresses of the pictures of a folder's owner or visitor, for people who see them on that folder's page. */
export const picturesInFolder = (slug: string, profile: Pictured & { readonly id: string }): Pictured =>
  addressesBelow(`${PATHS.folders}/${slug}/people/${profile.id}`, profile);

/**
 * Discord's address of a person's picture.
 * @param name last part of an address from above; a reader who wants less motion asks for PNG
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
 * The folder owner's pictures for people who may see the folder; a visitor's for the owner and that visitor, as in
 * Recent Activity.
 * @throws request.not_found; folder.not_found, also when the requester may not know of the folder; folder.expired,
 * folder.taken_down
 */
export async function pictureInFolder(
  db: Queryable,
  { slug, profileId, name }: PictureInFolder,
  { viewer, requester }: { viewer: Viewer | null; requester: Requester },
): Promise<string> {
  const folder = await folderBySlug(db, slug, requester);
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
