import { createFolderLoader, isFinal } from '@satchel/client/folders/load-folder';
import type { AppError } from '@satchel/contract/errors';
import { useCallback, useEffect, useRef } from 'react';
import { queryClient, useServerQuery } from '../../account/session/query-client.ts';
import { useSession } from '../../account/session/session.ts';
import { getJson, rpc } from '../../lib/api/api.ts';
import { serverNowMs } from '../../lib/api/server-clock.ts';
import { type FolderView, folderView } from './folder-view.ts';

const loadFolder = createFolderLoader({ rpc, getJson, nowMs: serverNowMs });

/** Retries a failed load once, unless the folder does not exist or has ended. */
const shouldRetry = (failures: number, error: Error) => !isFinal(error) && failures < 1;

export const folderQueryKey = (slug: string) => ['folder', slug] as const;

/** Reloads; resolves to whether the server answered. */
export type RefreshFolder = () => Promise<boolean>;

/** The folder at `slug`, and a function that reloads it. */
export function useFolder(slug: string): readonly [view: FolderView, refresh: RefreshFolder] {
  const session = useSession();
  const queryKey = folderQueryKey(slug);
  const query = useServerQuery({
    queryKey,
    queryFn: ({ signal }) => loadFolder(slug, signal, queryClient.getQueryData(queryKey)),
    retry: shouldRetry,
  });
  const { refetch } = query;
  const refresh = useCallback(async () => (await refetch()).isSuccess, [refetch]);
  // Some facts are owner-only, so each person has a separate answer.
  const who = session.state === 'loading' ? undefined : session.state === 'in' ? session.user.id : null;
  const before = useRef(who);
  useEffect(() => {
    if (before.current !== undefined && before.current !== who) void refresh();
    before.current = who;
  }, [who, refresh]);
  // The api module throws only AppError.
  const error = query.isFetching && !query.data ? null : (query.error as AppError | null);
  return [folderView({ data: query.data, error, receivedAtMs: query.dataUpdatedAt }, session), refresh];
}
