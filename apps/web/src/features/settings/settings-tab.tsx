import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Trash2 } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Dots, LinkButton } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { DangerZone } from '../../ui/sections/danger-zone.tsx';
import { PanelNote } from '../../ui/states/panel-note.tsx';
import { AccessSettings } from './access-settings.tsx';
import { DeleteFolderDialog } from './delete-folder-dialog.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { LifetimeSettings } from './lifetime-settings.tsx';

const DisplayPanel = lazyPart(() => import('../../ui/display-panel.tsx'), 'DisplayPanel', 'common');

interface SettingsTabProps {
  folder: FolderCompleteData;
  role: Role;
  fileCount: number;
  /** This tab is uploading to the folder. */
  isUploading: boolean;
  /** The database's clock minus this device's, in milliseconds. */
  clockOffsetMs: number;
  /** Who opens the folder, and the changes of its link. */
  link: ReactNode;
  /** The confirmation is open. */
  asking: boolean;
  onAsk: (asking: boolean) => void;
  onSaved: () => void;
  /** @throws AppError the folder is still there */
  onDelete: () => Promise<void>;
}

/** The folder's settings are its owner's; those of this device are everyone's. */
function VisitorSettings({ isSignedIn }: { isSignedIn: boolean }) {
  const { t } = useLingui();
  return (
    <div className="grid grid-cols-1 gap-4">
      {isSignedIn ? (
        <PanelNote
          pose="locked"
          title={t`Settings Access Restricted`}
          action={
            <LinkButton to="/upload" size="lg">
              <Trans>Make a folder of your own</Trans>
            </LinkButton>
          }
        >
          <Trans>Only the folder owner can access settings.</Trans>
        </PanelNote>
      ) : (
        <PanelNote
          pose="locked"
          title={t`Authentication Required`}
          action={
            <LinkButton to="/auth" size="lg">
              <Trans>Sign In</Trans>
            </LinkButton>
          }
        >
          <Trans>Please sign in to access folder settings.</Trans>
        </PanelNote>
      )}
      <Card title={<Trans>On this device</Trans>}>
        <div className="-mx-2.5 mt-3">
          <Suspense fallback={<Dots />}>
            <DisplayPanel isWide />
          </Suspense>
        </div>
      </Card>
    </div>
  );
}

/** The Settings tab (§2). */
export function SettingsTab(props: SettingsTabProps) {
  const { folder, role, fileCount, isUploading, clockOffsetMs, link, asking, onAsk, onSaved, onDelete } = props;
  if (role !== 'owner') return <VisitorSettings isSignedIn={role === 'viewer'} />;
  return (
    <div className="grid gap-4">
      <GeneralSettings folder={folder} onSaved={onSaved} />
      <LifetimeSettings folder={folder} clockOffsetMs={clockOffsetMs} onSaved={onSaved} />
      <Card title={<Trans>Link</Trans>}>
        <div className="mt-4 max-w-lg">{link}</div>
      </Card>
      <AccessSettings folder={folder} onSaved={onSaved} />
      <DangerZone Icon={Trash2} act={<Trans>Delete Folder</Trans>} onAct={() => onAsk(true)}>
        <Trans>
          Deleting removes every file, the folder’s key and its link right away. It can’t be brought back, not even by
          us.
        </Trans>
      </DangerZone>
      {asking && (
        <DeleteFolderDialog
          slug={folder.folder_slug}
          fileCount={fileCount}
          isUploading={isUploading}
          onClose={() => onAsk(false)}
          onDelete={onDelete}
        />
      )}
    </div>
  );
}
