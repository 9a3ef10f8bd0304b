import type { Opened } from '@satchel/client/open/delivery-stream';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { createStore } from '../../../lib/base/external-store.ts';

/** A file that the browser was given, and may or may not have written. */
export interface ToCompare {
  readonly name: string;
  readonly sizeBytes: number;
  readonly open: (signal: AbortSignal) => Promise<Opened>;
}

/** The last file of which the browser tells nothing. The page offers to compare it with what the person finds saved. */
export const toCompare = createStore<ToCompare | null>(null);

/** A smaller file is written in one piece. */
export function offerToCompare(file: ToCompare): void {
  if (file.sizeBytes > AUTO_OPEN_BYTES) toCompare.set(file);
}
