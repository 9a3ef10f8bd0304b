import { lazy, Suspense } from 'react';
import { importWithTexts } from '../lib/import-with-texts.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const LinkControls = lazy(async () => ({ default: (await import('./link-controls.tsx')).LinkControls }));
const ShareSheet = lazy(async () => {
  const { ShareSheet } = await importWithTexts('share', () => import('../features/share/share-sheet.tsx'));
  return { default: ShareSheet };
});

interface SharePanelProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** Share, once it was asked for. */
export function SharePanel(props: SharePanelProps) {
  const { folder, role, lifetime, parts } = props;
  const { link, copied, sharing, setSharing, address, folderKey } = parts;
  // By its address Share opens for the owner, once it is known whether this device has the key.
  const isAsked = address.search.share === true && role === 'owner' && !folderKey.loading;
  if (!sharing && !isAsked) return null;
  const onOpenChange = (open: boolean) => {
    setSharing(open);
    if (isAsked && !open) address.change({ share: undefined });
  };
  const hasControls = role === 'owner' && folder.folder_link_mode !== 'plain';
  return (
    <Suspense>
      <ShareSheet
        folder={folder}
        role={role}
        link={link}
        clockOffsetMs={lifetime.clockOffsetMs}
        copied={copied}
        open
        onOpenChange={onOpenChange}
        focusCopy={isAsked}
      >
        {hasControls && <LinkControls {...props} />}
      </ShareSheet>
    </Suspense>
  );
}
