import { folderLink } from '../../lib/folder-link.ts';

interface ShareLinkInput {
  /** Of this site. */
  readonly origin: string;
  readonly slug: string;
  /** Link secret S, when this device has it. */
  readonly secret: Uint8Array<ArrayBuffer> | null;
  /** The fragment that the visitor came with, without its `#`. */
  readonly hash: string;
}

/** The link to hand on: the proven secret where there is one, else the fragment of one's own link as it is. */
export function shareLink({ origin, slug, secret, hash }: ShareLinkInput): string {
  const link = folderLink(origin, slug, secret);
  return secret === null && hash !== '' ? `${link}#${hash}` : link;
}
