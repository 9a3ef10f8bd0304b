import { createAttendance } from './attendance.ts';
import { placed } from './queue/admission.ts';
import { type Choice, choiceFrom } from './queue/chosen-files.ts';
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
} from './queue/collisions.ts';
import {
  countItems,
  isBusy,
  isSending,
  NONE_SKIPPED,
  overallPercent,
  type QueueState,
  storedNameOf,
  type UploadItem,
} from './queue/queue.ts';
import { takeFiles } from './queue/take-files.ts';
import { createQueueRunner, type QueueRunnerDeps } from './queue-runner.ts';
import { createUnfinishedWork, NO_WORK, type UnfinishedWork } from './unfinished-work.ts';
import type { FolderActivity } from './upload-activity.ts';
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

export interface FolderUploadsDeps
  extends Pick<QueueRunnerDeps, 'startUpload' | 'strips' | 'onNews' | 'onSent' | 'deleteReplaced'>,
    Pick<CollisionsDeps, 'hasSameContent'> {
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

/** The parts of one folder's uploads, and how files get onto its list. */
function createParts(at: UploadPlace, deps: FolderUploadsDeps) {
  const { startUpload, strips, onNews, onSent, deleteReplaced, hasSameContent, maxFiles, onChange } = deps;
  const page = createAttendance(at, onChange);
  const inbox = createInbox();
  const shown = createShownFiles();
  const runner = createQueueRunner({
    startUpload,
    strips,
    onNews,
    onSent,
    deleteReplaced,
    onFile: () => page.onFile(!isBusy(runner.get())),
    onChange(before, now) {
      if (now.items.length !== before.items.length) unfinished.itemsChanged();
      if (isBusy(before) && !isBusy(now)) unfinished.rested();
      onChange();
    },
  });
  const unfinished = createUnfinishedWork({
    folderId: at.folderId,
    target: page.target,
    items: () => runner.get().items,
    isBusy: () => isBusy(runner.get()),
    onRecognised: (id, percent) => runner.dispatch({ type: 'recognised', id, percent }),
    onFound(files) {
      const target = page.openTarget();
      if (!target) return;
      // Where they go was settled when they began.
      takeOntoList(choiceFrom(files), target);
      page.beforeStart();
      runner.dispatch({ type: 'found', paths: files.map(({ path }) => path) });
    },
    onLost: (names) => onNews({ type: 'lost', names }),
    onChange,
  });
  const start = () => {
    page.beforeStart();
    runner.dispatch({ type: 'started' });
  };
  const collisions = createCollisions({
    hasSameContent,
    onChange,
    onThere: (there) =>
      runner.dispatch({ type: 'added', items: [], rejected: [], skipped: { ...NONE_SKIPPED, there } }),
    onDiffering: (count) => onNews({ type: 'differing', count }),
  });
  const rulesOf = ({ folder, keys, maxFileBytes, fileCount, existing }: UploadTarget) => ({
    folder,
    maySeal: keys !== null,
    maxFileBytes,
    maxFiles,
    fileCount,
    taken: keysOf(existing ?? []),
  });
  /** Files of the list that the folder's own list has not shown yet: chosen again, they are the same ones. */
  const awaited = () => runner.get().items.filter((item) => item.status !== 'completed' || !shown.has(item));

  function takeOntoList(choice: Choice, target: UploadTarget): void {
    const { action, news } = takeFiles(choice, awaited(), rulesOf(target));
    onNews(news);
    runner.dispatch(action);
  }

  function take(choice: Choice, target: UploadTarget, existing: readonly ExistingFile[]): void {
    const files = choice.files.map((chosen) => placed(chosen, target));
    const { free, colliding } = partCollisions(files, existing, target.folder.link_mode === 'plain');
    collisions.add(colliding);
    takeOntoList({ ...choice, files: free }, target);
  }

  return {
    page,
    inbox,
    runner,
    unfinished,
    collisions,
    shown,
    start,
    /** Moves the inbox onto the list, if the page is open and knows the folder's files. */
    takeInbox(): void {
      const target = page.openTarget();
      if (!target || target.existing === null) return;
      const { choices, startsThem } = inbox.empty();
      for (const choice of choices) take(choice, target, target.existing);
      if (startsThem) start();
    },
    /** What becomes of the files whose names the folder has already. */
    answer(answer: CollisionAnswer): void {
      const target = page.openTarget();
      if (!target) return;
      const isPlain = target.folder.link_mode === 'plain';
      const listed = awaited().map((item) => nameKey(item, isPlain));
      const taken = [...keysOf(target.existing ?? []), ...listed];
      const files = settle(collisions.take(), answer, taken, isPlain);
      if (files.length > 0) takeOntoList(choiceFrom(files), target);
    },
  };
}

type Parts = ReturnType<typeof createParts>;

/** Views of a folder's uploads: for the list, for the dock, and for the distribution of workers. */
function viewsOf({ page, inbox, runner, unfinished, collisions }: Parts, isShown: () => boolean) {
  let shown: FolderUploadsState = {
    queue: runner.get(),
    unfinished: NO_WORK,
    collisions: NO_COLLISIONS,
    isReady: false,
  };
  const state = (): FolderUploadsState => {
    const now: FolderUploadsState = {
      queue: runner.get(),
      unfinished: unfinished.get(),
      collisions: collisions.get(),
      isReady: page.target() !== null,
    };
    const isSame = (Object.keys(now) as (keyof FolderUploadsState)[]).every((part) => now[part] === shown[part]);
    if (!isSame) shown = now;
    return shown;
  };
  return {
    state,
    userId: () => page.place().userId,
    line: () => ({ folderId: page.place().folderId, queue: runner.get(), isHeld: page.isHeld() }),
    isBusy: () => isBusy(runner.get()),
    /** Whether the folder can be removed: its page is closed, and its list and inbox are empty. */
    isIdle: () => page.openTarget() === null && runner.get().items.length + inbox.count() === 0,
    activity: () =>
      activityOf({
        ...state(),
        place: page.place(),
        awaited: inbox.count(),
        mayNotBegin: page.isHeld(),
        isShown: isShown(),
      }),
  };
}

/** The uploads of one folder: its queue, and the page's last target. They outlive the page. */
export function createFolderUploads(at: UploadPlace, deps: FolderUploadsDeps) {
  const parts = createParts(at, deps);
  const { page, inbox, runner, unfinished, collisions, shown, start, takeInbox, answer } = parts;
  const { onChange } = deps;
  let shownBy = 0;
  const show = (by: number) => {
    shownBy += by;
    onChange();
  };
  const put = (choice: Choice, startsIt: boolean) => {
    inbox.put(choice, startsIt);
    takeInbox();
    onChange();
  };
  return {
    folderId: at.folderId,
    ...viewsOf(parts, () => shownBy > 0),
    ...runner,
    start,
    answer,
    retry(id: string): void {
      page.beforeStart();
      runner.dispatch({ type: 'retried', id });
    },
    rechoose(id: string, file: File): void {
      page.beforeStart();
      runner.rechoose(id, file);
    },
    add: (choice: Choice) => put(choice, false),
    /** Takes files and starts them as soon as the page is open: the person confirmed them when choosing. */
    send: (choice: Choice) => put(choice, true),
    discard: unfinished.discard,
    discardAll: unfinished.discardAll,
    resumeFound: unfinished.resume,
    resumeAllFound: unfinished.resumeAll,
    keepNames: unfinished.keep,
    begin(item: UploadItem): void {
      const target = page.target();
      if (target) runner.launch(item, target);
    },
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
      if (!isBusy(runner.get())) runner.dispatch({ type: 'tidied' });
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
      runner.abandon();
      onChange();
    },
    end(): void {
      page.end();
      unfinished.unfollow();
    },
  };
}

export type FolderUploads = ReturnType<typeof createFolderUploads>;
