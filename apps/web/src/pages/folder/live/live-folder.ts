import { plural } from '@lingui/core/macro';
import { followFolder } from '../../../engine/folders/live/follow-folder.ts';
import type { FolderFiles } from '../../../features/files/use-folder-files.ts';
import { isUploadingTo } from '../../../features/upload/use-folder-activity.ts';
import { announce } from '../../../lib/base/announce.ts';

/** What a page does when its folder changed elsewhere. */

export interface LivePage {
  readonly receivedAtMs: number;
  readonly onChanged: () => Promise<boolean>;
  readonly files: Pick<FolderFiles, 'files' | 'readOn' | 'reload'>;
}

export interface LiveFolder {
  /** The page shows this many files. */
  readonly drawn: (count: number) => void;
  readonly stop: () => void;
}

/** While a folder changes all the time, only what was added is read; the whole list once it is quiet for so long. */
const QUIET_MS = 4000;
/** What was read is drawn by then. */
const DRAWN_MS = 500;

export function startLiveFolder(
  { folderId, slug }: { readonly folderId: string; readonly slug: string },
  page: () => LivePage,
): LiveFolder {
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let isOwed = false;
  let known = page().files.files.length;
  /** Looks that are under way, or just drawn: only their changes are announced, not what the person does here. */
  let looks = 0;

  async function hear(read: Promise<unknown>): Promise<void> {
    looks += 1;
    await read.catch(() => undefined); // the list says its own failures
    setTimeout(() => {
      looks -= 1;
    }, DRAWN_MS);
  }

  function readWhole(): Promise<void> {
    isOwed = false;
    return page().files.reload(true);
  }

  function look(): void {
    // The page reads what it uploads itself, and the whole list at the end.
    if (isUploadingTo(folderId)) return;
    const isBusy = quiet !== undefined;
    isOwed = isBusy;
    void page().onChanged();
    void hear(isBusy ? page().files.readOn() : readWhole());
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      quiet = undefined;
      if (isOwed) void hear(readWhole());
    }, QUIET_MS);
  }

  const unfollow = followFolder(slug, { lookedAtMs: () => page().receivedAtMs, look });
  return {
    drawn(count) {
      if (count === known) return;
      known = count;
      if (looks === 0) return;
      announce(
        plural(count, { one: 'The folder has changed: # file now', other: 'The folder has changed: # files now' }),
      );
    },
    stop() {
      clearTimeout(quiet);
      unfollow();
    },
  };
}
