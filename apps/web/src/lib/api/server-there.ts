import { PATHS } from '@satchel/contract/paths';

/** How long the server may take to say that it is there. */
const THERE_MS = 8000;

/** Whether the server answers, asked past every cache. Never rejects. */
export const isServerThere = (): Promise<boolean> =>
  fetch(PATHS.healthz, { cache: 'no-store', signal: AbortSignal.timeout(THERE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
