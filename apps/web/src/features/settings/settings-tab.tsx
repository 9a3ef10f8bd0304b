import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/base/button.tsx';
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
  /** Available changes of the link; null when there are none. */
  link: ReactNode;
  /** The confirmation is open. */
  asking: boolean;
  onAsk: (asking: boolean) => void;
  onSaved: () => void;
  /** Resolves to the error when it failed. */
  onDelete: () => Promise<string | null>;
}

const LinkSection = ({ children }: { children: ReactNode }) => (
  <section aria-labelledby="link-settings" className="card p-5 sm:p-6">
    <h2 id="link-settings" className="text-base font-semibold">
      <Trans>Link</Trans>
    </h2>
    <div className="mt-4 max-w-lg">{children}</div>
  </section>
);

const DangerZone = ({ onAsk }: { onAsk: () => void }) => (
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
          Deleting removes every file, the folder’s key and its link right away. Nobody can bring it back, including us.
        </Trans>
      </p>
      <Button tone="danger" onClick={onAsk}>
        <Trash2 size={16} aria-hidden />
        <Trans>Delete Folder</Trans>
      </Button>
    </div>
  </section>
);

function ForVisitors() {
  const { t } = useLingui();
  return (
    <PanelState
      pose="locked"
      title={t`Authentication Required`}
      action={
        <Button asChild tone="primary" size="lg">
          <Link to="/auth">
            <Trans>Sign In</Trans>
          </Link>
        </Button>
      }
    >
      <Trans>Please sign in to access folder settings.</Trans>
    </PanelState>
  );
}

function ForViewers() {
  const { t } = useLingui();
  return (
    <PanelState pose="locked" title={t`Settings Access Restricted`}>
      <Trans>Only the folder owner can access settings.</Trans>
    </PanelState>
  );
}

/** The Settings tab (§2). */
export function SettingsTab(props: SettingsTabProps) {
  const { folder, role, fileCount, isUploading, clockOffsetMs, link, asking, onAsk, onSaved, onDelete } = props;
  if (role === 'public') return <ForVisitors />;
  if (role === 'viewer') return <ForViewers />;
  return (
    <div className="grid gap-4">
      <GeneralSettings folder={folder} onSaved={onSaved} />
      <LifetimeSettings folder={folder} clockOffsetMs={clockOffsetMs} onSaved={onSaved} />
      <AccessSettings folder={folder} onSaved={onSaved} />
      {link !== null && <LinkSection>{link}</LinkSection>}
      <DangerZone onAsk={() => onAsk(true)} />
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
