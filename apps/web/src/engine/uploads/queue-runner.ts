import type { UploadOrder } from '@satchel/client/send/order';
import { AppError, toAppError } from '@satchel/contract/errors';
import {
  EMPTY_QUEUE,
  isBusy,
  isSending,
  type QueueAction,
  type QueueState,
  queueReducer,
  type UploadItem,
} from './queue/queue.ts';
import type { ReplacedFile } from './replace-file.ts';
import type { SentFile } from './stills/still-sender.ts';
import type { UploadHandle, UploadRequest } from './upload-client.ts';
import type { UploadEvent } from './upload-messages.ts';
import { createFailureNews, createProgressNews, type TellUploadNews } from './upload-news.ts';
import type { UploadTarget } from './upload-target.ts';

export interface QueueRunnerDeps {
  /** Whether place, camera and the like are taken out of pictures: asked when a file is begun. */
  readonly strips: () => boolean;
  readonly startUpload: (request: UploadRequest, token: UploadTarget['token']) => UploadHandle;
  readonly onNews: TellUploadNews;
  /** Called after every change. */
  readonly onChange: (before: QueueState, now: QueueState) => void;
  /** A file was uploaded. */
  readonly onFile: () => void;
  /** The same, with what it takes to add its still. */
  readonly onSent: (sent: SentFile) => void;
  /** Deletes what an uploaded file replaces. */
  readonly deleteReplaced: (replaced: ReplacedFile) => Promise<void>;
}

/** Workers of a queue, by the ids of its items. */
function createHandles() {
  const handles = new Map<string, UploadHandle>();
  return {
    get: (id: string) => handles.get(id),
    set: (id: string, handle: UploadHandle) => handles.set(id, handle),
    ids: () => [...handles.keys()],
    /** Ends an upload here and on the server; what is completed stays. */
    cancel(id: string): void {
      const handle = handles.get(id);
      handles.delete(id);
      // The file has left the list; an upload that can't be terminated now expires with the folder.
      handle?.cancel().catch(() => undefined);
    },
    /** Ends every worker and keeps the logs. */
    release(): void {
      for (const handle of handles.values()) handle.release();
      handles.clear();
    },
  };
}

/** A person's acts on the files of a queue. */
function itemActions(
  queue: () => QueueState,
  dispatch: (action: QueueAction) => void,
  handles: ReturnType<typeof createHandles>,
) {
  const find = (id: string) => queue().items.find((item) => item.id === id);
  return {
    pause(id: string): void {
      const item = find(id);
      if (item && isSending(item)) handles.get(id)?.pause();
      dispatch({ type: 'paused', id });
    },
    resume: (id: string): void => dispatch({ type: 'resumed', id }),
    cancel(id: string): void {
      const item = find(id);
      if (item && (isSending(item) || item.status === 'paused')) handles.cancel(id);
      dispatch({ type: 'cancelled', id });
    },
    remove(id: string): void {
      handles.cancel(id);
      dispatch({ type: 'removed', id });
    },
    clear(): void {
      if (isBusy(queue())) return;
      for (const id of handles.ids()) handles.cancel(id);
      dispatch({ type: 'cleared' });
    },
    /** Takes another file in the place of one that can't be read any more. */
    rechoose: (id: string, file: File): void => dispatch({ type: 'rechosen', id, file }),
    lineLost: (): void => dispatch({ type: 'line_lost' }),
    dismissNotes: (): void => dispatch({ type: 'notes_dismissed' }),
  };
}

type Completed = Extract<UploadEvent, { type: 'completed' }>;

function sentFile(
  { file, strips, folder, keys }: UploadOrder,
  { objectName, header }: Completed,
): Omit<SentFile, 'token'> {
  const storedName = objectName.slice(folder.bucket_storage_path.length + 1);
  return { file, strips, storedName, folder, seal: keys && header ? { keys, header } : null };
}

/** The queue of a folder with the workers that send its files, and its news. */
export function createQueueRunner({
  startUpload,
  strips,
  onNews,
  onChange,
  onFile,
  onSent,
  deleteReplaced,
}: QueueRunnerDeps) {
  let queue = EMPTY_QUEUE;
  const handles = createHandles();
  const failures = createFailureNews(onNews);
  const followProgress = createProgressNews(onNews);

  function dispatch(action: QueueAction): void {
    const before = queue;
    queue = queueReducer(queue, action);
    if (queue === before) return;
    followProgress(queue);
    onChange(before, queue);
  }

  function onEvent(item: UploadItem, event: UploadEvent): void {
    dispatch({ type: 'told', id: item.id, event, nowMs: Date.now() });
    if (event.type === 'completed') onFile();
    if (event.type === 'error') failures.add({ name: item.name, error: event.error });
  }

  function send(item: UploadItem, { folder, keys, userId, token }: UploadTarget): void {
    if (userId === null) {
      onEvent(item, { type: 'error', error: new AppError('upload.unauthenticated') });
      return;
    }
    const { file, name, path, replaces, sealed } = item;
    const order = { file, strips: strips(), name, path, folder, keys: sealed ? keys : null, userId };
    const onUploadEvent = (event: UploadEvent) => {
      onEvent(item, event);
      if (event.type !== 'completed') return;
      onSent({ ...sentFile(order, event), token });
      if (replaces === null) return;
      void deleteReplaced({ folder, storedName: replaces, token })
        .catch((error) => onNews({ type: 'not_replaced', name, error: toAppError(error, 'unexpected') }))
        .then(onFile);
    };
    handles.set(item.id, startUpload({ ...order, onEvent: onUploadEvent }, token));
  }

  return {
    get: (): QueueState => queue,
    dispatch,
    /** Starts or resumes a file whose turn has come. */
    launch(item: UploadItem, target: UploadTarget): void {
      dispatch({ type: 'launched', id: item.id });
      const handle = handles.get(item.id);
      if (item.status === 'paused' && handle) handle.resume();
      else send(item, target);
    },
    ...itemActions(() => queue, dispatch, handles),
    /** Stops everything and keeps the logs: the same files, chosen again, resume where they stopped. */
    abandon(): void {
      handles.release();
      failures.stop();
      dispatch({ type: 'abandoned' });
    },
  };
}
