import { QueryClient } from '@tanstack/react-query';

/** Passed to useQuery by hand, so that the shell needs no provider and the landing page no query library. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: true, staleTime: 10_000 } },
});
