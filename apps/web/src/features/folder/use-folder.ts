import type { AppError } from '@satchel/contract/errors';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { getJson, rpc } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { useSession } from '../../lib/session.ts';
import { type FolderView, folderView } from './folder-view.ts';
import { createFolderLoader, isFinal } from './load-folder.ts';

const loadFolder = createFolderLoader({ rpc, getJson, nowMs: Date.now });

/** Tries a failed load once more; that a folder is not there, or not any more, needs no second opinion. */
const tryAgain = (failures: number, error: Error) => !isFinal(error) && failures < 1;

export const folderQueryKey = (slug: string) => ['folder', slug] as const;

/** Asks again; resolves to whether an answer came. */
export type RefreshFolder = () => Promise<boolean>;

/** The folder at `slug` as the page shows it, and the way to ask again. */
export function useFolder(slug: string): readonly [view: FolderView, refresh: RefreshFolder] {
  const session = useSession();
  const queryKey = folderQueryKey(slug);
  const query = useQuery(
    {
      queryKey,
      queryFn: ({ signal }) => loadFolder(slug, signal, queryClient.getQueryData(queryKey)),
      retry: tryAgain,
    },
    queryClient,
  );
  const { refetch } = query;
  const refresh = useCallback(async () => (await refetch()).isSuccess, [refetch]);
  // Some facts are for the owner only, so that another person means another answer.
  const who = session.state === 'loading' ? undefined : session.state === 'in' ? session.user.id : null;
  const before = useRef(who);
  useEffect(() => {
    if (before.current !== undefined && before.current !== who) void refresh();
    before.current = who;
  }, [who, refresh]);
  // Errors are the api module's, which throws nothing else.
  const error = query.isFetching && !query.data ? null : (query.error as AppError | null);
  return [folderView({ data: query.data, error, receivedAtMs: query.dataUpdatedAt }, session), refresh];
}
