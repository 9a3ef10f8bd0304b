import type { Folder, Profile } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { useQuery } from '@tanstack/react-query';
import { getJson } from './api.ts';
import { queryClient } from './query-client.ts';

export const ownProfileKey = (userId: string) => ['profile', userId] as const;
export const ownFoldersKey = (userId: string) => ['folders', userId] as const;

/** The signed-in person's profile with what their account holds. */
export const useOwnProfile = (userId: string) =>
  useQuery(
    {
      queryKey: ownProfileKey(userId),
      queryFn: ({ signal }) => getJson<Profile>(PATHS.profileMe, { fallback: 'profile.load_failed', signal }),
    },
    queryClient,
  );

/** The signed-in person's folders, newest first. */
export const useOwnFolders = (userId: string) =>
  useQuery(
    {
      queryKey: ownFoldersKey(userId),
      queryFn: ({ signal }) => getJson<Folder[]>(`${PATHS.folders}?owner=me`, { signal }),
    },
    queryClient,
  );
