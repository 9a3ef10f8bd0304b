import { Trans, useLingui } from '@lingui/react/macro';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { announce } from '../lib/base/announce.ts';
import { useOnline } from '../lib/base/page-hooks.ts';
import { Announcer, ForgetKeysHost, StorageNoticeHost, ToastHost, UploadDockHost } from './hosts.tsx';
import { TopBar } from './top-bar.tsx';

/** A route change moves focus to the page: the next Tab starts there, and screen readers read the new title. */
function useFocusOnRouteChange() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const first = shown.current === undefined;
    if (path === undefined || path === shown.current) return;
    shown.current = path;
    // A page whose field has taken the focus keeps it there.
    if (!first && !document.activeElement?.matches('main input')) main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

function useConnectionNews(online: boolean) {
  const { t } = useLingui();
  const before = useRef(online);
  useEffect(() => {
    if (online === before.current) return;
    before.current = online;
    announce(online ? t`Back online. Uploads continue.` : t`You are offline. Uploads are paused.`);
  }, [online, t]);
}

function OfflineBanner() {
  const { t } = useLingui();
  return (
    <aside aria-label={t`Connection`} className="sticky top-14 z-20 bg-warning-soft text-warning">
      <p className="wrap flex items-center justify-center gap-2 py-2 text-xs font-medium">
        <WifiOff size={15} aria-hidden />
        <Trans>You’re offline. Uploads are paused and will resume by themselves.</Trans>
      </p>
    </aside>
  );
}

export function Shell() {
  const online = useOnline();
  const main = useFocusOnRouteChange();
  useConnectionNews(online);
  const skip = (event: React.MouseEvent) => {
    // The address must keep its fragment: it may hold the folder's key (docs/container.md §3).
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link is a link, whose jump must not touch the fragment */}
      <a
        href="#main"
        onClick={skip}
        className="filled sr-only rounded-control bg-accent text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-4 focus:py-2"
      >
        <Trans>Skip to content</Trans>
      </a>
      <TopBar />
      <StorageNoticeHost />
      {!online && <OfflineBanner />}
      <main id="main" ref={main} tabIndex={-1} className="min-h-dvh focus-visible:outline-none">
        <Outlet />
      </main>
      <UploadDockHost />
      <Announcer />
      <ToastHost />
      <ForgetKeysHost />
    </>
  );
}
