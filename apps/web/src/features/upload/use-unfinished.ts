import { type Dispatch, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useLatest } from '../../lib/hooks.ts';
import { accessToken } from '../../lib/session.ts';
import { findUnfinished, type UnfinishedUpload, type UnfinishedUploads } from '../../lib/unfinished-uploads.ts';
import { discardUpload } from '../../lib/upload-discard.ts';
import { identify } from '../../lib/upload-log.ts';
import { standingOf } from '../../lib/upload-standing.ts';
import { keepWaiting, labelOf, type WaitingLabel, waitingNames } from '../../lib/upload-waiting.ts';
import { isSending, type QueueAction, type QueueState, type UploadItem } from './queue.ts';
import type { UploadQueueOptions } from './queue-options.ts';

/** What a person is told after a page that was uploading is gone: which files to choose again. */
export interface UnfinishedWork {
  readonly uploads: readonly UnfinishedUpload[];
  /** Names of files whose turn had not come. */
  readonly notBegun: readonly string[];
  /** How many files another tab is uploading to this folder. */
  readonly elsewhere: number;
}

interface Identity {
  readonly id: string;
  readonly place: string;
  readonly fingerprint: string;
}

const identitiesOf = (items: readonly UploadItem[], { folder, userId }: UploadQueueOptions): Promise<Identity[]> =>
  Promise.all(
    items.map(async ({ id, file, path }) => ({
      id,
      ...(await identify({ file, path, folderId: folder.id, userId: userId ?? '' })),
    })),
  );

const sealingKeys = ({ folder, keys }: UploadQueueOptions) => (folder.hide_names ? keys : null);

/** Labels under which names can be kept at once: a page that is going away has no time to seal them. */
function useLabels(names: readonly string[], options: RefObject<UploadQueueOptions>) {
  const [labels] = useState(() => new Map<string, WaitingLabel>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: names come and go with the number of them
  useEffect(() => {
    const prepare = async () => {
      const keys = sealingKeys(options.current);
      for (const name of names) if (!labels.has(name)) labels.set(name, await labelOf(name, keys));
    };
    // A name that can't be sealed is not kept.
    prepare().catch(() => undefined);
  }, [names.length, labels, options]);
  return labels;
}

/** Started, and not in the log yet, as far as is known here. */
const isUnsaid = (item: UploadItem) => item.bytesTotal === 0 && (item.waiting || isSending(item));

/** Names of files whose turn had not come are kept when the page goes, and read by the next one. */
function useNotBegun(state: QueueState, options: RefObject<UploadQueueOptions>, folderId: string) {
  const [notBegun, setNotBegun] = useState<readonly string[]>([]);
  useEffect(() => {
    void waitingNames(folderId, sealingKeys(options.current)).then((names) => {
      keepWaiting(folderId, []);
      setNotBegun(names);
    });
  }, [folderId, options]);
  const names = useMemo(() => [...notBegun, ...state.items.map(({ name }) => name)], [notBegun, state.items]);
  const labels = useLabels(names, options);
  const latest = useLatest({ notBegun, items: state.items });
  useEffect(() => {
    const keep = () => {
      const { items } = latest.current;
      const unsaid = items.filter(isUnsaid).map(({ name }) => name);
      const kept = [...latest.current.notBegun, ...unsaid].flatMap((name) => labels.get(name) ?? []);
      keepWaiting(folderId, kept);
    };
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      // Whoever goes to another page of the site comes back to this list, too.
      keep();
    };
  }, [folderId, labels, latest]);
  return [notBegun, setNotBegun] as const;
}

/** How often to look whether another tab is done. */
const ELSEWHERE_EVERY_MS = 4000;

/**
 * Looks at the log when the page comes, when it comes back into view, when the queue comes to rest, and now and then
 * while another tab is at it.
 */
function useFound(state: QueueState, busy: boolean, options: RefObject<UploadQueueOptions>) {
  const [found, setFound] = useState<UnfinishedUploads>({ uploads: [], elsewhere: 0 });
  const latest = useLatest(state);
  const isElsewhere = found.elsewhere > 0;
  useEffect(() => {
    if (busy) return;
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      const identities = await identitiesOf(latest.current.items, options.current);
      const { folder, keys } = options.current;
      const ownPlaces = new Set(identities.map(({ place }) => place));
      setFound(await findUnfinished({ folder, keys, ownPlaces, standingOf: (url) => standingOf(url, accessToken) }));
    };
    // Without IndexedDB nothing outlives a page, so there is nothing to find.
    const lookQuietly = () => void look().catch(() => undefined);
    lookQuietly();
    document.addEventListener('visibilitychange', lookQuietly);
    const timer = isElsewhere ? setInterval(lookQuietly, ELSEWHERE_EVERY_MS) : undefined;
    return () => {
      document.removeEventListener('visibilitychange', lookQuietly);
      clearInterval(timer);
    };
  }, [busy, isElsewhere, latest, options]);
  const before = useRef(0);
  useEffect(() => {
    if (found.elsewhere < before.current) options.current.onFiles();
    before.current = found.elsewhere;
  }, [found.elsewhere, options]);
  return [found, setFound] as const;
}

const NOWHERE: ReadonlySet<string> = new Set();

const percentOfMatch = ({ place, fingerprint }: Identity, uploads: readonly UnfinishedUpload[]) =>
  uploads.find((upload) => upload.place === place && upload.fingerprint === fingerprint)?.percent ?? null;

/** Files that are chosen again are told how far they are, and leave the list of those to choose. */
function useRecognition(
  state: QueueState,
  uploads: readonly UnfinishedUpload[],
  dispatch: Dispatch<QueueAction>,
  options: RefObject<UploadQueueOptions>,
): ReadonlySet<string> {
  const [places, setPlaces] = useState(NOWHERE);
  const latest = useLatest(state);
  const count = state.items.length;
  useEffect(() => {
    if (count === 0) setPlaces(NOWHERE);
    if (uploads.length === 0 || count === 0) return;
    let isCurrent = true;
    void identitiesOf(latest.current.items, options.current).then((identities) => {
      if (!isCurrent) return;
      setPlaces(new Set(identities.map(({ place }) => place)));
      for (const identity of identities) {
        const percent = percentOfMatch(identity, uploads);
        if (percent !== null) dispatch({ type: 'recognised', id: identity.id, percent });
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [count, uploads, latest, options, dispatch]);
  return places;
}

/** What earlier pages of this browser left unfinished in the folder, and how to be rid of it. */
export function useUnfinished(
  state: QueueState,
  busy: boolean,
  dispatch: Dispatch<QueueAction>,
  options: RefObject<UploadQueueOptions>,
) {
  const [{ uploads, elsewhere }, setFound] = useFound(state, busy, options);
  const [notBegun, setNotBegun] = useNotBegun(state, options, options.current.folder.id);
  const places = useRecognition(state, uploads, dispatch, options);
  const names = useMemo(() => new Set([...state.items, ...uploads].map(({ name }) => name)), [state.items, uploads]);
  const work: UnfinishedWork = {
    uploads: uploads.filter(({ place }) => !places.has(place)),
    notBegun: notBegun.filter((name) => !names.has(name)),
    elsewhere,
  };
  /** Ends them here and on the server. */
  const discard = (ids: readonly string[]) => {
    setFound((before) => ({ ...before, uploads: before.uploads.filter(({ id }) => !ids.includes(id)) }));
    // What can't be ended now ends with its time.
    for (const id of ids) discardUpload(id, accessToken).catch(() => undefined);
  };
  const discardAll = () => {
    discard(work.uploads.map(({ id }) => id));
    setNotBegun([]);
  };
  return { work, discard: (id: string) => discard([id]), discardAll };
}
