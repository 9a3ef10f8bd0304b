import { isSlug } from '@satchel/contract/naming';
import { bringsGrant, fragmentKind, fragmentText, SECRET_PREFIX } from './link-parts.ts';

/** What a person pastes into a field, or drops onto a page, to open a folder: a whole link, or its key alone (docs/container.md §3). */
export type PastedLink =
  /** A folder of this site; `hash` is its fragment, without the `#`, and may be empty. */
  | { readonly kind: 'folder'; readonly slug: string; readonly hash: string }
  /** The part after the # sign alone, or folder keys in hex. */
  | { readonly kind: 'key'; readonly hash: string }
  /** A key that was cut short or changed on the way. */
  | { readonly kind: 'damaged' }
  /** An address of another site. */
  | { readonly kind: 'elsewhere'; readonly host: string }
  /** No link and no key. */
  | { readonly kind: 'other' };

const OTHER: PastedLink = { kind: 'other' };
const ADDRESS = /https?:\/\/[^\s<>"'“”„«»]+/i;
/** A sentence around an address ends with signs that no fragment and no slug ends with. */
const AFTER_ADDRESS = /[.,;:!?)\]}…]+$/;
/** As `/f/{slug}`, in its short form, and with its card. */
const FOLDER_PATH = /^\/(?:[fs]\/)?([^/]+)\/?$/;

function addressIn(text: string, origin: string): URL | null {
  const [found] = ADDRESS.exec(text) ?? [];
  const { host, protocol } = new URL(origin);
  const bare = text.trim();
  const address = found ?? (bare.startsWith(`${host}/`) ? `${protocol}//${bare}` : null);
  if (address === null) return null;
  try {
    return new URL(address.replace(AFTER_ADDRESS, ''));
  } catch {
    return null;
  }
}

function folderAt({ pathname, hash }: URL): PastedLink {
  const [, slug = ''] = FOLDER_PATH.exec(pathname) ?? [];
  if (!isSlug(slug)) return OTHER;
  const isDamaged = !bringsGrant(hash) && fragmentKind(hash) === 'bad';
  return isDamaged ? { kind: 'damaged' } : { kind: 'folder', slug, hash: fragmentText(hash) };
}

function keyIn(text: string): PastedLink {
  // Where a message breaks a long key into lines, each break is its own space.
  const key = fragmentText(text.replace(/\s+/g, ''));
  for (const hash of [key, `${SECRET_PREFIX}${key}`]) {
    const kind = fragmentKind(hash);
    if (kind === 'secret' || kind === 'key') return { kind: 'key', hash };
  }
  return fragmentKind(key) === 'bad' ? { kind: 'damaged' } : OTHER;
}

/**
 * Reads what was pasted or dropped: the address may stand in a sentence, or between the < > of a message.
 * @param origins of this site: the page's own, and the one that its links have
 */
export function readPastedLink(text: string, origins: readonly string[]): PastedLink {
  for (const origin of origins) {
    const address = addressIn(text, origin);
    if (address === null) continue;
    if (origins.includes(address.origin)) return folderAt(address);
    return { kind: 'elsewhere', host: address.host };
  }
  return keyIn(text);
}
