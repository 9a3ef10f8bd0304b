import { isSending, type QueueState, type UploadItem } from './queue/queue.ts';

/** One folder's queue, in the order in which folders began to upload. */
export interface Line {
  readonly folderId: string;
  readonly queue: QueueState;
  /** Whether none of its files may begin now. */
  readonly isHeld: boolean;
}

export interface Turn {
  readonly folderId: string;
  readonly item: UploadItem;
}

const sendingIn = ({ queue }: Line): number => queue.items.filter(isSending).length;

/**
 * Whose turn it is: the first file that is queued in the folder that has the fewest under way, so that a folder of five
 * files doesn't wait for one of five hundred. Null when no worker is free, or nothing is queued.
 * @param lastFolderId the folder that had the last turn; of two with as many under way, the other one goes first
 */
export function nextTurn(lines: readonly Line[], workersMax: number, lastFolderId: string | null = null): Turn | null {
  const sending = new Map(lines.map((line) => [line.folderId, sendingIn(line)]));
  const busy = [...sending.values()].reduce((sum, count) => sum + count, 0);
  if (busy >= workersMax) return null;
  const last = lines.findIndex(({ folderId }) => folderId === lastFolderId);
  const inTurn = [...lines.slice(last + 1), ...lines.slice(0, last + 1)];
  let best: { turn: Turn; count: number } | null = null;
  for (const { folderId, queue, isHeld } of inTurn) {
    const item = isHeld ? undefined : queue.items.find(({ queued }) => queued);
    const count = sending.get(folderId) ?? 0;
    if (item && (best === null || count < best.count)) best = { turn: { folderId, item }, count };
  }
  return best?.turn ?? null;
}
