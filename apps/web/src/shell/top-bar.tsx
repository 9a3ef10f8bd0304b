import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { useSession } from '../account/session/session.ts';
import { displayUser } from '../account/session/session-state.ts';
import { leave } from '../account/sign-out/sign-out.ts';
import { Avatar } from '../ui/base/avatar.tsx';
import { Button, Dots, IconButton, LinkButton } from '../ui/base/button.tsx';
import { Wordmark } from '../ui/base/mark.tsx';
import { DisplayOptions } from './display-options.tsx';

function Account() {
  const { t } = useLingui();
  const session = useSession();
  if (session.state === 'loading') return <Dots label={t`Loading account`} />;
  if (session.state === 'out') {
    return (
      <LinkButton to="/auth" tone="quiet">
        <Trans>Sign In</Trans>
      </LinkButton>
    );
  }
  const name = displayUser(session.user);
  const signOut = () => void leave();
  return (
    <>
      <LinkButton to="/profile" tone="ghost" className="min-w-10 max-w-40 px-2 text-ink">
        <Avatar name={name} url={session.user.user_metadata.avatar_url} sizePx={24} />
        <span className="truncate">{name}</span>
      </LinkButton>
      <Button tone="ghost" onClick={signOut} className="-mr-3.5 max-sm:hidden">
        <Trans>Sign Out</Trans>
      </Button>
      <IconButton label={t`Sign Out`} onClick={signOut} className="-mr-2 sm:hidden">
        <LogOut size={18} strokeWidth={1.75} aria-hidden />
      </IconButton>
    </>
  );
}

/** The bar of every page (§2). */
export function TopBar() {
  const { t } = useLingui();
  return (
    <header className="sticky top-0 z-30 border-b border-line/60 bg-canvas">
      <div className="wrap flex h-14 items-center gap-2">
        <Link to="/" aria-label="Satchel" className="flex min-h-10 items-center rounded-control pr-2">
          <Wordmark />
        </Link>
        <nav aria-label={t`Account`} className="ml-auto flex min-w-0 items-center gap-1 sm:gap-2">
          <DisplayOptions />
          <Account />
        </nav>
      </div>
    </header>
  );
}
