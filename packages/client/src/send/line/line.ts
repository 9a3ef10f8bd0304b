import type { Bytes, Network } from '../ports.ts';

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

/** What takes the windows of an upload to the server, one after the other. */
export interface Line {
  /** Resolves once windows may be sent. @throws Unreached */
  opened(): Promise<void>;
  /**
   * Takes the next window. The server need not have its bytes when this resolves.
   * @param onFree its buffer is free
   * @throws Cut, AttemptFailed
   */
  send(bytes: Bytes, onFree: () => void): Promise<void>;
  /** Resolves once the server has everything. @throws Cut, AttemptFailed */
  ended(): Promise<void>;
  close(): void;
}

export interface LineDeps {
  readonly signal: AbortSignal;
  /** Hears how many bytes of the upload have left this device, as far as can be said. */
  readonly onProgress: (bytes: number) => void;
  /** Hears up to where the server has made the upload durable. */
  readonly onAcknowledged: (offset: number) => void;
}

/** The way was closed from the beginning: a proxy or a filter refuses it, or there is no server. */
export class Unreached extends Error {}
/** The way was open and broke. */
export class Cut extends Error {}
