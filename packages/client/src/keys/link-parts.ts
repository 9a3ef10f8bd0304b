/** What a folder's link is made of (docs/container.md §3), without what opens it: pages need this before they need a key. */

/** The address of a folder's page, without a key. */
export const folderAddress = (origin: string, slug: string): string => `${origin}/f/${encodeURIComponent(slug)}`;

/**
 * The address to hand on, without a key.
 * @param showsName whether previews of the link show the folder's name: its card has an address of its own, which leads to the page
 */
export const sharedAddress = (origin: string, slug: string, showsName: boolean): string =>
  showsName ? `${origin}/s/${encodeURIComponent(slug)}` : folderAddress(origin, slug);

/** Before the link secret. */
export const SECRET_PREFIX = 'k=';
/** 43 characters carry 258 bits: only one spelling of the last one is ours, the others are typing errors. */
const SECRET = /^k=[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
/** Fewer hex characters than this are taken for a place in the page, like `#faq`, not for a damaged key. */
const KEY_LIKE = /^[0-9a-f]{32,}(\.[0-9a-f]*)*$/i;
/** One folder key, or several of one folder, oldest first. */
const KEYS = /^[0-9a-f]{128}(\.[0-9a-f]{128}){0,15}$/i;

/** Decodes `=` and `&`, which mail filters percent-encode. Satchel's own fragments contain no `%`. */
const decoded = (hash: string): string => hash.replace(/^#/, '').trim().replace(/%3d/gi, '=').replace(/%26/g, '&');

/** Whether a fragment brings a grant: it is taken out of the address before anything else is read there. */
export const bringsGrant = (hash: string): boolean => /(^|&)grant=/.test(decoded(hash));

/** Matches a secret or keys, whole or cut short. Text after the match was added on the way, such as punctuation or tracking parameters. */
const LINK_PART = /^(?:k=[\w-]*|[0-9a-f]{32,}(?:\.[0-9a-f]+)*)(?![\w-])/i;

/**
 * Restores the fragment of a link as Satchel made it: removes what mail filters, chats and sentences added.
 * @param hash with or without its `#`
 */
export function fragmentText(hash: string): string {
  const text = decoded(hash);
  return (bringsGrant(text) ? null : LINK_PART.exec(text)?.[0]) ?? text;
}

/** Matches a folder's path that contains its key, because the `#` before the key was percent-encoded. */
const PATH_WITH_FRAGMENT = /^(\/(?:f\/)?[\w-]{16,64})\/?%(?:25)?23(.+)$/i;

/**
 * Finds a key in the path of a folder's address. The key is there if the `#` was percent-encoded; the server has received it then.
 * @returns the path and the fragment, without its `#`, as the link was made; null for any other path
 */
export function fragmentInPath(pathname: string): { readonly path: string; readonly fragment: string } | null {
  const [, path, fragment] = PATH_WITH_FRAGMENT.exec(pathname) ?? [];
  return path === undefined || fragment === undefined ? null : { path, fragment: fragmentText(fragment) };
}

/** What a fragment is by its looks: a link secret, folder keys in hex, a damaged one of either, or neither. */
export function fragmentKind(hash: string): 'secret' | 'key' | 'bad' | 'none' {
  const text = fragmentText(hash);
  if (text.startsWith(SECRET_PREFIX)) return SECRET.test(text) ? 'secret' : 'bad';
  if (!KEY_LIKE.test(text)) return 'none';
  return KEYS.test(text) ? 'key' : 'bad';
}

/** What the server is sent of a private link: the fields of `create_folder_with_temp_key` and `generate_temp_encryption_key`. */
export interface SealedLinkFields {
  readonly sealed_key: string;
  /** T, 32 bytes, base64url. */
  readonly key_share: string;
  readonly passphrase?: true;
  readonly proof_hash?: string;
}
