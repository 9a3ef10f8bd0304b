import { Trans, useLingui } from '@lingui/react/macro';
import { Download, UserX } from 'lucide-react';
import { Suspense, useState } from 'react';
import { exportOwnData } from '../../account/own-data/own-account.ts';
import { notify } from '../../lib/base/toast.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Button } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { DangerZone } from '../../ui/sections/danger-zone.tsx';
import { useAct } from '../../ui/sections/use-act.ts';

const EraseDialog = lazyPart(() => import('./delete-account-dialog.tsx'), 'EraseDialog', 'account');

function useExport() {
  const { t } = useLingui();
  const { busy, run } = useAct((say) =>
    notify(() => {
      const reason = say();
      return t`Your data could not be exported: ${reason}`;
    }, 'error'),
  );
  const save = async () => {
    const [file, { saveBlob }] = await Promise.all([exportOwnData(), import('../../lib/browser/save-link.ts')]);
    saveBlob(file, file.name);
  };
  return { busy, save: () => void run(save) };
}

function ExportCard() {
  const { busy, save } = useExport();
  return (
    <Card title={<Trans>Your data</Trans>}>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-md text-sm text-muted">
          <Trans>
            One JSON file with everything our server stores about you: profile, sessions, folders, records of files and
            uploads, and the folders you visited. It contains neither keys nor the files themselves.
          </Trans>
        </p>
        <Button busy={busy} aria-disabled={busy} onClick={save}>
          <Download size={16} aria-hidden />
          {busy ? <Trans>Collecting...</Trans> : <Trans>Export my data</Trans>}
        </Button>
      </div>
    </Card>
  );
}

interface OwnDataProps {
  /** Number of folders that would be deleted. */
  folderCount: number;
  /** Everything was deleted on the server. */
  onErased: (isDeviceClean: boolean) => void;
}

/** Export and deletion of the person's own data. */
export function OwnData({ folderCount, onErased }: OwnDataProps) {
  const [asking, setAsking] = useState(false);
  return (
    <div className="grid gap-4">
      <ExportCard />
      <DangerZone Icon={UserX} act={<Trans>Erase my data</Trans>} onAct={() => setAsking(true)}>
        <Trans>
          Erasing removes your profile, every folder with its files, keys and links, and all traces of your visits,
          right away. They can’t be brought back, not even by us.
        </Trans>
      </DangerZone>
      {asking && (
        <Suspense>
          <EraseDialog folderCount={folderCount} onClose={() => setAsking(false)} onErased={onErased} />
        </Suspense>
      )}
    </div>
  );
}
