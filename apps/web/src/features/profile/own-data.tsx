import { Trans, useLingui } from '@lingui/react/macro';
import { toAppError } from '@satchel/contract/errors';
import { Download, UserX } from 'lucide-react';
import { Suspense, useState } from 'react';
import { exportOwnData } from '../../account/own-data/own-account.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Button } from '../../ui/base/button.tsx';

const EraseDialog = lazyPart(() => import('./delete-account-dialog.tsx'), 'EraseDialog', 'account');

function useExport() {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const [file, { saveBlob }] = await Promise.all([exportOwnData(), import('../../lib/browser/save-link.ts')]);
      saveBlob(file, file.name);
    } catch (error) {
      const reason = errorText(toAppError(error));
      notify(t`Your data could not be exported: ${reason}`, 'error');
    }
    setBusy(false);
  };
  return { busy, save: () => void save() };
}

function ExportCard() {
  const { busy, save } = useExport();
  return (
    <section aria-labelledby="your-data" className="card p-5 sm:p-6">
      <h2 id="your-data" className="text-base font-semibold">
        <Trans>Your data</Trans>
      </h2>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-md text-sm text-muted">
          <Trans>
            One JSON file with all that our server keeps about you: profile, sessions, folders, entries of files and
            uploads, and the folders you visited. It holds no keys, and not the files themselves.
          </Trans>
        </p>
        <Button busy={busy} aria-disabled={busy} onClick={save}>
          <Download size={16} aria-hidden />
          {busy ? <Trans>Collecting...</Trans> : <Trans>Export my data</Trans>}
        </Button>
      </div>
    </section>
  );
}

function DangerZone({ onAsk }: { onAsk: () => void }) {
  return (
    <section
      aria-labelledby="danger-zone"
      className="rounded-card bg-surface p-5 shadow-[0_0_0_1px_color-mix(in_oklch,var(--danger)_45%,transparent)] sm:p-6"
    >
      <h2 id="danger-zone" className="text-base font-semibold text-danger">
        <Trans>Danger Zone</Trans>
      </h2>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-md text-sm text-muted">
          <Trans>
            Erasing removes your profile, every folder with its files, keys and links, and all traces of your visits,
            right away. Nobody can bring them back, including us.
          </Trans>
        </p>
        <Button tone="danger" onClick={onAsk}>
          <UserX size={16} aria-hidden />
          <Trans>Erase my data</Trans>
        </Button>
      </div>
    </section>
  );
}

interface OwnDataProps {
  /** Number of folders that would be deleted. */
  folderCount: number;
  /** Everything was deleted on the server. */
  onErased: (isDeviceClean: boolean) => void;
}

/** Export and deletion of the person's own data (DESIGN §5 "Own data"). */
export function OwnData({ folderCount, onErased }: OwnDataProps) {
  const [asking, setAsking] = useState(false);
  return (
    <div className="grid gap-4">
      <ExportCard />
      <DangerZone onAsk={() => setAsking(true)} />
      {asking && (
        <Suspense>
          <EraseDialog folderCount={folderCount} onClose={() => setAsking(false)} onErased={onErased} />
        </Suspense>
      )}
    </div>
  );
}
