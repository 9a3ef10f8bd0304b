import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB } from '@satchel/contract/limits';

/** Memory that lies outside of the collector's heap gives it no reason to look: buffers are freed by hand, or asked for. */

/**
 * Frees a buffer that nothing uses any more, before the collector finds it: what lies outside of its heap gives it no reason to look.
 * Node 20 can't.
 */
export const release = ({ buffer }: Uint8Array<ArrayBuffer>): void => void buffer.transfer?.(0);

/** What may be read, sent or received before the young buffers are collected: Node makes a new one for each piece of it. */
const COLLECT_EVERY_BYTES = 4 * MIB;

function collector(): () => void {
  try {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
    return () => gc({ type: 'minor' });
  } catch {
    return () => undefined;
  }
}

const collect = collector();
let passedBytes = 0;

/** Counts bytes that were read, sent or received. */
export function collectAfter(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < COLLECT_EVERY_BYTES) return;
  passedBytes = 0;
  collect();
}
