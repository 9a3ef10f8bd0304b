import { rememberReturnPath, slugOf } from '../lib/return-path.ts';

interface Place {
  readonly pathname: string;
  readonly searchStr: string;
  readonly hash: string;
}

/** Remembers the page that somebody leaves for the sign-in; a folder's fragment goes by its own way (CONTAINER §3). */
export function rememberOnSignIn(from: Place | undefined, to: Place): void {
  if (to.pathname !== '/auth' || !from || from.pathname.startsWith('/auth')) return;
  rememberReturnPath(`${from.pathname}${from.searchStr}`);
  const slug = slugOf(from.pathname);
  if (!slug || !from.hash) return;
  void import('../lib/folder-link.ts').then(({ keepFragment }) => keepFragment(slug, `#${from.hash}`));
}
