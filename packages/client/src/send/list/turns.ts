import { SMALL_FILE_BYTES } from '../order.ts';
import { isSending, type QueueState, type UploadItem } from './queue.ts';

/** Small files wait for answers more than they work: this number is sent at once, including large ones under way. */
export const SMALL_AT_ONCE = 6;

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

const isSmall = ({ sizeBytes }: UploadItem): boolean => sizeBytes <= SMALL_FILE_BYTES;

/**
 * Whose turn it is: the first file that may begin, one that a person has resumed before all others, in the folder that has
 * the fewest under way, so that a folder of five files doesn't wait for one of five hundred. Null when no worker is free, or nothing is queued.
 * @param workersMax large files at once; small ones fill up to `smallMax`
 * @param lastFolderId the folder that had the last turn; of two with as many under way, the other one goes first
 */
export function nextTurn(
  lines: readonly Line[],
  workersMax: number,
  lastFolderId: string | null = null,
  smallMax = SMALL_AT_ONCE,
): Turn | null {
  const sending = new Map(lines.map(({ folderId, queue }) => [folderId, queue.items.filter(isSending)]));
  const all = [...sending.values()].flat();
  const mayBeginLarge = all.filter((item) => !isSmall(item)).length < workersMax;
  const mayBeginSmall = all.length < Math.max(workersMax, smallMax);
  if (!mayBeginLarge && !mayBeginSmall) return null;
  const mayBegin = (item: UploadItem) => item.queued && (isSmall(item) ? mayBeginSmall : mayBeginLarge);
  const isResumed = (item: UploadItem) => item.status === 'paused' && mayBegin(item);
  const last = lines.findIndex(({ folderId }) => folderId === lastFolderId);
  const inTurn = [...lines.slice(last + 1), ...lines.slice(0, last + 1)];
  let best: { turn: Turn; count: number } | null = null;
  for (const { folderId, queue, isHeld } of inTurn) {
    const item = isHeld ? undefined : (queue.items.find(isResumed) ?? queue.items.find(mayBegin));
    const count = sending.get(folderId)?.length ?? 0;
    if (item && (best === null || count < best.count)) best = { turn: { folderId, item }, count };
  }
  return best?.turn ?? null;
}
