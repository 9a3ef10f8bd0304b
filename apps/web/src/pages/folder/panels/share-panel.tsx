import { Suspense } from 'react';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import type { FolderPageParts, FolderPageProps } from '../use-folder-page.ts';

const LinkControls = lazyPart(() => import('./link-controls.tsx'), 'LinkControls');
const StillRow = lazyPart(() => import('../../../features/files/still-row.tsx'), 'StillRow', 'share');
const ShareSheet = lazyPart(() => import('../../../features/share/share-sheet.tsx'), 'ShareSheet', 'share');

interface SharePanelProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** Share; loads on first use. */
export function SharePanel(props: SharePanelProps) {
  const { folder, role, parts } = props;
  const { link, copied, sharing, setSharing, onShown, address, folderKey } = parts;
  // With its address, Share opens for the owner once this device's keys are loaded.
  const isAsked = address.search.share !== undefined && role === 'owner' && !folderKey.loading;
  if (!sharing && !isAsked) return null;
  const onClose = () => {
    setSharing(false);
    if (isAsked) address.change({ share: undefined });
  };
  return (
    <Suspense>
      <ShareSheet
        folder={folder}
        name={parts.files.title}
        role={role}
        link={link}
        copied={copied}
        onShown={onShown}
        onClose={onClose}
        focusCopy={isAsked}
        preview={<StillRow files={parts.files.view?.shown ?? []} />}
      >
        {role === 'owner' && <LinkControls {...props} />}
      </ShareSheet>
    </Suspense>
  );
}
