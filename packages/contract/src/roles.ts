/** A person's role towards a folder. */
export type Role = 'owner' | 'viewer' | 'public';

/**
 * The role of a person towards a folder.
 * @param userId id of the signed-in person, or null
 * @param ownerProfileId the folder's owner_profile_id
 */
export function roleOf(userId: string | null, ownerProfileId: string): Role {
  if (userId === null) return 'public';
  return userId === ownerProfileId ? 'owner' : 'viewer';
}
