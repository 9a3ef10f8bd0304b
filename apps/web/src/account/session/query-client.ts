import { AppError } from '@satchel/contract/errors';
import { QueryCache, QueryClient, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { loadSession } from './session.ts';

const isSignedOut = (error: Error) => error instanceof AppError && error.code === 'auth.required';

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // The session ended during the request: show the page as to signed-out people.
      if (isSignedOut(error)) loadSession().catch(() => {});
    },
  }),
  defaultOptions: {
    queries: { retry: (failures, error) => failures < 1 && !isSignedOut(error), staleTime: 10_000 },
  },
});

/** Follows an answer of the server. With our client by hand the shell needs no provider, and the landing page no library. */
export const useServerQuery = <Data, Key extends QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>) =>
  useQuery(options, queryClient);
