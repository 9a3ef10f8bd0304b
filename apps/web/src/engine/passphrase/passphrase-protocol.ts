import type { WireError } from '@satchel/contract/errors';

/** Messages between the page and a passphrase worker. */

export interface PassphraseRequest {
  readonly passphrase: string;
  /** Link secret S, 32 bytes. */
  readonly secret: Uint8Array<ArrayBuffer>;
}

export type PassphraseReply =
  | { readonly type: 'derived'; readonly passphraseKey: Uint8Array<ArrayBuffer> }
  | { readonly type: 'failed'; readonly error: WireError };
