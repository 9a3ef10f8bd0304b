import { storedNameIn } from '@satchel/client/send/identity';
import { placed, takeFiles } from '@satchel/client/send/list/admission';
import {
  type CollisionAnswer,
  type CollisionState,
  type CollisionsDeps,
  createCollisions,
  keysOf,
  NO_COLLISIONS,
  nameKey,
  partCollisions,
  settle,
} from '@satchel/client/send/list/collisions';
import {
  countItems,
  EMPTY_QUEUE,
  isBusy,
  isSending,
  mayRetry,
  NONE_SKIPPED,
  overallPercent,
  type QueueAction,
  type QueueState,
  queueReducer,
  storedNameOf,
  type UploadItem,
} from '@satchel/client/send/list/queue';
import { createFailureNews, createProgressNews, type TellUploadNews } from '@satchel/client/send/list/upload-news';
import type { Choice, UploadEvent } from '@satchel/client/send/order';
import { AppError, toAppError } from '@satchel/contract/errors';
import { followKeyChanges } from '../keys/key-news.ts';
import { choiceFrom } from './queue/chosen-files.ts';
import type { ReplacedFile } from './replace-file.ts';
import type { SentFile } from './stills/still-sender.ts';
import { createUnfinishedWork, NO_WORK, type UnfinishedWork } from './unfinished-work.ts';
import type { FolderActivity } from './upload-activity.ts';
import type { UploadHandle, UploadRequest } from './upload-client.ts';
import type { UploadPlace, UploadTarget } from './upload-target.ts';

/** What a folder's list shows. The same object until something changes. */
export interface FolderUploadsState {
  readonly queue: QueueState;
  readonly unfinished: UnfinishedWork;
  /** Chosen files whose names the folder has already. */
  readonly collisions: CollisionState;
  /** Whether chosen files are taken onto the list; before that, they wait for the size limit. */
  readonly isReady: boolean;
}

/**
 * What a person or the page did; what work in the background reports, which may be a hundred times a second; or that a file is
 * further on its way, which lets no other one begin.
 */
export type FolderChange = 'act' | 'report' | 'progress';

export interface FolderUploadsDeps extends Pick<CollisionsDeps, 'hasSameContent'> {
  /** Whether place, camera and the like are taken out of pictures: asked when a file is begun. */
  readonly strips: () => boolean;
  readonly startUpload: (request: UploadRequest, token: UploadTarget['token']) => UploadHandle;
  readonly onNews: TellUploadNews;
  /** A file was uploaded, and this is what it takes to add its still. */
  readonly onSent: (sent: SentFile) => void;
  /** Deletes what an uploaded file replaces. */
  readonly deleteReplaced: (replaced: ReplacedFile) => Promise<void>;
  /** Files of one folder, at most. */
  readonly maxFiles: () => number;
  readonly onChange: (change: FolderChange) => void;
}

/**
 * The uploads of one folder: its list, what sends the files of the list, and what the folder's page knew last. They outlive
 * the page. Before the page first opens, only the folder's place is known.
 */
export function createFolderUploads(at: UploadPlace, deps: FolderUploadsDeps) {
  const { startUpload, strips, onNews, onSent, deleteReplaced, hasSameContent, maxFiles, onChange } = deps;
  let state: FolderUploadsState = {
    queue: EMPTY_QUEUE,
    unfinished: NO_WORK,
    collisions: NO_COLLISIONS,
    isReady: false,
  };
  let place = at;
  let target: UploadTarget | null = null;
  let isOpen = false;
  /** How many lists of this folder are on screen. */
  let shownBy = 0;
  /** The page was asked to refresh the folder's facts, and `isChecking` is not set yet. */
  let isAboutToCheck = false;
  /** While the page was closed, another tab changed the folder's link or its pin on this device. */
  let hasKeyNews = false;
  let unfollowKeys = () => {};
  /** Uploads completed while the folder's page was closed. */
  let hasNewFiles = false;
  /** Chosen before the folder's page could take them. */
  let inbox: readonly Choice[] = [];
  let startsInbox = false;
  /** The folder's files that its page has listed: it lists them again only every few seconds while files come. */
  const listed = new Set<string>();
  /** What sends the files of the list, by the ids of its items. */
  const handles = new Map<string, UploadHandle>();
  /** The link under which the server has refused a file, because the link was changed while the file was on its way. */
  const refusedUnder = new Map<string, string | null>();
  const failures = createFailureNews(onNews);
  const followProgress = createProgressNews(onNews);
  /** Cancelled uploads that the server may still complete: it would, if the page were left now. */
  let ending = 0;

  function set(part: Partial<FolderUploadsState>, change: FolderChange = 'act'): void {
    state = { ...state, ...part };
    onChange(change);
  }

  function dispatch(action: QueueAction): void {
    const before = state.queue;
    const queue = queueReducer(before, action);
    if (queue === before) return;
    state = { ...state, queue };
    if (queue.items.length !== before.items.length) unfinished.itemsChanged();
    if (isBusy(before) && !isBusy(queue)) unfinished.rested();
    if (action.type !== 'told') onChange('act');
    else onChange(action.event.type === 'completed' || action.event.type === 'error' ? 'report' : 'progress');
  }

  const openTarget = () => (isOpen ? target : null);
  const find = (id: string) => state.queue.items.find((item) => item.id === id);

  const unfinished = createUnfinishedWork({
    folderId: at.folderId,
    target: () => target,
    state: () => state,
    onWork: (work) => set({ unfinished: work }),
    onRecognised: (percents) => dispatch({ type: 'recognised', percents }),
    onFound(file) {
      const now = openTarget();
      if (!now) return;
      // Where it goes was settled when it began.
      takeOntoList(choiceFrom([file]), now);
      begins({ type: 'found', path: file.path });
    },
    onLost: (names) => onNews({ type: 'lost', names }),
  });
  const collisions = createCollisions({
    hasSameContent,
    onChange: () => set({ collisions: collisions.get() }, 'report'),
    onThere: (there) => dispatch({ type: 'added', items: [], rejected: [], skipped: { ...NONE_SKIPPED, there } }),
    onDiffering: (count) => onNews({ type: 'differing', count }),
  });

  // The folder's page.

  /** There is a new file in the folder: its page says how often it lists the folder again. */
  function onFile(): void {
    if (isOpen) target?.onFiles();
    else hasNewFiles = true;
  }

  /** Whether no file may begin, since the keys are in question. A closed page no longer checks: its last target counts. */
  const isHeld = () =>
    target === null || target.isHeld || hasKeyNews || (isOpen && (isAboutToCheck || target.isChecking));

  // Sending.

  /** Files are about to begin: the open page refreshes the folder's facts first. */
  function begins(action: QueueAction): void {
    isAboutToCheck = isOpen && target?.onStart() === true;
    dispatch(action);
  }

  function onEvent(item: UploadItem, event: UploadEvent): void {
    dispatch({ type: 'told', id: item.id, event, nowMs: Date.now() });
    if (event.type === 'completed') onFile();
    if (event.type === 'error') failures.add({ name: item.name, error: event.error });
  }

  /** Whether a refused file is sealed again by itself: once for each link, and while a page can learn of the newer key. */
  function sealsAgain({ id }: UploadItem, { code }: AppError, linkToken: string | null): boolean {
    if (code !== 'key.link_changed' || !isOpen || refusedUnder.get(id) === linkToken) return false;
    refusedUnder.set(id, linkToken);
    return true;
  }

  function send(item: UploadItem, { folder, keys, linkToken, userId, token }: UploadTarget): void {
    if (userId === null) {
      onEvent(item, { type: 'error', error: new AppError('upload.unauthenticated') });
      return;
    }
    const { id, file, name, path, replaces, addedAtMs, sealed } = item;
    const order = {
      file,
      strips: strips(),
      name,
      path,
      addedAtMs,
      folder,
      keys: sealed ? keys : null,
      linkToken,
      userId,
    };
    const onUploadEvent = (event: UploadEvent) => {
      if (event.type === 'error' && sealsAgain(item, event.error, linkToken)) return begins({ type: 'remade', id });
      onEvent(item, event);
      if (event.type !== 'completed') return;
      const { objectName, header } = event;
      const seal = order.keys && header ? { keys: order.keys, header } : null;
      onSent({ file, strips: order.strips, storedName: storedNameIn(objectName), folder, seal, token });
      if (replaces === null) return;
      void deleteReplaced({ folder, storedName: replaces, token })
        .catch((error) => onNews({ type: 'not_replaced', name, error: toAppError(error, 'unexpected') }))
        .then(onFile);
    };
    handles.set(id, startUpload({ ...order, onEvent: onUploadEvent }, token));
  }

  /** Ends an upload here and on the server; what is completed stays. */
  function remove(id: string): void {
    const handle = handles.get(id);
    handles.delete(id);
    // The file leaves the list at once; an upload that can't be terminated now expires with the folder.
    if (handle) {
      ending += 1;
      const onEnd = () => {
        ending -= 1;
        onChange('act');
      };
      handle.cancel().then(onEnd, onEnd);
    }
    dispatch({ type: 'removed', id });
  }

  // Files on their way onto the list.

  /** Files of the list that the folder's own list has not shown yet: chosen again, they are the same ones. */
  const awaited = () =>
    state.queue.items.filter((item) => item.status !== 'completed' || !listed.has(storedNameOf(item) ?? ''));

  function takeOntoList(choice: Choice, { folder, keys, maxFileBytes, fileCount, existing }: UploadTarget): void {
    const rules = {
      folder,
      maySeal: keys !== null,
      maxFileBytes,
      maxFiles: maxFiles(),
      fileCount,
      taken: keysOf(existing ?? []),
    };
    const { action, news } = takeFiles(choice, awaited(), rules);
    onNews(news);
    dispatch(action);
  }

  /** Moves the inbox onto the list, if the page is open and knows the folder's files. */
  function takeInbox(): void {
    const now = openTarget();
    if (!now || now.existing === null) return;
    const choices = inbox;
    inbox = [];
    for (const choice of choices) {
      const files = choice.files.map((chosen) => placed(chosen, now));
      const { free, colliding } = partCollisions(files, now.existing, now.folder.link_mode === 'plain');
      collisions.add(colliding);
      takeOntoList({ ...choice, files: free }, now);
    }
    const starts = startsInbox;
    startsInbox = false;
    if (starts) begins({ type: 'started' });
  }

  function put(choice: Choice, starts: boolean): void {
    inbox = [...inbox, choice];
    startsInbox ||= starts;
    takeInbox();
    onChange('act');
  }

  /** The person's answer for files whose names the folder has already. */
  function answer(how: CollisionAnswer): void {
    const now = openTarget();
    if (!now) return;
    const isPlain = now.folder.link_mode === 'plain';
    const taken = [...keysOf(now.existing ?? []), ...awaited().map((item) => nameKey(item, isPlain))];
    const files = settle(collisions.take(), how, taken, isPlain);
    if (files.length > 0) takeOntoList(choiceFrom(files), now);
  }

  const actions = {
    add: (choice: Choice) => put(choice, false),
    /** Takes files and starts them as soon as the page is open: the person confirmed them when choosing. */
    send: (choice: Choice) => put(choice, true),
    start: () => begins({ type: 'started' }),
    pause(id: string) {
      const item = find(id);
      if (item && isSending(item)) handles.get(id)?.pause();
      dispatch({ type: 'paused', id });
    },
    resume: (id: string) => dispatch({ type: 'resumed', id }),
    cancel(id: string) {
      const item = find(id);
      if (item && (isSending(item) || item.status === 'paused')) remove(id);
    },
    remove,
    clear() {
      if (isBusy(state.queue)) return;
      for (const handle of handles.values()) handle.cancel().catch(() => undefined);
      handles.clear();
      dispatch({ type: 'cleared' });
    },
    retry: (id: string) => begins({ type: 'retried', ids: [id] }),
    retryAll: () => begins({ type: 'retried', ids: state.queue.items.filter(mayRetry).map(({ id }) => id) }),
    /** Takes another file in the place of one that can't be read any more. */
    rechoose: (id: string, file: File) => begins({ type: 'retried', ids: [id], file }),
    /** What waits for the server tries again at once. */
    hurry() {
      for (const handle of handles.values()) handle.hurry();
    },
    dismissNotes: () => dispatch({ type: 'notes_dismissed' }),
    answer,
    discard: unfinished.discard,
    discardAll: unfinished.discardAll,
    resumeFound: unfinished.resume,
    resumeAllFound: unfinished.resumeAll,
  };

  return {
    folderId: at.folderId,
    actions,
    state: () => state,
    userId: () => place.userId,
    line: () => ({ folderId: at.folderId, queue: state.queue, isHeld: isHeld() }),
    isBusy: () => isBusy(state.queue) || ending > 0,
    /** Whether the folder can be removed: its page is closed, its list and inbox are empty, and no upload is being ended. */
    isIdle: () => !isOpen && state.queue.items.length + inbox.length + ending === 0,
    activity(): FolderActivity {
      const { queue, unfinished } = state;
      const { completed, error, pending, encrypting, uploading, paused } = countItems(queue);
      const inInbox = inbox.reduce((sum, { files }) => sum + files.length, 0);
      const isWaiting = inInbox > 0 || (isBusy(queue) && !queue.items.some(isSending));
      return {
        folderId: at.folderId,
        slug: place.slug,
        name: place.name,
        hash: place.hash,
        files: queue.items.length + inInbox,
        completed,
        failed: error,
        left: pending + encrypting + uploading + paused + inInbox,
        percent: Math.floor(overallPercent(queue)),
        isBusy: isBusy(queue),
        isHeld: isWaiting && isHeld(),
        hasUnfinished: unfinished.uploads.length + unfinished.notBegun.length > 0,
        isShown: shownBy > 0,
      };
    },
    /** Tells how far the list is, where that is news. */
    tellProgress: () => followProgress(state.queue),
    /** Starts or resumes a file whose turn has come. */
    begin(item: UploadItem): void {
      if (!target) return;
      dispatch({ type: 'launched', id: item.id });
      const handle = handles.get(item.id);
      if (item.status === 'paused' && handle) handle.resume();
      else send(item, target);
    },
    keepNames: unfinished.keep,
    lineLost: () => dispatch({ type: 'line_lost' }),
    /** Called by the folder's page whenever its target changes. */
    attend(now: UploadTarget): void {
      [target, place, isOpen, isAboutToCheck, hasKeyNews] = [now, now, true, false, false];
      unfollowKeys();
      for (const { entry } of now.existing ?? []) listed.add(entry.name);
      if (hasNewFiles) now.onFiles();
      hasNewFiles = false;
      takeInbox();
      unfinished.follow();
      if (state.isReady) onChange('act');
      else set({ isReady: true });
    },
    /** Called when the folder's page is closed: files on the list continue with the keys that the page knew last. */
    leave(): void {
      if (!isOpen) return;
      isOpen = false;
      unfollowKeys = followKeyChanges(at.folderId, () => {
        hasKeyNews = true;
        onChange('act');
      });
      unfinished.unfollow();
      // A list that was seen completed needs no dock.
      if (!isBusy(state.queue)) dispatch({ type: 'tidied' });
      onChange('act');
    },
    /** Marks the list as on screen, until the returned function is called. */
    show(): () => void {
      const show = (by: number) => {
        shownBy += by;
        onChange('act');
      };
      show(1);
      return () => show(-1);
    },
    /** Stops everything and keeps the logs: the same files, chosen again, resume where they stopped. */
    abandon(): void {
      inbox = [];
      startsInbox = false;
      collisions.stop();
      for (const handle of handles.values()) handle.release();
      handles.clear();
      failures.stop();
      dispatch({ type: 'cleared' });
      set({ collisions: NO_COLLISIONS });
    },
    end(): void {
      unfollowKeys();
      unfinished.unfollow();
    },
  };
}

export type FolderUploads = ReturnType<typeof createFolderUploads>;
export type UploadActions = FolderUploads['actions'];
