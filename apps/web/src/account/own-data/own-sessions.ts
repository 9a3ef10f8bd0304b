import type { SessionList } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { getJson, sendJson } from '../../lib/api/api.ts';
import { queryClient, useServerQuery } from '../session/query-client.ts';

const sessionsKey = (userId: string) => ['sessions', userId] as const;

/** Where the signed-in person is signed in; asked for again whenever it comes on screen. */
export const useSessions = (userId: string) =>
  useServerQuery({
    queryKey: sessionsKey(userId),
    queryFn: ({ signal }) => getJson<SessionList>(PATHS.sessions, { signal }),
    staleTime: 0,
  });

const refresh = (userId: string) => queryClient.invalidateQueries({ queryKey: sessionsKey(userId) });

/**
 * Ends one session that is not this page's.
 * @throws AppError what the server said
 */
export async function endSessionAt(userId: string, id: string): Promise<void> {
  await sendJson('DELETE', `${PATHS.sessions}/${id}`, undefined);
  await refresh(userId);
}

/**
 * Ends all sessions but this page's.
 * @throws AppError what the server said
 */
export async function endOtherSessions(userId: string): Promise<void> {
  await sendJson('POST', `${PATHS.logout}?scope=others`, undefined);
  await refresh(userId);
}
