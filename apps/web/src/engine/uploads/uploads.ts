import { nextTurn } from '@satchel/client/send/list/turns';
import type { Choice } from '@satchel/client/send/order';
import { coalesce } from '../../lib/browser/coalesce.ts';
import {
  createFolderUploads,
  type FolderChange,
  type FolderUploads,
  type FolderUploadsDeps,
  type FolderUploadsState,
  type UploadActions,
} from './folder-uploads.ts';
import { type FolderActivity, uploadActivity } from './upload-activity.ts';
import type { UploadPlace, UploadTarget } from './upload-target.ts';

export interface UploadsDeps extends Omit<FolderUploadsDeps, 'onChange'> {
  /** One file to a worker, and no more workers than the machine has cores (docs/container.md §4). */
  readonly workersMax: () => number;
  /** Small files at once, large ones that are under way included. */
  readonly smallMax?: number;
  /** Says whether files would be lost if the site were left now. */
  readonly onBusy: (isBusy: boolean) => void;
}

/** How often the lists are drawn while workers report. */
const DRAW_EVERY_MS = 250;

const isSame = (a: FolderActivity, b: FolderActivity): boolean =>
  (Object.keys(a) as (keyof FolderActivity)[]).every((name) => a[name] === b[name]);

/** Takes new values; an unchanged value keeps its object, so that nothing is drawn again for it. */
function publishActivity(next: readonly FolderActivity[]): void {
  const before = uploadActivity.get();
  const merged = next.map((one) => before.find((old) => isSame(old, one)) ?? one);
  const isUnchanged = merged.length === before.length && merged.every((one, place) => one === before[place]);
  if (!isUnchanged) uploadActivity.set(merged);
}

/**
 * The uploads of this tab, by folder. Each folder's uploads continue when its page is left for another one of the site; all of them
 * share the workers, each folder its part.
 */
export function createUploads({ workersMax, smallMax, onBusy, ...deps }: UploadsDeps) {
  const folders = new Map<string, FolderUploads>();
  const listeners = new Set<() => void>();
  let lastFolderId: string | null = null;
  let wasBusy = false;
  let isChanging = false;
  let isStale = false;
  function draw(): void {
    for (const folder of folders.values()) folder.tellProgress();
    publishActivity([...folders.values()].map((folder) => folder.activity()));
    for (const listener of listeners) listener();
  }
  const drawSoon = coalesce(draw, DRAW_EVERY_MS);

  /** Begins every file that may begin. A file that fails at once makes room for the next. */
  function launchAll(): void {
    for (;;) {
      const lines = [...folders.values()].map((folder) => folder.line());
      const turn = nextTurn(lines, workersMax(), lastFolderId, smallMax);
      if (!turn) return;
      lastFolderId = turn.folderId;
      folders.get(turn.folderId)?.begin(turn.item);
    }
  }

  function removeIdle(): void {
    for (const [id, folder] of folders) {
      if (!folder.isIdle()) continue;
      folder.keepNames();
      folder.end();
      folders.delete(id);
    }
  }

  /**
   * Changes caused by a change are handled after it, not within it. What a person or the page does shows at once; what comes
   * from the background is gathered, however many files report.
   */
  function changed(change: FolderChange): void {
    if (change === 'progress') {
      drawSoon.run();
      return;
    }
    isStale = true;
    if (isChanging) return;
    isChanging = true;
    while (isStale) {
      isStale = false;
      launchAll();
      removeIdle();
    }
    isChanging = false;
    const isBusy = [...folders.values()].some((folder) => folder.isBusy());
    const isTurn = isBusy !== wasBusy;
    wasBusy = isBusy;
    if (isTurn) onBusy(isBusy);
    if (change === 'report' && !isTurn) drawSoon.run();
    else draw();
  }

  function at(place: UploadPlace): FolderUploads {
    const known = folders.get(place.folderId);
    if (known?.userId() === place.userId) return known;
    known?.abandon();
    known?.end();
    const made = createFolderUploads(place, { ...deps, onChange: changed });
    folders.set(place.folderId, made);
    return made;
  }

  /** Stops the uploads of a folder and removes its list; the logs stay. */
  function stop(folder: FolderUploads): void {
    folder.abandon();
    folder.end();
    folders.delete(folder.folderId);
    changed('act');
  }

  const on = (folderId: string, what: (folder: FolderUploads) => void) => {
    const folder = folders.get(folderId);
    if (folder) what(folder);
  };

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Null for a folder without uploads. */
    stateOf: (folderId: string): FolderUploadsState | null => folders.get(folderId)?.state() ?? null,
    attend: (target: UploadTarget): void => at(target).attend(target),
    leave: (folderId: string): void => on(folderId, (folder) => folder.leave()),
    show: (folderId: string): (() => void) => folders.get(folderId)?.show() ?? (() => {}),
    add: (place: UploadPlace, choice: Choice): void => at(place).actions.add(choice),
    send: (place: UploadPlace, choice: Choice): void => at(place).actions.send(choice),
    /** What a person does to a folder's list; only for a folder that has one. */
    actionsOf: (folderId: string): UploadActions | undefined => folders.get(folderId)?.actions,
    /** Takes a list that has come to rest out of sight. What failed can be chosen again. */
    dismiss: (folderId: string): void => on(folderId, (folder) => folder.isBusy() || folder.abandon()),
    /**
     * The person deleted the folder here: stops its uploads without a request, since the server ended them with the folder.
     * Where it was deleted elsewhere, or has expired, each file fails with the server's error.
     */
    folderDeleted: (folderId: string): void => on(folderId, stop),
    /** Stops the uploads of every other person, after a sign-in or sign-out. True when some were running. */
    keepOnlyOf(userId: string | null): boolean {
      const others = [...folders.values()].filter((folder) => folder.userId() !== userId);
      const wereBusy = others.some((folder) => folder.isBusy());
      for (const folder of others) stop(folder);
      return wereBusy;
    },
    /** The browser is offline. */
    lineLost(): void {
      for (const folder of folders.values()) folder.lineLost();
    },
    abandonAll(): void {
      for (const folder of [...folders.values()]) stop(folder);
    },
    /** Keeps the unsent names for the next page, when this one is left. */
    keepNames(): void {
      for (const folder of folders.values()) folder.keepNames();
    },
  };
}

export type Uploads = ReturnType<typeof createUploads>;
