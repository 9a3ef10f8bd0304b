import { Trans, useLingui } from '@lingui/react/macro';
import type { Role } from '@satchel/contract/roles';
import { Suspense, useState } from 'react';
import { isLimitedHere } from '../../engine/files/saving/saving-way.ts';
import { FilesTab } from '../../features/files/files-tab.tsx';
import { useFolderActivity } from '../../features/upload/use-folder-activity.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { LinkButton } from '../../ui/base/button.tsx';
import { Mark } from '../../ui/base/mark.tsx';
import { StitchFrame } from '../../ui/base/stitch.tsx';
import { PanelState } from '../../ui/states/states.tsx';
import { FolderKey, sealedOf } from './folder-key.tsx';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const UploadZone = lazyPart(() => import('./panels/upload-zone.tsx'), 'UploadZone', 'upload');
const SavingLimits = lazyPart(() => import('../../features/files/saving/saving-limits.tsx'), 'SavingLimits', 'later');

/** Height of the empty zone: content below doesn't move when the zone loads. */
const ZonePlaceholder = () => <div className="h-70" />;

/** Shown to signed-out visitors instead of the upload zone. */
function SignUpPrompt() {
  const { t } = useLingui();
  return (
    <section
      aria-label={t`Create your own folders`}
      className="relative flex flex-wrap items-center gap-5 rounded-card bg-accent-soft p-6"
    >
      <StitchFrame tone="stitch" insetPx={6} radiusPx={10} />
      <Mark sizePx={64} />
      <div className="min-w-52 flex-1">
        <h2 className="display text-lg">
          <Trans>Sign up to create your own folders</Trans>
        </h2>
        <p className="mt-0.5 text-sm text-muted">
          <Trans>Upload files, share folders, and manage your content</Trans>
        </p>
      </div>
      <LinkButton to="/auth" tone="outline" size="lg">
        <Trans>Get Started Free</Trans>
      </LinkButton>
    </section>
  );
}

interface EmptyProps {
  role: Role;
  /** Shown below an upload zone, which is the primary action already. */
  beside: boolean;
}

function Empty({ role, beside }: EmptyProps) {
  const { t } = useLingui();
  const isOwner = role === 'owner';
  const title = isOwner ? t`No files yet` : t`No files shared yet`;
  const text = isOwner ? t`Upload your first file to get started` : t`Check back later for shared files`;
  if (!beside) {
    return (
      <PanelState pose={isOwner ? 'closed' : 'empty'} title={title}>
        {text}
      </PanelState>
    );
  }
  return (
    <div className="text-center">
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="mt-0.5 text-sm text-muted">{text}</p>
    </div>
  );
}

interface FolderTabProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** The Folder tab: upload zone and files. */
export function FolderTab(props: FolderTabProps) {
  const { role, parts } = props;
  const { files, folder, zone, address } = parts;
  const hasUploads = useFolderActivity(folder.folder_id, (activity) => (activity?.files ?? 0) > 0);
  const [showsSealed, setShowsSealed] = useState(false);
  const isSealed = sealedOf(files.files).length > 0;
  const { sealing } = parts.folderKey.trust;
  // A question that blocks the queue shows next to the queue.
  const isAsked =
    hasUploads && (sealing.kind === 'asked' || (sealing.kind === 'blocked' && sealing.block === 'new_link'));
  return (
    <div className="grid grid-cols-1 gap-6">
      {(zone.open || isAsked) && (
        <Suspense fallback={<ZonePlaceholder />}>
          <UploadZone {...props} />
        </Suspense>
      )}
      <FolderKey {...props} showsSealed={showsSealed} onShowSealed={setShowsSealed} />
      {isLimitedHere(files.files, files.saving) && (
        <Suspense fallback={null}>
          <SavingLimits saving={files.saving} copied={parts.copied} onCopy={parts.copyLink} />
        </Suspense>
      )}
      {(!isSealed || showsSealed) && (
        <FilesTab
          files={files.files}
          view={files.view}
          loading={files.loading}
          error={files.error}
          onReload={parts.reload}
          empty={hasUploads && zone.open ? null : <Empty role={role} beside={zone.open} />}
          onView={address.showFile}
          onDownload={files.download}
          onRetry={files.retry}
          onInView={files.inView}
          onDownloadZip={files.downloadZip}
          zipLimitBytes={files.saving.zipLimitBytes}
          savesAllAbove={role !== 'owner'}
          onRemove={role === 'owner' ? files.remove : null}
          onRename={role === 'owner' ? files.rename : null}
        />
      )}
      {/* Below the files, so that the files don't move when it appears. */}
      {role === 'public' && !files.loading && <SignUpPrompt />}
    </div>
  );
}
