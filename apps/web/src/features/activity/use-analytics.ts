import type { FolderAnalytics } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { useQuery } from '@tanstack/react-query';
import { rpc } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';

/** The figures of a tab that stays open are asked for again; a tab behind waits until somebody comes back to it. */
const REFRESH_MS = 10_000;

export interface Analytics {
  readonly figures: FolderAnalytics | undefined;
  /** Why there are none. */
  readonly error: AppError | null;
  readonly retry: () => void;
}

/** The folder's figures as far as that person may see them (DESIGN R7). */
export function useAnalytics(slug: string, userId: string): Analytics {
  const query = useQuery(
    {
      queryKey: ['analytics', slug, userId],
      queryFn: ({ signal }) => rpc('get_folder_analytics', { folder_slug: slug }, { signal }),
      staleTime: 0,
      refetchInterval: REFRESH_MS,
    },
    queryClient,
  );
  const isMissing = query.data === undefined && !query.isFetching;
  return {
    figures: query.data,
    // Errors are the api module's, which throws nothing else.
    error: isMissing ? (query.error as AppError | null) : null,
    retry: () => void query.refetch(),
  };
}
