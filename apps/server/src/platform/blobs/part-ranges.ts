import type { BlobPart, ByteRange } from './blobs.ts';

/** What a read takes from one part. */
export interface PartRange {
  readonly part: BlobPart;
  /** Within the part. */
  readonly within: ByteRange;
  /** Where the part ends within itself; null for the last one, which ends with the blob. */
  readonly endsAt: number | null;
}

/** The index of the part that has the byte at `position`. */
function indexAt(parts: readonly BlobPart[], position: number): number {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (parts[middle]!.start <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Divides a range of a blob among its parts, which are in the order of their starts and begin at 0. */
export function* rangesOf(parts: readonly BlobPart[], { start, end }: ByteRange): Generator<PartRange> {
  let position = start;
  for (let index = indexAt(parts, start); position < end; index += 1) {
    const part = parts[index]!;
    const next = parts[index + 1]?.start ?? null;
    const stop = next === null ? end : Math.min(end, next);
    const within = { start: position - part.start, end: stop - part.start };
    yield { part, within, endsAt: next === null ? null : next - part.start };
    position = stop;
  }
}
