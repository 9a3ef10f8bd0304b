import { rememberReturnPath, slugOf } from './return-path.ts';

interface Place {
  readonly pathname: string;
  readonly searchStr: string;
  readonly hash: string;
}

const isSignIn = ({ pathname }: Place): boolean => pathname.startsWith('/auth');

/**
 * Remembers the page that a person leaves for the sign-in. A folder's fragment is kept apart (docs/container.md §3), and deleted
 * on the next page after the sign-in: the folder has taken it by then, or the sign-in was abandoned.
 */
export function rememberOnSignIn(from: Place, to: Place): void {
  if (isSignIn(from) && !isSignIn(to))
    void import('../../engine/keys/kept-fragment.ts').then(({ deleteFragments }) => deleteFragments());
  if (to.pathname !== '/auth' || isSignIn(from)) return;
  rememberReturnPath(`${from.pathname}${from.searchStr}`);
  const slug = slugOf(from.pathname);
  if (!slug || !from.hash) return;
  void import('../../engine/keys/kept-fragment.ts').then(({ keepFragment }) => keepFragment(slug, `#${from.hash}`));
}
