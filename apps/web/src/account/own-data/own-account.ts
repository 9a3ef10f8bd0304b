import type { ProfileExport, ProfileOutput } from '@satchel/contract/api';
import type { Folder, TierLimits } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { getJson } from '../../lib/api/api.ts';
import { settings } from '../../lib/base/settings.ts';
import { queryClient, useServerQuery } from '../session/query-client.ts';

export const ownProfileKey = (userId: string) => ['profile', userId] as const;
export const ownFoldersKey = (userId: string) => ['folders', userId] as const;
export const openUploadsKey = (userId: string) => ['open-uploads', userId] as const;

/** Counts and sizes on screen are live: uploads in another tab change them, and so do visitors and time. */
const LIVE = { staleTime: 0, refetchInterval: 20_000 } as const;

/** The signed-in person's profile with what their account holds. */
export const useOwnProfile = (userId: string) =>
  useServerQuery({
    queryKey: ownProfileKey(userId),
    queryFn: ({ signal }) => getJson<ProfileOutput>(PATHS.profileMe, { fallback: 'profile.load_failed', signal }),
    ...LIVE,
  });

/** Limits of the default tier; used where the account's own limits can't be loaded. */
let defaults: TierLimits | null = null;
/** The same object for every call: effects run again for another one. The settings are not there when this module is loaded. */
function freeLimits(): TierLimits {
  defaults ??= {
    storage_bytes: settings.free_storage_bytes,
    max_file_bytes: settings.max_file_bytes,
    folder_lifetime_hours: settings.folder_lifetime_hours,
  };
  return defaults;
}

/**
 * The signed-in person's own limits, by their tier; `isLoading` during the first request only. After a failure the
 * request is repeated, and callers continue with the default limits.
 */
export function useOwnLimits(userId: string): { readonly limits: TierLimits; readonly isLoading: boolean } {
  const { data, isLoading, isFetched } = useOwnProfile(userId);
  return { limits: data?.limits ?? freeLimits(), isLoading: isLoading && !isFetched };
}

/** The signed-in person's folders, newest first. */
export const useOwnFolders = (userId: string) =>
  useServerQuery({
    queryKey: ownFoldersKey(userId),
    queryFn: ({ signal }) => getJson<Folder[]>(`${PATHS.folders}?owner=me`, { signal }),
    ...LIVE,
  });

/** Loads the account's figures, folders and open uploads again, wherever they are on screen. */
export async function refreshOwnAccount(userId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ownProfileKey(userId) }),
    queryClient.invalidateQueries({ queryKey: ownFoldersKey(userId) }),
    queryClient.invalidateQueries({ queryKey: openUploadsKey(userId) }),
  ]);
}

/**
 * All that the server stores about the signed-in person, as a file to keep.
 * @throws AppError what the server said
 */
export async function exportOwnData(): Promise<File> {
  const data = await getJson<ProfileExport>(PATHS.profileExport);
  const day = data.exported_at.slice(0, 10);
  return new File([JSON.stringify(data, null, 2)], `satchel-export-${day}.json`, { type: 'application/json' });
}
