import { Suspense } from 'react';
import { TrustKept, TrustQuestion } from '../../../features/upload/trust-question.tsx';
import { UploadNotice } from '../../../features/upload/upload-notice.tsx';
import { UploadPanel } from '../../../features/upload/upload-panel.tsx';
import { useFolderActivity } from '../../../features/upload/use-folder-activity.ts';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import type { FolderPageParts, FolderPageProps } from '../use-folder-page.ts';

const ShareMoment = lazyPart(() => import('../../../features/share/share-moment.tsx'), 'ShareMoment', 'share');

/** Height of the empty zone: content below doesn't move when the zone loads. */
const ZonePlaceholder = () => <div className="h-70" />;
const MomentPlaceholder = () => <div className="h-50" />;

interface PartsProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** Notices and questions before any upload (CONTAINER §6). */
function ZoneNotices({ parts }: { parts: FolderPageParts }) {
  const { folderKey, folder, setSharing } = parts;
  const { trust, answer, error, reloading } = folderKey;
  const hasFiles = useFolderActivity(folder.folder_id, (activity) => (activity?.files ?? 0) > 0);
  const { sealing, keptAgainst } = trust;
  // While the keys load again (after this page created a new link, for example), no error is known.
  if (reloading) return null;
  if (sealing.kind === 'blocked') return <UploadNotice block={sealing.block} error={error} />;
  if (sealing.kind === 'asked') {
    const { question } = sealing;
    return <TrustQuestion question={question} hasFiles={hasFiles} onAnswer={(reply) => answer(question, reply)} />;
  }
  return keptAgainst && <TrustKept against={keptAgainst} onShare={() => setSharing(true)} />;
}

/** The upload zone, or why there is none (CONTAINER §3 "Who may seal"). */
export function UploadZone({ role, userId, lifetime, parts }: PartsProps) {
  const { folderKey, folder, takesFiles, link, copied, copyLink, setSharing } = parts;
  if (folderKey.loading) return <ZonePlaceholder />;
  // A passphrase prompt is open: its answer provides the missing key.
  if (folderKey.unlock) return null;
  const { readsAs, mode } = folderKey.trust;
  const sealing = readsAs === 'plain' ? 'plain' : mode === 'discord' ? 'shared' : 'sealed';
  return (
    <>
      <ZoneNotices parts={parts} />
      {takesFiles && (
        <UploadPanel
          folderId={folder.folder_id}
          sealing={sealing}
          userId={userId ?? ''}
          moment={
            <Suspense fallback={<MomentPlaceholder />}>
              <ShareMoment
                folder={folder}
                role={role}
                link={link}
                clockOffsetMs={lifetime.clockOffsetMs}
                copied={copied}
                onCopy={copyLink}
                onShare={() => setSharing(true)}
              />
            </Suspense>
          }
          placeholder={<ZonePlaceholder />}
        />
      )}
    </>
  );
}
