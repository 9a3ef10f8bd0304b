import { createStore, type Store } from '../../lib/external-store.ts';
import type { Choice } from './chosen-files.ts';
import type { UploadQueue } from './use-upload-queue.ts';

/**
 * Where files are handed in. The queue behind it is loaded when it is needed, for owners only; what is dropped before
 * waits here.
 */
export interface UploadDesk {
  /** Null until the queue is loaded. Changes many times a second while files are sent: follow it where it is shown. */
  readonly queue: Store<UploadQueue | null>;
  readonly hasItems: Store<boolean>;
  /** Files are being sent. */
  readonly isBusy: Store<boolean>;
  /** An earlier page left uploads unfinished. */
  readonly hasUnfinished: Store<boolean>;
  /** Something waits for the queue to be loaded. */
  readonly isAwaited: Store<boolean>;
  add(choice: Choice): void;
  /** Hands in files and starts them, once the queue is loaded: whoever chose them has said so already. */
  send(choice: Choice): void;
  /** The queue says how it stands; null when it goes. */
  show(queue: UploadQueue | null): void;
}

const isUnfinished = ({ unfinished: { work } }: UploadQueue) => work.uploads.length + work.notBegun.length > 0;

export function createUploadDesk(): UploadDesk {
  const queue = createStore<UploadQueue | null>(null);
  const hasItems = createStore(false);
  const isBusy = createStore(false);
  const hasUnfinished = createStore(false);
  const isAwaited = createStore(false);
  let waiting: Choice[] = [];
  let isToStart = false;
  const wait = (choice: Choice) => {
    waiting.push(choice);
    isAwaited.set(true);
  };
  return {
    queue,
    hasItems,
    isBusy,
    hasUnfinished,
    isAwaited,
    add(choice) {
      const open = queue.get();
      if (open) open.add(choice);
      else wait(choice);
    },
    send(choice) {
      isToStart = true;
      wait(choice);
    },
    show(now) {
      queue.set(now);
      hasItems.set(now !== null && now.items.length > 0);
      isBusy.set(now?.busy === true);
      hasUnfinished.set(now !== null && isUnfinished(now));
      if (!now) return;
      const choices = waiting;
      waiting = [];
      isAwaited.set(false);
      for (const choice of choices) now.add(choice);
      if (isToStart) now.start();
      isToStart = false;
    },
  };
}
