import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { LogOut, Moon, Sun } from 'lucide-react';
import { Suspense, type ToggleEvent, useId, useState } from 'react';
import { useSession } from '../account/session/session.ts';
import { displayUser } from '../account/session/session-state.ts';
import { leave } from '../account/sign-out/sign-out.ts';
import { useTheme } from '../lib/base/theme.ts';
import { useLanguage } from '../lib/texts/language.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { Avatar } from '../ui/base/avatar.tsx';
import { Button, Dots, IconButton, LinkButton } from '../ui/base/button.tsx';
import { Wordmark } from '../ui/base/mark.tsx';

const DisplayPanel = lazyPart(() => import('../ui/display-panel.tsx'), 'DisplayPanel', 'common');

/** Theme and language, on every page. The browser's own popover: Escape and a click outside close it. */
function DisplayOptions() {
  const { t } = useLingui();
  const id = useId();
  const language = useLanguage();
  const [wanted, setWanted] = useState(false);
  const Icon = useTheme() === 'dark' ? Moon : Sun;
  const want = () => setWanted(true);
  return (
    <>
      <Button
        tone="ghost"
        popoverTarget={id}
        title={t`Theme and language`}
        onPointerEnter={want}
        onFocus={want}
        className="gap-1.5 px-2.5 text-xs"
      >
        <Icon size={18} strokeWidth={1.75} aria-hidden />
        <span className="uppercase">{language}</span>
        <span className="sr-only">{t`Theme and language`}</span>
      </Button>
      <div
        id={id}
        popover="auto"
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => event.newState === 'open' && want()}
        className="anchored panel min-h-82 w-52 max-sm:min-h-89 pointer-coarse:min-h-89 rounded-card bg-surface px-2 py-3 text-ink shadow-pop"
      >
        {wanted && (
          <Suspense>
            <DisplayPanel />
          </Suspense>
        )}
      </div>
    </>
  );
}

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

/** The bar of every page. */
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
