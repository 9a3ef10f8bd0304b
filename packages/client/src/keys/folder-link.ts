import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { formatKey, parseKey } from '@satchel/container/key';
import type { LinkMode } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { folderAddress, fragmentKind, fragmentText, SECRET_PREFIX, sharedAddress } from './link-parts.ts';

/** The link of a folder, `/f/{slug}#k={secret}` (docs/container.md §3). The fragment never leaves the browser. */

type Bytes = Uint8Array<ArrayBuffer>;

export type Fragment =
  | { readonly kind: 'secret'; readonly secret: Bytes }
  /** Oldest first. For reading only: a fragment can be forged by anyone (docs/container.md §3). */
  | { readonly kind: 'key'; readonly keys: readonly Bytes[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'bad'; readonly error: AppError };

/**
 * What the address's fragment holds.
 * @param hash `location.hash`, with or without its `#`
 */
export function parseFragment(hash: string): Fragment {
  const text = fragmentText(hash);
  switch (fragmentKind(hash)) {
    case 'secret':
      return { kind: 'secret', secret: decodeBase64Url(text.slice(SECRET_PREFIX.length)) };
    case 'key':
      return { kind: 'key', keys: text.split('.').map(parseKey) };
    case 'bad': {
      const isSecret = text.startsWith(SECRET_PREFIX);
      const error = isSecret ? new AppError('key.unsealable') : new AppError('key.bad_length', { length: text.length });
      return { kind: 'bad', error };
    }
    case 'none':
      return { kind: 'none' };
  }
}

/** What a fragment says of folder keys themselves, without its `#`: in hex, joined by dots. */
export const formatKeys = (keys: readonly Bytes[]): string => keys.map(formatKey).join('.');

/** The fragment that carries `secret`, with its `#`. */
export const secretFragment = (secret: Bytes): string => `#${SECRET_PREFIX}${encodeBase64Url(secret)}`;

/**
 * The address to share.
 * @param secret link secret S, or null for a folder without a key
 */
export function folderLink(origin: string, slug: string, secret: Bytes | null): string {
  return `${folderAddress(origin, slug)}${secret === null ? '' : secretFragment(secret)}`;
}

interface ShareLinkInput {
  /** Of this site. */
  readonly origin: string;
  readonly slug: string;
  readonly mode: LinkMode;
  /** Whether previews of the link show the folder's name. */
  readonly showsName: boolean;
  /** What follows the address in a link to hand on, with or without its `#`. */
  readonly fragment: string;
}

/** What can be handed on: the address, and the key that makes it a full link. */
export interface ShareLink {
  /** Without a key. */
  readonly page: string;
  /** What follows it, with its `#`; null when there is no key to hand on, or none is needed. */
  readonly key: string | null;
}

function keyOf({ mode, fragment }: ShareLinkInput): string | null {
  // Neither needs a key: a plain folder has none, and a Discord link's is with the server.
  if (mode === 'plain' || mode === 'discord') return null;
  const kind = fragmentKind(fragment);
  // The secret of a revoked link opens nothing any more; the folder key itself does.
  const isOfUse = kind === 'key' || (kind === 'secret' && mode === 'private');
  return isOfUse ? `#${fragmentText(fragment)}` : null;
}

/** The link to hand on, in its two parts. */
export const shareLink = (input: ShareLinkInput): ShareLink => ({
  page: sharedAddress(input.origin, input.slug, input.showsName),
  key: keyOf(input),
});
