import { placed, takeFiles } from '@satchel/client/send/list/admission';
import {
  type CollisionAnswer,
  type CollisionState,
  type CollisionsDeps,
  createCollisions,
  type ExistingFile,
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
import type { Choice, UploadEvent, UploadOrder } from '@satchel/client/send/order';
import { AppError, toAppError } from '@satchel/contract/errors';
import { createAttendance } from './attendance.ts';
import { choiceFrom } from './queue/chosen-files.ts';
import type { ReplacedFile } from './replace-file.ts';
import type { SentFile } from './stills/still-sender.ts';
import { createUnfinishedWork, NO_WORK, type UnfinishedWork } from './unfinished-work.ts';
import type { FolderActivity } from './upload-activity.ts';
import type { UploadHandle, UploadRequest } from './upload-client.ts';
import type { UploadPlace, UploadTarget } from './upload-target.ts';

/** The state that a folder's list shows. The same object until a value changes. */
export interface FolderUploadsState {
  readonly queue: QueueState;
  readonly unfinished: UnfinishedWork;
  /** Chosen files whose names the folder has already. */
  readonly collisions: CollisionState;
  /** Whether chosen files are taken onto the list; before that, they wait for the size limit. */
  readonly isReady: boolean;
}

export interface FolderUploadsDeps extends Pick<CollisionsDeps, 'hasSameContent'> {
  /** Whether place, camera and the like are taken out of pictures: asked when a file is begun. */
  readonly strips: () => boolean;
  readonly startUpload: (request: UploadRequest, token: UploadTarget['token']) => UploadHandle;
  readonly onNews: TellUploadNews;
  /** A file was uploaded, and this is what it takes to add its still. */
  readonly onSent: (sent: SentFile) => void;
  /** Deletes what an uploaded file replaces. */
  readonly deleteReplaced: (replaced: ReplacedFile) => Promise<void>;
  /** Runs an act of a person, which shows at once. */
  readonly act: (work: () => void) => void;
  /** Files of one folder, at most. */
  readonly maxFiles: number;
  /** Called after every change. */
  readonly onChange: () => void;
}

interface Facts extends FolderUploadsState {
  readonly place: UploadPlace;
  /** Files that wait for the folder's page. */
  readonly awaited: number;
  readonly mayNotBegin: boolean;
  readonly isShown: boolean;
}

function activityOf({ place, queue, unfinished, awaited, mayNotBegin, isShown }: Facts): FolderActivity {
  const { completed, error, pending, encrypting, uploading, paused } = countItems(queue);
  const isWaiting = awaited > 0 || (isBusy(queue) && !queue.items.some(isSending));
  return {
    folderId: place.folderId,
    slug: place.slug,
    name: place.name,
    hash: place.hash,
    files: queue.items.length + awaited,
    completed,
    failed: error,
    left: pending + encrypting + uploading + paused + awaited,
    percent: Math.floor(overallPercent(queue)),
    isBusy: isBusy(queue),
    isHeld: isWaiting && mayNotBegin,
    hasUnfinished: unfinished.uploads.length + unfinished.notBegun.length > 0,
    isShown,
  };
}

/** Files chosen before the folder's page could take them. */
function createInbox() {
  let choices: readonly Choice[] = [];
  let startsThem = false;
  return {
    count: (): number => choices.reduce((sum, { files }) => sum + files.length, 0),
    put(choice: Choice, starts: boolean): void {
      choices = [...choices, choice];
      startsThem ||= starts;
    },
    /** Returns the choices and empties the inbox. */
    empty() {
      const all = { choices, startsThem };
      choices = [];
      startsThem = false;
      return all;
    },
  };
}

/** Which uploaded files the folder's list has shown: it is read again only every few seconds while files come. */
function createShownFiles() {
  let latest: readonly ExistingFile[] | null = null;
  const names = new Set<string>();
  return {
    note(existing: readonly ExistingFile[] | null): void {
      if (existing === latest) return;
      latest = existing;
      for (const { entry } of existing ?? []) names.add(entry.name);
    },
    has: (item: UploadItem): boolean => names.has(storedNameOf(item) ?? ''),
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

/** Each act of a person, run as one. */
const acting = <Acts extends Record<string, (...given: never[]) => void>>(
  acts: Acts,
  act: FolderUploadsDeps['act'],
): Acts =>
  Object.fromEntries(
    Object.entries(acts).map(([name, work]) => [name, (...given: never[]) => act(() => work(...given))]),
  ) as Acts;

/**
 * The uploads of one folder: its list, the workers that send its files, and the page's last target. They outlive the page.
 */
export function createFolderUploads(at: UploadPlace, deps: FolderUploadsDeps) {
  const { startUpload, strips, onNews, onSent, deleteReplaced, hasSameContent, maxFiles, onChange } = deps;
  const page = createAttendance(at, onChange);
  const inbox = createInbox();
  const shown = createShownFiles();
  /** What sends the files of the list, by the ids of its items. */
  const handles = new Map<string, UploadHandle>();
  const failures = createFailureNews(onNews);
  const followProgress = createProgressNews(onNews);
  let queue = EMPTY_QUEUE;
  let shownBy = 0;

  const unfinished = createUnfinishedWork({
    folderId: at.folderId,
    target: page.target,
    items: () => queue.items,
    isBusy: () => isBusy(queue),
    onRecognised: (id, percent) => dispatch({ type: 'recognised', id, percent }),
    onFound(files) {
      const target = page.openTarget();
      if (!target) return;
      // Where they go was settled when they began.
      takeOntoList(choiceFrom(files), target);
      page.beforeStart();
      dispatch({ type: 'found', paths: files.map(({ path }) => path) });
    },
    onLost: (names) => onNews({ type: 'lost', names }),
    onChange,
  });
  const collisions = createCollisions({
    hasSameContent,
    onChange,
    onThere: (there) => dispatch({ type: 'added', items: [], rejected: [], skipped: { ...NONE_SKIPPED, there } }),
    onDiffering: (count) => onNews({ type: 'differing', count }),
  });

  function dispatch(action: QueueAction): void {
    const before = queue;
    queue = queueReducer(queue, action);
    if (queue === before) return;
    followProgress(queue);
    if (queue.items.length !== before.items.length) unfinished.itemsChanged();
    if (isBusy(before) && !isBusy(queue)) unfinished.rested();
    onChange();
  }

  // Sending.

  const find = (id: string) => queue.items.find((item) => item.id === id);
  const onFile = () => page.onFile(!isBusy(queue));

  function onEvent(item: UploadItem, event: UploadEvent): void {
    dispatch({ type: 'told', id: item.id, event, nowMs: Date.now() });
    if (event.type === 'completed') onFile();
    if (event.type === 'error') failures.add({ name: item.name, error: event.error });
  }

  /** The link under which the server has refused a file, because the link was changed while the file was on its way. */
  const refusedUnder = new Map<string, string | null>();

  /** Whether a refused file is sealed again by itself: once for each link, and while a page can learn of the newer key. */
  function sealsAgain({ id }: UploadItem, { code }: AppError, linkToken: string | null): boolean {
    if (code !== 'key.link_changed' || page.openTarget() === null || refusedUnder.get(id) === linkToken) return false;
    refusedUnder.set(id, linkToken);
    return true;
  }

  function send(item: UploadItem, { folder, keys, linkToken, userId, token }: UploadTarget): void {
    if (userId === null) {
      onEvent(item, { type: 'error', error: new AppError('upload.unauthenticated') });
      return;
    }
    const { file, name, path, replaces, sealed } = item;
    const order = { file, strips: strips(), name, path, folder, keys: sealed ? keys : null, linkToken, userId };
    const onUploadEvent = (event: UploadEvent) => {
      if (event.type === 'error' && sealsAgain(item, event.error, linkToken)) {
        return beginAgain({ type: 'remade', id: item.id });
      }
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

  /** Starts or resumes a file whose turn has come. */
  function begin(item: UploadItem): void {
    const target = page.target();
    if (!target) return;
    dispatch({ type: 'launched', id: item.id });
    const handle = handles.get(item.id);
    if (item.status === 'paused' && handle) handle.resume();
    else send(item, target);
  }

  /** Ends an upload here and on the server; what is completed stays. */
  function cancelHandle(id: string): void {
    const handle = handles.get(id);
    handles.delete(id);
    // The file has left the list; an upload that can't be terminated now expires with the folder.
    handle?.cancel().catch(() => undefined);
  }

  // Files on their way onto the list.

  const rulesOf = ({ folder, keys, maxFileBytes, fileCount, existing }: UploadTarget) => ({
    folder,
    maySeal: keys !== null,
    maxFileBytes,
    maxFiles,
    fileCount,
    taken: keysOf(existing ?? []),
  });
  /** Files of the list that the folder's own list has not shown yet: chosen again, they are the same ones. */
  const awaited = () => queue.items.filter((item) => item.status !== 'completed' || !shown.has(item));

  function takeOntoList(choice: Choice, target: UploadTarget): void {
    const { action, news } = takeFiles(choice, awaited(), rulesOf(target));
    onNews(news);
    dispatch(action);
  }

  function take(choice: Choice, target: UploadTarget, existing: readonly ExistingFile[]): void {
    const files = choice.files.map((chosen) => placed(chosen, target));
    const { free, colliding } = partCollisions(files, existing, target.folder.link_mode === 'plain');
    collisions.add(colliding);
    takeOntoList({ ...choice, files: free }, target);
  }

  function start(): void {
    page.beforeStart();
    dispatch({ type: 'started' });
  }

  /** Moves the inbox onto the list, if the page is open and knows the folder's files. */
  function takeInbox(): void {
    const target = page.openTarget();
    if (!target || target.existing === null) return;
    const { choices, startsThem } = inbox.empty();
    for (const choice of choices) take(choice, target, target.existing);
    if (startsThem) start();
  }

  function put(choice: Choice, startsIt: boolean): void {
    inbox.put(choice, startsIt);
    takeInbox();
    onChange();
  }

  function beginAgain(action: QueueAction): void {
    page.beforeStart();
    dispatch(action);
  }

  const actions = acting(
    {
      add: (choice: Choice) => put(choice, false),
      /** Takes files and starts them as soon as the page is open: the person confirmed them when choosing. */
      send: (choice: Choice) => put(choice, true),
      start,
      pause(id: string) {
        const item = find(id);
        if (item && isSending(item)) handles.get(id)?.pause();
        dispatch({ type: 'paused', id });
      },
      resume: (id: string) => dispatch({ type: 'resumed', id }),
      cancel(id: string) {
        const item = find(id);
        if (item && (isSending(item) || item.status === 'paused')) cancelHandle(id);
        dispatch({ type: 'cancelled', id });
      },
      remove(id: string) {
        cancelHandle(id);
        dispatch({ type: 'removed', id });
      },
      clear() {
        if (isBusy(queue)) return;
        for (const id of handles.keys()) cancelHandle(id);
        dispatch({ type: 'cleared' });
      },
      retry: (id: string) => beginAgain({ type: 'retried', id }),
      retryAll() {
        page.beforeStart();
        for (const { id } of queue.items.filter(mayRetry)) dispatch({ type: 'retried', id });
      },
      /** Takes another file in the place of one that can't be read any more. */
      rechoose: (id: string, file: File) => beginAgain({ type: 'rechosen', id, file }),
      /** What waits for the server tries again at once. */
      hurry() {
        for (const handle of handles.values()) handle.hurry();
      },
      dismissNotes: () => dispatch({ type: 'notes_dismissed' }),
      /** What becomes of the files whose names the folder has already. */
      answer(answer: CollisionAnswer) {
        const target = page.openTarget();
        if (!target) return;
        const isPlain = target.folder.link_mode === 'plain';
        const listed = awaited().map((item) => nameKey(item, isPlain));
        const taken = [...keysOf(target.existing ?? []), ...listed];
        const files = settle(collisions.take(), answer, taken, isPlain);
        if (files.length > 0) takeOntoList(choiceFrom(files), target);
      },
      discard: unfinished.discard,
      discardAll: unfinished.discardAll,
      resumeFound: unfinished.resume,
      resumeAllFound: unfinished.resumeAll,
    },
    deps.act,
  );

  // What others see of it.

  let seen: FolderUploadsState = { queue, unfinished: NO_WORK, collisions: NO_COLLISIONS, isReady: false };
  function state(): FolderUploadsState {
    const now: FolderUploadsState = {
      queue,
      unfinished: unfinished.get(),
      collisions: collisions.get(),
      isReady: page.target() !== null,
    };
    const isSame = (Object.keys(now) as (keyof FolderUploadsState)[]).every((part) => now[part] === seen[part]);
    if (!isSame) seen = now;
    return seen;
  }
  const show = (by: number) => {
    shownBy += by;
    onChange();
  };

  return {
    folderId: at.folderId,
    actions,
    state,
    begin,
    userId: () => page.place().userId,
    line: () => ({ folderId: page.place().folderId, queue, isHeld: page.isHeld() }),
    isBusy: () => isBusy(queue),
    /** Whether the folder can be removed: its page is closed, and its list and inbox are empty. */
    isIdle: () => page.openTarget() === null && queue.items.length + inbox.count() === 0,
    activity: () =>
      activityOf({
        ...state(),
        place: page.place(),
        awaited: inbox.count(),
        mayNotBegin: page.isHeld(),
        isShown: shownBy > 0,
      }),
    keepNames: unfinished.keep,
    lineLost: () => dispatch({ type: 'line_lost' }),
    /** Called by the folder's page whenever its target changes. */
    attend(target: UploadTarget): void {
      page.attend(target);
      shown.note(target.existing);
      takeInbox();
      unfinished.follow();
      onChange();
    },
    /** Called when the folder's page is closed: files on the list continue with the keys that the page knew last. */
    leave(): void {
      if (!page.openTarget()) return;
      page.leave();
      unfinished.unfollow();
      // A list that was seen completed needs no dock.
      if (!isBusy(queue)) dispatch({ type: 'tidied' });
      onChange();
    },
    /** Marks the list as on screen, until the returned function is called. */
    show(): () => void {
      show(1);
      return () => show(-1);
    },
    /** Stops everything and keeps the logs: the same files, chosen again, resume where they stopped. */
    abandon(): void {
      inbox.empty();
      collisions.stop();
      for (const handle of handles.values()) handle.release();
      handles.clear();
      failures.stop();
      dispatch({ type: 'abandoned' });
      onChange();
    },
    end(): void {
      page.end();
      unfinished.unfollow();
    },
  };
}

export type FolderUploads = ReturnType<typeof createFolderUploads>;
export type UploadActions = FolderUploads['actions'];
