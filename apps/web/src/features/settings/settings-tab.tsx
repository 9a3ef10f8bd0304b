import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { DangerZone } from '../../ui/sections/danger-zone.tsx';
import { PanelState } from '../../ui/states/states.tsx';
import { AccessSettings } from './access-settings.tsx';
import { DeleteFolderDialog } from './delete-folder-dialog.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { LifetimeSettings } from './lifetime-settings.tsx';

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

/** The Settings tab (§2). */
export function SettingsTab(props: SettingsTabProps) {
  const { folder, role, fileCount, isUploading, clockOffsetMs, link, asking, onAsk, onSaved, onDelete } = props;
  const { t } = useLingui();
  if (role === 'public') {
    const signIn = (
      <LinkButton to="/auth" tone="primary" size="lg">
        <Trans>Sign In</Trans>
      </LinkButton>
    );
    return (
      <PanelState pose="locked" title={t`Authentication Required`} action={signIn}>
        <Trans>Please sign in to access folder settings.</Trans>
      </PanelState>
    );
  }
  if (role === 'viewer') {
    return (
      <PanelState pose="locked" title={t`Settings Access Restricted`}>
        <Trans>Only the folder owner can access settings.</Trans>
      </PanelState>
    );
  }
  return (
    <div className="grid gap-4">
      <GeneralSettings folder={folder} onSaved={onSaved} />
      <LifetimeSettings folder={folder} clockOffsetMs={clockOffsetMs} onSaved={onSaved} />
      <AccessSettings folder={folder} onSaved={onSaved} />
      <Card title={<Trans>Link</Trans>}>
        <div className="mt-4 max-w-lg">{link}</div>
      </Card>
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
