import { TrustKept, TrustQuestion } from '../features/upload/trust-question.tsx';
import { UploadNotice } from '../features/upload/upload-notice.tsx';
import { UploadPanel } from '../features/upload/upload-panel.tsx';
import { useStore } from '../lib/external-store.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

/** As high as the empty zone: nothing below it moves when it comes. */
const ZonePlaceholder = () => <div className="h-70" />;

interface PartsProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** What has to be said or asked before anything is uploaded (CONTAINER §6). */
function ZoneNotices({ parts }: { parts: FolderPageParts }) {
  const { folderKey, desk, setSharing } = parts;
  const { trust, answer, error, reloading } = folderKey;
  const hasFiles = useStore(desk.hasItems);
  const isAwaited = useStore(desk.isAwaited);
  const { sealing, keptAgainst } = trust;
  // While the keys are looked at again, after a new link of this very page for one, nothing is known to be wrong.
  if (reloading) return null;
  if (sealing.kind === 'blocked') return <UploadNotice block={sealing.block} error={error} />;
  if (sealing.kind === 'asked') {
    const { question } = sealing;
    return (
      <TrustQuestion
        question={question}
        hasFiles={hasFiles || isAwaited}
        onAnswer={(reply) => answer(question, reply)}
      />
    );
  }
  return keptAgainst && <TrustKept against={keptAgainst} onShare={() => setSharing(true)} />;
}

/** The upload zone, or why there is none (CONTAINER §3 "Who may seal"). */
export function UploadZone({ userId, parts }: PartsProps) {
  const { folderKey, desk, takesFiles } = parts;
  if (folderKey.loading) return <ZonePlaceholder />;
  // A passphrase that is asked for brings the key that is missing.
  if (folderKey.unlock) return null;
  const { readsAs, mode } = folderKey.trust;
  const sealing = readsAs === 'plain' ? 'plain' : mode === 'discord' ? 'shared' : 'sealed';
  return (
    <>
      <ZoneNotices parts={parts} />
      {takesFiles && (
        <UploadPanel desk={desk} sealing={sealing} userId={userId ?? ''} placeholder={<ZonePlaceholder />} />
      )}
    </>
  );
}
