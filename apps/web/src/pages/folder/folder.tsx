import { bringsGrant } from '@satchel/client/keys/link-parts';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useLocation, useParams } from '@tanstack/react-router';
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { openedCache } from '../../engine/files/opened-cache.ts';
import { expireSlug } from '../../engine/keys/key-store.ts';
import { ExpiryWatch } from '../../features/folder/countdown.tsx';
import { FolderError, FolderLoading } from '../../features/folder/folder-states.tsx';
import { useFolder } from '../../features/folder/use-folder.ts';
import { importWithTexts } from '../../lib/texts/import-with-texts.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { ActiveFolder } from './active-folder.tsx';

const FolderExpired = lazyPart(() => import('../../features/folder/folder-ends.tsx'), 'FolderExpired', 'later');
const FolderGone = lazyPart(() => import('../../features/folder/folder-ends.tsx'), 'FolderGone', 'later');
const FolderNotFound = lazyPart(() => import('../../features/folder/folder-ends.tsx'), 'FolderNotFound', 'later');
const TakenDown = lazyPart(() => import('../../features/folder/taken-down.tsx'), 'TakenDown', 'later');

const late = (part: ReactNode) => <Suspense fallback={<FolderLoading />}>{part}</Suspense>;

/** An ended folder: also deletes its keys on this device and its opened content (docs/container.md §3). */
function Over({ slug, children }: { slug: string; children: ReactNode }) {
  useEffect(() => {
    openedCache.clear();
    expireSlug(slug).catch(() => console.warn('The keys of an expired folder could not be deleted.'));
  }, [slug]);
  return late(children);
}

interface ExpiredProps {
  slug: string;
  expiresAt: string;
  /** The folder was on the page when it expired. */
  wasOpen: boolean;
}

const Expired = ({ slug, expiresAt, wasOpen }: ExpiredProps) => (
  <Over slug={slug}>
    <FolderExpired expiresAt={expiresAt} wasOpen={wasOpen} />
  </Over>
);

/** A page that comes back into sight, or online, hears within this time of what happened meanwhile. */
const BACK_MS = 10_000;

/** Tells whether this page has just been away, and doesn't know how long ago happened what it hears of. */
function useAway(): () => boolean {
  const backAtMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const mark = () => {
      backAtMs.current = performance.now();
    };
    document.addEventListener('visibilitychange', mark);
    addEventListener('online', mark);
    return () => {
      document.removeEventListener('visibilitychange', mark);
      removeEventListener('online', mark);
    };
  }, []);
  return useCallback(() => performance.now() - backAtMs.current < BACK_MS, []);
}

async function tellOfSentKey(): Promise<void> {
  if (!globalThis.satchelKeyWasSent) return;
  globalThis.satchelKeyWasSent = undefined;
  (await importWithTexts('later', () => import('../../features/folder/keys/sent-key.ts'))).tellOfSentKey();
}

function FolderAt({ slug }: { slug: string }) {
  const [view, refresh] = useFolder(slug);
  const [overAt, setOverAt] = useState<string | null>(null);
  useEffect(() => void tellOfSentKey(), []);
  const expiresAt = view.status === 'active' ? view.folder.folder_expires_at : null;
  const onExpired = useCallback(() => setOverAt(expiresAt), [expiresAt]);
  /** The folder as this page has shown it last. */
  const [shown, setShown] = useState<FolderCompleteData | null>(null);
  if (view.status === 'active' && view.folder !== shown) setShown(view.folder);
  const isAway = useAway();
  if (view.status === 'loading') return <FolderLoading />;
  if (view.status === 'error') return <FolderError onRetry={refresh} />;
  if (view.status === 'not_found') {
    return late(shown ? <FolderGone folder={shown} isAway={isAway} /> : <FolderNotFound slug={slug} />);
  }
  if (view.status === 'taken_down') {
    return (
      <Over slug={slug}>
        <TakenDown reason={view.reason} />
      </Over>
    );
  }
  if (view.status === 'expired') return <Expired slug={slug} expiresAt={view.expires_at} wasOpen={shown !== null} />;
  const { folder } = view;
  if (overAt === folder.folder_expires_at) return <Expired slug={slug} expiresAt={folder.folder_expires_at} wasOpen />;
  const lifetime = { createdAt: folder.folder_created_at, expiresAt: folder.folder_expires_at };
  return (
    <>
      <ExpiryWatch lifetime={lifetime} onExpired={onExpired} />
      <ActiveFolder key={folder.folder_id} {...view} lifetime={lifetime} onChanged={refresh} />
    </>
  );
}

const GrantDoor = lazyPart(() => import('../../features/folder/keys/grant-door.tsx'), 'GrantDoor', 'later');

/** /f/{slug}. A grant in the address is redeemed first. */
export function FolderPage() {
  const { slug } = useParams({ from: '/f/$slug' });
  const comes = useLocation({ select: ({ hash }) => bringsGrant(hash) });
  const [atDoor, setAtDoor] = useState(comes);
  if (comes && !atDoor) setAtDoor(true);
  if (!atDoor) return <FolderAt key={slug} slug={slug} />;
  return late(<GrantDoor slug={slug} onIn={() => setAtDoor(false)} />);
}
