import { type DragData, dragDataOf } from './uploads/queue/drag-data.ts';

/**
 * Keeps what is dropped before the code that opens it has loaded; the browser would leave the page for it. It comes with the
 * shell, so it is short.
 */

type Kind = 'files' | 'link';

export interface EarlyDrop {
  readonly kind: Kind;
  readonly data: DragData;
  /** The texts of a dropped link. */
  readonly uris: string;
  readonly text: string;
}

/** By then the code is there, or will not come. */
const MOMENT_MS = 30_000;

/** Kinds that have their own listeners. */
const taken = new Set<Kind>();
let early: EarlyDrop | null = null;

function hear(event: DragEvent): void {
  const { dataTransfer, target, timeStamp, type } = event;
  if (!dataTransfer || timeStamp > MOMENT_MS) return;
  const kind = dataTransfer.types.includes('Files') ? 'files' : 'link';
  if (taken.has(kind) || (kind === 'link' && (target as Element).closest?.('input,textarea'))) return;
  event.preventDefault();
  const textOf = (format: string) => dataTransfer.getData(format);
  if (type === 'drop')
    early = { kind, data: dragDataOf(dataTransfer), uris: textOf('text/uri-list'), text: textOf('text') };
}

export function keepEarlyDrops(): void {
  addEventListener('dragover', hear);
  addEventListener('drop', hear);
}

/** Called by the code that takes further drops of a kind itself. */
export function takeEarlyDrop(kind: Kind): EarlyDrop | null {
  taken.add(kind);
  const drop = early?.kind === kind ? early : null;
  if (drop) early = null;
  return drop;
}
