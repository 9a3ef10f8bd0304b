import { coalesce } from '../../lib/browser/coalesce.ts';
import { followKeyChanges } from '../keys/key-news.ts';
import type { UploadPlace, UploadTarget } from './upload-target.ts';

/** How often the folder is listed again while its files come, at most. */
const NEW_FILES_EVERY_MS = 5000;

/**
 * What uploads know of their folder: the target of the open page, or the last target after the page is closed. Before the
 * first page opens, only the place is known.
 */
export function createAttendance(at: UploadPlace, onChange: () => void) {
  let place = at;
  let target: UploadTarget | null = null;
  let isOpen = false;
  /** The page was asked to refresh the folder's facts, and `isChecking` is not set yet. */
  let isAboutToCheck = false;
  /** While the page was closed, another tab changed the folder's link or its pin on this device. */
  let hasNews = false;
  /** Uploads completed while the folder's page was closed. */
  let hasNewFiles = false;
  let unfollow = () => {};
  const tellNewFiles = () => {
    if (isOpen) target?.onFiles();
    else hasNewFiles = true;
  };
  const newFiles = coalesce(tellNewFiles, NEW_FILES_EVERY_MS);
  const stopFollowing = () => {
    unfollow();
    unfollow = () => {};
  };
  return {
    place: (): UploadPlace => place,
    target: (): UploadTarget | null => target,
    /** The target while its page is open. */
    openTarget: (): UploadTarget | null => (isOpen ? target : null),
    attend(now: UploadTarget): void {
      target = now;
      place = now;
      isOpen = true;
      isAboutToCheck = false;
      hasNews = false;
      stopFollowing();
      if (hasNewFiles) now.onFiles();
      hasNewFiles = false;
      newFiles.stop();
    },
    leave(): void {
      isOpen = false;
      unfollow = followKeyChanges(at.folderId, () => {
        hasNews = true;
        onChange();
      });
    },
    end(): void {
      stopFollowing();
      newFiles.stop();
    },
    /**
     * A file was uploaded: tells the folder's page, or when it opens. While more are coming, the folder is not listed again
     * for each; the last one is shown at once.
     */
    onFile(isLast: boolean): void {
      if (isLast) {
        newFiles.stop();
        tellNewFiles();
      } else newFiles.run();
    },
    /** Asks the open page to refresh the folder's facts. */
    beforeStart(): void {
      isAboutToCheck = isOpen && target?.onStart() === true;
    },
    /** Whether no file may begin, since the keys are in question. A closed page no longer checks: its last target counts. */
    isHeld: (): boolean =>
      target === null || target.isHeld || hasNews || (isOpen && (isAboutToCheck || target.isChecking)),
  };
}
