import { standingOf, terminateUpload } from '@satchel/client/send/line/requests';
import type { OpenUpload, OpenUploadList } from '@satchel/contract/open-uploads';
import { PATHS } from '@satchel/contract/paths';
import { runningUploads } from '../../engine/uploads/log/upload-lock.ts';
import { openUploadLog } from '../../engine/uploads/log/upload-log.ts';
import { browserNetwork } from '../../engine/uploads/network.ts';
import { getJson } from '../../lib/api/api.ts';
import { useServerQuery } from '../session/query-client.ts';
import { accessToken } from '../session/session.ts';
import { openUploadsKey, refreshOwnAccount } from './own-account.ts';

/** Uploads that the server holds open for the signed-in person, also ones whose record this browser has lost. */

export type ListedUpload = OpenUpload & {
  /** A tab of this browser is at it: there it can be paused and cancelled. */
  readonly isRunningHere: boolean;
  /** This browser began it, and continues it on its folder's page. */
  readonly isOfThisBrowser: boolean;
};

const REFETCH_MS = 20_000;
const TRIES = 2;
/** Each is two requests: many at once would only wait for each other. */
const CANCELLED_AT_ONCE = 6;

const idOf = (url: string | null) => url?.slice(url.lastIndexOf('/') + 1);

type Here = Pick<ListedUpload, 'isRunningHere' | 'isOfThisBrowser'>;
const ELSEWHERE: Here = { isRunningHere: false, isOfThisBrowser: false };

/** What this browser knows, by the server's ids; nothing where the browser keeps no log. */
async function knownHere(): Promise<ReadonlyMap<string | undefined, Here>> {
  try {
    const running = await runningUploads();
    const log = await openUploadLog();
    const entries = await log.list().finally(log.close);
    return new Map(
      entries.map(({ id, url }) => [idOf(url), { isRunningHere: running.has(id), isOfThisBrowser: true }]),
    );
  } catch {
    return new Map();
  }
}

async function listOpenUploads(signal: AbortSignal): Promise<readonly ListedUpload[]> {
  const uploads = await getJson<OpenUploadList>(`${PATHS.uploads}?owner=me`, { signal });
  const here = await knownHere();
  return uploads.map((upload) => ({ ...upload, ...(here.get(upload.id) ?? ELSEWHERE) }));
}

/** The signed-in person's open uploads, newest first. */
export const useOpenUploads = (userId: string) =>
  useServerQuery({
    queryKey: openUploadsKey(userId),
    queryFn: ({ signal }) => listOpenUploads(signal),
    staleTime: 0,
    refetchInterval: REFETCH_MS,
  });

type Outcome = 'cancelled' | 'over' | 'failed';

/** One that has become a file since it was listed is over, and stays in its folder. */
async function cancelUpload(id: string): Promise<Outcome> {
  const url = `${PATHS.resumable}/${id}`;
  const deps = { network: browserNetwork(false), bearer: { get: accessToken } };
  const { state } = await standingOf(deps, url);
  if (state !== 'open') return state === 'over' ? 'over' : 'failed';
  const hasEnded = await terminateUpload({ ...deps, url, onlyIfOpen: false, tries: TRIES });
  return hasEnded ? 'cancelled' : 'failed';
}

/**
 * Ends uploads on the server, and gives back what they hold. Never throws.
 * @returns how many came to which end
 */
export async function cancelUploads(
  userId: string,
  ids: readonly string[],
): Promise<Readonly<Record<Outcome, number>>> {
  const ends = { cancelled: 0, over: 0, failed: 0 };
  for (let at = 0; at < ids.length; at += CANCELLED_AT_ONCE) {
    for (const end of await Promise.all(ids.slice(at, at + CANCELLED_AT_ONCE).map(cancelUpload))) ends[end] += 1;
  }
  await refreshOwnAccount(userId).catch(() => undefined);
  return ends;
}
