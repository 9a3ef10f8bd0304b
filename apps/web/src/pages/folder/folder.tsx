import { useLocation, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { ExpiryWatch } from '../features/folder/countdown.tsx';
import { FolderError, FolderLoading } from '../features/folder/folder-states.tsx';
import { useFolder } from '../features/folder/use-folder.ts';
import { importWithTexts } from '../lib/import-with-texts.ts';
import { bringsGrant } from '../lib/link-parts.ts';
import { openedCache } from '../lib/opened-cache.ts';
import { importPatiently } from '../lib/patient-import.ts';
import { ActiveFolder } from './active-folder.tsx';

async function forgetKeys(slug: string): Promise<void> {
  const { forgetSlug } = await import('../lib/key-store.ts');
  await forgetSlug(slug);
}

const FolderExpired = lazy(async () => {
  const { FolderExpired } = await importPatiently(() => import('../features/folder/folder-ends.tsx'));
  return { default: FolderExpired };
});
const FolderNotFound = lazy(async () => {
  const { FolderNotFound } = await importPatiently(() => import('../features/folder/folder-ends.tsx'));
  return { default: FolderNotFound };
});
const TakenDown = lazy(async () => {
  const { TakenDown } = await importWithTexts('later', () => import('../features/folder/taken-down.tsx'));
  return { default: TakenDown };
});

/** A folder that is over; its keys on this device and what was opened with them go, too (CONTAINER §3). */
function Over({ slug, children }: { slug: string; children: ReactNode }) {
  useEffect(() => {
    openedCache.clear();
    forgetKeys(slug).catch(() => console.warn('The keys of a folder that is over could not be erased.'));
  }, [slug]);
  return <Suspense fallback={<FolderLoading />}>{children}</Suspense>;
}

const Expired = ({ slug, expiresAt }: { slug: string; expiresAt: string }) => (
  <Over slug={slug}>
    <FolderExpired expiresAt={expiresAt} />
  </Over>
);

function FolderAt({ slug }: { slug: string }) {
  const [view, refresh] = useFolder(slug);
  const [overAt, setOverAt] = useState<string | null>(null);
  const expiresAt = view.status === 'active' ? view.folder.folder_expires_at : null;
  const onExpired = useCallback(() => setOverAt(expiresAt), [expiresAt]);
  if (view.status === 'loading') return <FolderLoading />;
  if (view.status === 'error') return <FolderError onRetry={refresh} />;
  if (view.status === 'not_found') {
    return (
      <Suspense fallback={<FolderLoading />}>
        <FolderNotFound slug={slug} />
      </Suspense>
    );
  }
  if (view.status === 'taken_down') {
    return (
      <Over slug={slug}>
        <TakenDown reason={view.reason} />
      </Over>
    );
  }
  if (view.status === 'expired') return <Expired slug={slug} expiresAt={view.expires_at} />;
  const { folder, clockOffsetMs } = view;
  if (overAt === folder.folder_expires_at) return <Expired slug={slug} expiresAt={folder.folder_expires_at} />;
  const lifetime = { createdAt: folder.folder_created_at, expiresAt: folder.folder_expires_at, clockOffsetMs };
  return (
    <>
      <ExpiryWatch lifetime={lifetime} onExpired={onExpired} />
      <ActiveFolder key={folder.folder_id} {...view} lifetime={lifetime} onChanged={refresh} />
    </>
  );
}

const GrantDoor = lazy(async () => {
  const { GrantDoor } = await importWithTexts('later', () => import('../features/folder/grant-door.tsx'));
  return { default: GrantDoor };
});

/** /f/{slug} (§2). Who brings a grant comes in by it first. */
export function FolderPage() {
  const { slug } = useParams({ from: '/f/$slug' });
  const comes = useLocation({ select: ({ hash }) => bringsGrant(hash) });
  const [atDoor, setAtDoor] = useState(comes);
  if (comes && !atDoor) setAtDoor(true);
  if (!atDoor) return <FolderAt key={slug} slug={slug} />;
  return (
    <Suspense fallback={<FolderLoading />}>
      <GrantDoor slug={slug} onIn={() => setAtDoor(false)} />
    </Suspense>
  );
}
