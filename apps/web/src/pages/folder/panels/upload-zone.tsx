import { useEffect } from 'react';
import { TrustKept, TrustQuestion } from '../../../features/upload/trust-question.tsx';
import { UploadNotice } from '../../../features/upload/upload-notice.tsx';
import { UploadPanel } from '../../../features/upload/upload-panel.tsx';
import { useFolderActivity } from '../../../features/upload/use-folder-activity.ts';
import { createStore } from '../../../lib/base/external-store.ts';
import { useStore } from '../../../lib/base/page-hooks.ts';
import { importWithTexts } from '../../../lib/texts/import-with-texts.ts';
import type { FolderPageParts, FolderPageProps } from '../use-folder-page.ts';

type Moment = typeof import('../../../features/share/share-moment.tsx');
const moment = createStore<Moment | null>(null);

/**
 * What follows an upload, null until its code is here. It loads beside the first files: Tab, pressed once they are in,
 * leads to Copy link, and not past a place that is still empty.
 */
function useMoment(isNeeded: boolean): Moment | null {
  useEffect(() => {
    if (isNeeded)
      void importWithTexts('share', () => import('../../../features/share/share-moment.tsx')).then(moment.set);
  }, [isNeeded]);
  return useStore(moment);
}

/** Height of the empty zone: content below doesn't move when the zone loads. */
const ZonePlaceholder = () => <div className="h-70" />;
const MomentPlaceholder = () => <div className="h-50" />;

interface PartsProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** Notices and questions before any upload (docs/container.md §6). */
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

/** The upload zone, or why there is none (docs/container.md §3). */
export function UploadZone({ role, userId, parts }: PartsProps) {
  const { folderKey, folder, takesFiles, link, copied, copyLink, setSharing } = parts;
  const hasFiles = useFolderActivity(folder.folder_id, (activity) => (activity?.files ?? 0) > 0);
  const hasFailed = useFolderActivity(folder.folder_id, (activity) => (activity?.failed ?? 0) > 0);
  const Moment = useMoment(hasFiles)?.ShareMoment;
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
            Moment ? (
              <Moment
                folder={folder}
                name={parts.files.title}
                role={role}
                isSecond={hasFailed}
                link={link}
                copied={copied}
                onCopy={copyLink}
                onShare={() => setSharing(true)}
              />
            ) : (
              <MomentPlaceholder />
            )
          }
          placeholder={<ZonePlaceholder />}
        />
      )}
    </>
  );
}
