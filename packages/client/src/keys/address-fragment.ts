import { parseFragment, secretFragment } from './folder-link.ts';
import type { KeptKey } from './key-store.ts';
import { isSameBytes } from './keyrings.ts';
import { fragmentText } from './link-parts.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What a page knows of the folder that its address names. */
export interface AddressFacts {
  /** The keys of the folder that a reload of the page would find; null for none. */
  readonly kept: KeptKey | null;
  /** `location.hash`, with or without its `#` */
  readonly hash: string;
  /** Secret S of the folder's present link. */
  readonly secret: Bytes | null;
}

/**
 * The fragment that a folder's address needs beside what this device remembers (docs/container.md §3): none, once
 * the disk has what it says. Where nothing can be stored, the address is what a reload opens the folder by.
 * @returns without its `#`; may be empty
 */
export function addressFragment({ kept, hash, secret }: AddressFacts): string {
  const fragment = parseFragment(hash);
  const text = fragmentText(hash);
  switch (fragment.kind) {
    case 'secret':
      return kept?.secret && isSameBytes(kept.secret, fragment.secret) ? '' : text;
    case 'key':
      return kept !== null && fragment.keys.every((key) => kept.ring.keys.some((one) => isSameBytes(one, key)))
        ? ''
        : text;
    case 'none':
      return text === '' && kept === null && secret !== null ? secretFragment(secret).slice(1) : text;
    case 'bad':
      return text;
  }
}
