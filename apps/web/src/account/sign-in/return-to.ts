import { rememberReturnPath, slugOf } from '../lib/return-path.ts';

interface Place {
  readonly pathname: string;
  readonly searchStr: string;
  readonly hash: string;
}

const isSignIn = ({ pathname }: Place): boolean => pathname.startsWith('/auth');

/**
 * Remembers the page that somebody leaves for the sign-in; a folder's fragment goes by its own way (CONTAINER §3), and
 * no further: who leaves the sign-in for another page has taken it along, or given it up.
 */
export function rememberOnSignIn(from: Place, to: Place): void {
  if (isSignIn(from) && !isSignIn(to))
    void import('../lib/folder-link.ts').then(({ dropFragments }) => dropFragments());
  if (to.pathname !== '/auth' || isSignIn(from)) return;
  rememberReturnPath(`${from.pathname}${from.searchStr}`);
  const slug = slugOf(from.pathname);
  if (!slug || !from.hash) return;
  void import('../lib/folder-link.ts').then(({ keepFragment }) => keepFragment(slug, `#${from.hash}`));
}
