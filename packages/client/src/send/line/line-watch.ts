import type { Network } from '../ports.ts';

/** Without a sign of life for this long, the server is asked whether it is there. */
const SILENT_MS = 10_000;
/** A server that says so often that it is there, and yet takes nothing, is as good as gone. */
const ASKED_MAX = 12;

export interface LineWatch {
  /** Something has moved. */
  touch(): void;
  stop(): void;
}

/**
 * Notices a line that swallows everything: it reports no error for minutes. On a slow line a request is silent, too, while
 * what the system has buffered is on its way, so the server is asked before the line is given up.
 */
export function watchLine(isThere: Network['isThere'], onLost: () => void, askedMax = ASKED_MAX): LineWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  /** Counts signs of life, so that an answer to an older question is told from a later one's. */
  let signs = 0;

  async function ask(): Promise<void> {
    const before = signs;
    asked += 1;
    const answers = await isThere();
    if (signs !== before) return;
    if (answers && asked < askedMax) timer = setTimeout(ask, SILENT_MS);
    else onLost();
  }
  function stop(): void {
    signs += 1;
    clearTimeout(timer);
  }
  function touch(): void {
    stop();
    asked = 0;
    timer = setTimeout(ask, SILENT_MS);
  }

  touch();
  return { touch, stop };
}
