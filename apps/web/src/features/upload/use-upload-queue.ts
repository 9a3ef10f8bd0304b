import type { FolderKeys } from '@satchel/container/key';
import { AppError } from '@satchel/contract/errors';
import { type Dispatch, type RefObject, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { announce } from '../../lib/announce.ts';
import { plural } from '../../lib/format.ts';
import { settings } from '../../lib/settings.ts';
import { startUpload, type UploadHandle } from '../../lib/upload-client.ts';
import type { UploadEvent, UploadFolder } from '../../lib/upload-messages.ts';
import { admit } from './admission.ts';
import {
  countItems,
  EMPTY_QUEUE,
  isBusy,
  isSending,
  mayStart,
  newItem,
  nextToLaunch,
  overallPercent,
  type QueueAction,
  type QueueState,
  queueReducer,
  remainingBytes,
  totalBytes,
  type UploadItem,
} from './queue.ts';
import { addSample, measureSpeed, type Speed, type SpeedSample } from './speed.ts';

/** The upload queue of one folder page: the pure queue, its workers, and what is said of it. */

export interface UploadQueueOptions {
  /** A queue belongs to one folder: give the component that holds it the folder's id as its key. */
  readonly folder: UploadFolder;
  /** The folder's keys, of a key that may seal (CONTAINER §3); null when there is none, and in a plain folder. */
  readonly keys: FolderKeys | null;
  readonly userId: string | null;
  readonly onUploaded: (objectName: string) => void;
}

type Handles = Map<string, UploadHandle>;

/** One file to a worker, and no more workers than the machine has cores (CONTAINER §4). */
const workersMax = () => Math.max(1, navigator.hardwareConcurrency || 1);
const SAMPLE_EVERY_MS = 1000;
const UNKNOWN_SPEED: Speed = { speedBytesPerSecond: null, secondsLeft: null };

/** What an effect reads without being run again for it. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Starts those whose turn it is, and passes on what their workers tell. */
function useWorkers(
  state: QueueState,
  dispatch: Dispatch<QueueAction>,
  handles: Handles,
  options: RefObject<UploadQueueOptions>,
): void {
  useEffect(() => {
    function onEvent(item: UploadItem, event: UploadEvent): void {
      dispatch({ type: 'told', id: item.id, event, nowMs: Date.now() });
      if (event.type === 'completed') options.current.onUploaded(event.objectName);
      if (event.type === 'error') announce(`${item.name}: Error: ${event.error.message}`, true);
    }

    function launch(item: UploadItem): void {
      const { folder, keys, userId } = options.current;
      const handle = handles.get(item.id);
      if (item.status === 'paused' && handle) {
        handle.resume();
      } else if (userId === null) {
        onEvent(item, { type: 'error', error: new AppError('upload.unauthenticated') });
      } else {
        const request = { file: item.file, folder, keys: item.sealed ? keys : null, userId };
        handles.set(item.id, startUpload({ ...request, onEvent: (event) => onEvent(item, event) }));
      }
    }

    for (const item of nextToLaunch(state, workersMax())) {
      dispatch({ type: 'launched', id: item.id });
      launch(item);
    }
  }, [state, dispatch, handles, options]);

  useEffect(
    () => () => {
      // Whoever leaves the folder keeps the logs: the same files, chosen again, go on where they stopped.
      for (const handle of handles.values()) handle.release();
      handles.clear();
    },
    [handles],
  );
}

/** Speed and time left, renewed every second while something is sent. */
function useSpeed(state: QueueState, busy: boolean): Speed {
  const latest = useLatest(state);
  const [speed, setSpeed] = useState(UNKNOWN_SPEED);
  useEffect(() => {
    if (!busy) {
      setSpeed(UNKNOWN_SPEED);
      return;
    }
    let samples: readonly SpeedSample[] = [];
    const sample = () => {
      samples = addSample(samples, { atMs: performance.now(), sentBytes: latest.current.sentBytes });
      setSpeed(measureSpeed(samples, remainingBytes(latest.current)));
    };
    sample();
    const timer = setInterval(sample, SAMPLE_EVERY_MS);
    return () => clearInterval(timer);
  }, [busy, latest]);
  return speed;
}

/** The browser asks before a page that is uploading goes away. */
function useLeaveQuestion(busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [busy]);
}

/** Speaks the quarters of the whole queue and its end; failures are spoken where they happen (DESIGN-UX §5). */
function useSpokenProgress(state: QueueState, busy: boolean): void {
  const quarter = Math.floor(overallPercent(state) / 25);
  const spoken = useRef({ quarter: 0, busy: false });
  const latest = useLatest(state);
  useEffect(() => {
    const before = spoken.current;
    spoken.current = { quarter, busy };
    if (before.busy && !busy) {
      const { completed, error } = countItems(latest.current);
      const failed = error > 0 ? `, ${error} failed` : '';
      if (completed > 0) announce(`${plural(completed, 'file')} uploaded${failed}`);
    } else if (busy && quarter > before.quarter && quarter < 4) announce(`Upload ${quarter * 25}% done`);
  }, [quarter, busy, latest]);
}

/** Takes chosen files into the queue, and says which were not taken. */
function admitted(files: Iterable<File>, { folder, keys }: UploadQueueOptions): QueueAction {
  const rules = { folder, maySeal: keys !== null, maxFileBytes: settings.max_file_bytes };
  const sealed = folder.link_mode !== 'plain';
  const { admitted: taken, rejected } = admit(files, rules);
  const [first] = rejected;
  if (taken.length > 0) announce(`${plural(taken.length, 'file')} added to the upload list`);
  if (first) announce(`${plural(rejected.length, 'file')} not taken: ${first.error.message}`, true);
  return { type: 'added', items: taken.map((file) => newItem(crypto.randomUUID(), file, sealed)), rejected };
}

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
  options: RefObject<UploadQueueOptions>,
) {
  return useMemo(() => {
    const find = (id: string) => latest.current.items.find((item) => item.id === id);
    return {
      add: (files: Iterable<File>) => dispatch(admitted(files, options.current)),
      start: () => dispatch({ type: 'started' }),
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
      retry: (id: string) => dispatch({ type: 'retried', id }),
      clear() {
        if (isBusy(latest.current)) return;
        for (const id of [...handles.keys()]) dropUpload(handles, id);
        dispatch({ type: 'cleared' });
      },
      dismissRejected: () => dispatch({ type: 'rejected_dismissed' }),
    };
  }, [dispatch, handles, latest, options]);
}

/** The queue of a folder's uploads. Its uploads run as long as the component that holds it is on the page. */
export function useUploadQueue(options: UploadQueueOptions) {
  const [state, dispatch] = useReducer(queueReducer, EMPTY_QUEUE);
  const [handles] = useState<Handles>(() => new Map());
  const latestOptions = useLatest(options);
  const latestState = useLatest(state);
  const busy = isBusy(state);
  useWorkers(state, dispatch, handles, latestOptions);
  useLeaveQuestion(busy);
  useSpokenProgress(state, busy);
  const speed = useSpeed(state, busy);
  const actions = useQueueActions(dispatch, handles, latestState, latestOptions);
  return {
    items: state.items,
    rejected: state.rejected,
    counts: countItems(state),
    overallPercent: overallPercent(state),
    totalBytes: totalBytes(state),
    ...speed,
    busy,
    /** Whether 'Upload N files' does something now. */
    mayStart: mayStart(state),
    ...actions,
  };
}

export type UploadQueue = ReturnType<typeof useUploadQueue>;
