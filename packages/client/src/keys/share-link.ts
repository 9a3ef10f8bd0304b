import type { LinkMode } from '@satchel/contract/entities';
import { folderAddress, fragmentKind, fragmentText } from './link-parts.ts';

interface ShareLinkInput {
  /** Of this site. */
  readonly origin: string;
  readonly slug: string;
  readonly mode: LinkMode;
  /** What follows the address in a link to hand on, with or without its `#`. */
  readonly fragment: string;
}

/** What can be handed on: the page's address, and the key that makes it a full link. */
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
  page: folderAddress(input.origin, input.slug),
  key: keyOf(input),
});
