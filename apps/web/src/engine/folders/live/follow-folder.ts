import type { FolderChange } from '@satchel/contract/wire/folder-changes';
import { deviceLocks, openChannel } from '../../../lib/base/device.ts';
import { followChanges } from './follow-changes.ts';
import { createTabLine } from './tab-line.ts';

/** Tells a folder's page when to look again (docs/decisions/027). */

/**
 * All pages of a folder hear of a change at the same time, and look within this time. With the server's gathering and the wait
 * of catch-up.ts that is less than 2 s.
 */
const SPREAD_MS = 1000;
/** The age of a change, by the server's clock, and the age of the page's data, by this device's, may differ by this. */
const SLACK_MS = 500;
/** A tab that is out of sight for longer follows nothing, and looks when it is seen again. */
const HIDDEN_MS = 30_000;

export interface Looking {
  /** When the oldest of the page's data came, or was asked for, by this device's clock. */
  readonly lookedAtMs: () => number;
  readonly look: () => void;
  /** Whether the page needs no such spread: only one person's pages do what this one does. */
  readonly isAlone?: () => boolean;
}

/**
 * Decides from what is told whether to look. The first word only tells where the folder stands: the page looks when the
 * change may be later than its data.
 */
export function createLooker({ lookedAtMs, look, isAlone }: Looking) {
  let seen: string | null | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    hear({ version, age_ms }: FolderChange): void {
      if (version === seen) return;
      const isFirst = seen === undefined;
      seen = version;
      if (isFirst && version !== null && age_ms > Date.now() - lookedAtMs() + SLACK_MS) return;
      const spreadMs = isAlone?.() ? 0 : Math.random() * SPREAD_MS;
      timer ??= setTimeout(() => {
        timer = undefined;
        look();
      }, spreadMs);
    },
    stop: () => clearTimeout(timer),
  };
}

let line: ReturnType<typeof createTabLine> | null = null;
function tabLine() {
  line ??= createTabLine({
    channel: openChannel('satchel-changes'),
    locks: deviceLocks(),
    follow: followChanges,
    nowMs: () => performance.now(),
  });
  return line;
}

/** @returns stops following */
export function followFolder(slug: string, looking: Looking): () => void {
  const looker = createLooker(looking);
  let stop: (() => void) | null = null;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const rest = () => {
    stop?.();
    stop = null;
  };
  const watch = () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden') hiding = setTimeout(rest, HIDDEN_MS);
    else stop ??= tabLine().listen(slug, looker.hear);
  };
  document.addEventListener('visibilitychange', watch);
  // A page that is kept for Back must not keep the line of the other tabs.
  addEventListener('pagehide', rest);
  addEventListener('pageshow', watch);
  watch();
  return () => {
    document.removeEventListener('visibilitychange', watch);
    removeEventListener('pagehide', rest);
    removeEventListener('pageshow', watch);
    clearTimeout(hiding);
    looker.stop();
    rest();
  };
}
