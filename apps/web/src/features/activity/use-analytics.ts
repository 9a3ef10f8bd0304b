import type { FolderAnalytics } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../account/session/query-client.ts';
import { rpc } from '../../lib/api/api.ts';

/** A visible tab polls its figures; a hidden tab waits until it is visible again. */
const REFRESH_MS = 10_000;

export interface Analytics {
  readonly figures: FolderAnalytics | undefined;
  /** Why the figures failed to load. */
  readonly error: AppError | null;
  readonly retry: () => void;
}

/** The folder's figures, as far as the person may see them (DESIGN R7). */
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
    // The api module throws only AppError.
    error: isMissing ? (query.error as AppError | null) : null,
    retry: () => void query.refetch(),
  };
}
