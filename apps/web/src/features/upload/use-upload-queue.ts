import { AppError } from '@satchel/contract/errors';
import { type Dispatch, type RefObject, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { announce } from '../../lib/announce.ts';
import { errorText } from '../../lib/error-text.ts';
import { useLatest } from '../../lib/hooks.ts';
import { currentSession } from '../../lib/session.ts';
import { settings } from '../../lib/settings.ts';
import { notify } from '../../lib/toast.ts';
import { startUpload, type UploadHandle } from '../../lib/upload-client.ts';
import type { UploadEvent } from '../../lib/upload-messages.ts';
import type { Choice } from './chosen-files.ts';
import {
  countItems,
  EMPTY_QUEUE,
  isBusy,
  isSending,
  mayStart,
  nextToLaunch,
  overallPercent,
  pendingBytes,
  type QueueAction,
  type QueueState,
  queueReducer,
  totalBytes,
  type UploadItem,
} from './queue.ts';
import type { UploadQueueOptions } from './queue-options.ts';
import { takeFiles } from './take-files.ts';
import { createFailureVoice, type Heard, heardAfter, progressWords } from './upload-voice.ts';
import { useSpeed } from './use-speed.ts';
import { useUnfinished } from './use-unfinished.ts';

/** The upload queue of one folder page: the pure queue, its workers, and what is said of it. */

type Handles = Map<string, UploadHandle>;

/** One file to a worker, and no more workers than the machine has cores (CONTAINER §4). */
const workersMax = () => Math.max(1, navigator.hardwareConcurrency || 1);

function releaseAll(handles: Handles): void {
  for (const handle of handles.values()) handle.release();
  handles.clear();
}

/** Starts those whose turn it is, and passes on what their workers tell. */
function useWorkers(
  state: QueueState,
  dispatch: Dispatch<QueueAction>,
  handles: Handles,
  options: RefObject<UploadQueueOptions>,
  isHeld: boolean,
): void {
  const [failures] = useState(() => createFailureVoice((text) => announce(text, true)));
  useEffect(() => {
    function onEvent(item: UploadItem, event: UploadEvent): void {
      dispatch({ type: 'told', id: item.id, event, nowMs: Date.now() });
      if (event.type === 'completed') options.current.onFiles();
      if (event.type === 'error') failures.add({ name: item.name, error: event.error });
    }

    function launch(item: UploadItem): void {
      const { folder, keys, userId } = options.current;
      const { file, name, path, sealed } = item;
      const handle = handles.get(item.id);
      if (item.status === 'paused' && handle) {
        handle.resume();
      } else if (userId === null) {
        onEvent(item, { type: 'error', error: new AppError('upload.unauthenticated') });
      } else {
        const request = { file, name, path, folder, keys: sealed ? keys : null, userId };
        handles.set(item.id, startUpload({ ...request, onEvent: (event) => onEvent(item, event) }));
      }
    }

    // What is under way goes on under the key that it began with; the next file waits for the answer.
    if (isHeld) return;
    for (const item of nextToLaunch(state, workersMax())) {
      dispatch({ type: 'launched', id: item.id });
      launch(item);
    }
  }, [state, dispatch, handles, options, failures, isHeld]);

  useEffect(
    () => () => {
      failures.stop();
      // Whoever leaves the folder keeps the logs: the same files, chosen again, go on where they stopped.
      releaseAll(handles);
    },
    [handles, failures],
  );
}

/** Speaks the quarters of the whole queue and its end; failures are spoken where they happen (DESIGN-UX §5). */
function useSpokenProgress(state: QueueState, busy: boolean): void {
  const quarter = Math.floor(overallPercent(state) / 25);
  const heard = useRef<Heard>({ quarter: 0, busy: false, completed: 0, error: 0 });
  const latest = useLatest(state);
  useEffect(() => {
    const { completed, error } = countItems(latest.current);
    const now = { quarter, busy, completed, error };
    const words = progressWords(heard.current, now);
    heard.current = heardAfter(heard.current, now);
    if (words !== null) announce(words);
  }, [quarter, busy, latest]);
}

/** Signed out elsewhere, one no longer sees the queue: why its uploads stopped is said where it can be seen (§8). */
function useSignedOutNotice(latest: RefObject<QueueState>, isAbandoned: RefObject<boolean>): void {
  useEffect(
    () => () => {
      if (currentSession().state !== 'out' || isAbandoned.current || !isBusy(latest.current)) return;
      notify(errorText(new AppError('upload.unauthenticated')), 'error');
    },
    [latest, isAbandoned],
  );
}

type LimitedOptions = UploadQueueOptions & { readonly maxFileBytes: number };

/** Ends an upload here and on the server; what is completed stays. */
function dropUpload(handles: Handles, id: string): void {
  const handle = handles.get(id);
  handles.delete(id);
  // Nothing is shown of it any more; what can't be ended now ends with the folder.
  handle?.cancel().catch(() => undefined);
}

/** What a person can do to the queue. */
function useQueueActions(
  dispatch: Dispatch<QueueAction>,
  handles: Handles,
  latest: RefObject<QueueState>,
  options: RefObject<LimitedOptions>,
  isAbandoned: RefObject<boolean>,
) {
  return useMemo(() => {
    const find = (id: string) => latest.current.items.find((item) => item.id === id);
    return {
      add(choice: Choice) {
        const { folder, keys, maxFileBytes, fileCount } = options.current;
        const { max_folder_files: maxFiles } = settings;
        const rules = { folder, maySeal: keys !== null, maxFileBytes, maxFiles, fileCount };
        dispatch(takeFiles(choice, latest.current.items, rules));
      },
      start() {
        options.current.onStart();
        dispatch({ type: 'started' });
      },
      pause(id: string) {
        const item = find(id);
        if (item && isSending(item)) handles.get(id)?.pause();
        dispatch({ type: 'paused', id });
      },
      resume: (id: string) => dispatch({ type: 'resumed', id }),
      cancel(id: string) {
        const item = find(id);
        if (item && (isSending(item) || item.status === 'paused')) dropUpload(handles, id);
        dispatch({ type: 'cancelled', id });
      },
      remove(id: string) {
        dropUpload(handles, id);
        dispatch({ type: 'removed', id });
      },
      retry(id: string) {
        options.current.onStart();
        dispatch({ type: 'retried', id });
      },
      clear() {
        if (isBusy(latest.current)) return;
        for (const id of [...handles.keys()]) dropUpload(handles, id);
        dispatch({ type: 'cleared' });
      },
      /** Stops everything and keeps the logs: the same files, chosen again, go on where they stopped. */
      abandon() {
        isAbandoned.current = true;
        releaseAll(handles);
        dispatch({ type: 'abandoned' });
      },
      dismissNotes: () => dispatch({ type: 'notes_dismissed' }),
    };
  }, [dispatch, handles, latest, options, isAbandoned]);
}

/**
 * The queue of a folder's uploads. Its uploads run as long as the component that holds it is on the page.
 * @param maxFileBytes the largest file that this person's tier takes
 */
export function useUploadQueue(options: UploadQueueOptions, maxFileBytes: number) {
  const [state, dispatch] = useReducer(queueReducer, EMPTY_QUEUE);
  const [handles] = useState<Handles>(() => new Map());
  const latestOptions = useLatest<LimitedOptions>({ ...options, maxFileBytes });
  const latestState = useLatest(state);
  const busy = isBusy(state);
  useWorkers(state, dispatch, handles, latestOptions, options.isHeld);
  useSpokenProgress(state, busy);
  const isAbandoned = useRef(false);
  useSignedOutNotice(latestState, isAbandoned);
  const speed = useSpeed(state, busy);
  const actions = useQueueActions(dispatch, handles, latestState, latestOptions, isAbandoned);
  const unfinished = useUnfinished(state, busy, dispatch, latestOptions);
  return {
    items: state.items,
    rejected: state.rejected,
    skipped: state.skipped,
    counts: countItems(state),
    overallPercent: overallPercent(state),
    totalBytes: totalBytes(state),
    pendingBytes: pendingBytes(state),
    ...speed,
    busy,
    /** Whether 'Upload N files' does something now. */
    mayStart: mayStart(state),
    unfinished,
    ...actions,
  };
}

export type UploadQueue = ReturnType<typeof useUploadQueue>;
