import {
  countItems,
  countToUpload,
  isBusy,
  mayStart,
  overallPercent,
  pendingBytes,
  type QueueState,
  remainingBytes,
  totalBytes,
} from '@satchel/client/send/list/queue';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { addSample, measureSpeed, type Speed, type SpeedSample } from '../../engine/speed.ts';
import type { FolderUploadsState, UploadActions } from '../../engine/uploads/folder-uploads.ts';
import type { UnfinishedWork } from '../../engine/uploads/unfinished-work.ts';
import { useLatest } from '../../lib/browser/hooks.ts';
import { uploads } from './page-uploads.ts';

/** The queue of a folder in its present state; null until files are chosen. */
export function useFolderUploads(folderId: string): { state: FolderUploadsState; actions: UploadActions } | null {
  const state = useSyncExternalStore(uploads.subscribe, () => uploads.stateOf(folderId));
  const actions = uploads.actionsOf(folderId);
  return state?.isReady && actions ? { state, actions } : null;
}

const SAMPLE_EVERY_MS = 1000;
const UNKNOWN_SPEED: Speed = { speedBytesPerSecond: null, secondsLeft: null };

/** Speed and remaining time, updated every second while files are sent. */
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
      // What was measured before the line was lost says nothing of the line that comes back.
      if (latest.current.items.some(({ offline }) => offline)) {
        samples = [];
        setSpeed(UNKNOWN_SPEED);
        return;
      }
      samples = addSample(samples, { atMs: performance.now(), sentBytes: latest.current.sentBytes });
      setSpeed(measureSpeed(samples, remainingBytes(latest.current)));
    };
    sample();
    const timer = setInterval(sample, SAMPLE_EVERY_MS);
    return () => clearInterval(timer);
  }, [busy, latest]);
  return speed;
}

/** Figures and actions of the queue. */
export function useUploadQueue({ queue, unfinished, collisions }: FolderUploadsState, actions: UploadActions) {
  const busy = isBusy(queue);
  const speed = useSpeed(queue, busy);
  return {
    items: queue.items,
    rejected: queue.rejected,
    skipped: queue.skipped,
    collisions,
    counts: countItems(queue),
    overallPercent: overallPercent(queue),
    totalBytes: totalBytes(queue),
    pendingBytes: pendingBytes(queue),
    ...speed,
    busy,
    /** N of 'Upload N files'; with 0 the button is hidden. */
    toUpload: countToUpload(queue),
    /** Whether 'Upload N files' is enabled. */
    mayStart: mayStart(queue),
    unfinished: {
      work: unfinished satisfies UnfinishedWork,
      resume: actions.resumeFound,
      resumeAll: actions.resumeAllFound,
      discard: actions.discard,
      discardAll: actions.discardAll,
    },
    ...actions,
  };
}

export type UploadQueue = ReturnType<typeof useUploadQueue>;
