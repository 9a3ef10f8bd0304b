import { type DragData, dragDataOf } from './uploads/queue/drag-data.ts';

/**
 * Keeps what is dropped before the code that opens it has loaded, and files also between two pages that take them; the browser
 * would leave the page for it. It comes with the shell, so it is short.
 */

type Kind = 'files' | 'link';

export interface EarlyDrop {
  readonly kind: Kind;
  readonly data: DragData;
  /** The texts of a dropped link. */
  readonly uris: string;
  readonly text: string;
  readonly atMs: number;
}

/** After that long the code is there, or will not come: a drop is not kept longer. */
const MOMENT_MS = 30_000;

/** Kinds that have their own listeners. */
const taken = new Set<Kind>();
let early: EarlyDrop | null = null;

function hear(event: DragEvent): void {
  const { dataTransfer, target, timeStamp: atMs, type } = event;
  if (!dataTransfer) return;
  const kind = dataTransfer.types.includes('Files') ? 'files' : 'link';
  if (taken.has(kind)) return;
  if (kind === 'link' && (atMs > MOMENT_MS || (target as Element).closest?.('input,textarea'))) return;
  event.preventDefault();
  const textOf = (format: string) => dataTransfer.getData(format);
  if (type === 'drop')
    early = { kind, data: dragDataOf(dataTransfer), uris: textOf('text/uri-list'), text: textOf('text'), atMs };
}

/** @param options as of `addEventListener`; with a signal, until that is aborted */
export function keepEarlyDrops(options?: AddEventListenerOptions): void {
  addEventListener('dragover', hear, options);
  addEventListener('drop', hear, options);
}

/** Called by the code that takes further drops of a kind itself. */
export function takeEarlyDrop(kind: Kind): EarlyDrop | null {
  taken.add(kind);
  const drop = early?.kind === kind ? early : null;
  if (drop) early = null;
  return drop && performance.now() - drop.atMs < MOMENT_MS ? drop : null;
}

/** Called by that code when its page is left. */
export const leaveDrops = (kind: Kind): boolean => taken.delete(kind);
