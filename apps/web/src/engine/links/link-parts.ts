/** What a folder's link is made of (CONTAINER §3), without what opens it: pages need this before they need a key. */

/** The address of a folder's page, without a key. */
export const folderAddress = (origin: string, slug: string): string => `${origin}/f/${encodeURIComponent(slug)}`;

/** Before the link secret. */
export const SECRET_PREFIX = 'k=';
/** 43 characters carry 258 bits: only one spelling of the last one is ours, the others are typing errors. */
const SECRET = /^k=[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
/** Fewer hex characters than this are taken for a place in the page, like `#faq`, not for a damaged key. */
const KEY_LIKE = /^[0-9a-f]{32,}(\.[0-9a-f]*)*$/i;
/** One folder key, or several of one folder, oldest first. */
const KEYS = /^[0-9a-f]{128}(\.[0-9a-f]{128}){0,15}$/i;

/** Whether a fragment brings a grant (DESIGN R16): it is taken out of the address before anything else is read there. */
export const bringsGrant = (hash: string): boolean => /(^|[#&])grant=/.test(hash);

/** The text of a fragment, with or without its `#`. */
export const fragmentText = (hash: string): string => hash.replace(/^#/, '').trim();

/** What a fragment is by its looks: a link secret, folder keys in hex, a damaged one of either, or neither. */
export function fragmentKind(hash: string): 'secret' | 'key' | 'bad' | 'none' {
  const text = fragmentText(hash);
  if (text.startsWith(SECRET_PREFIX)) return SECRET.test(text) ? 'secret' : 'bad';
  if (!KEY_LIKE.test(text)) return 'none';
  return KEYS.test(text) ? 'key' : 'bad';
}
