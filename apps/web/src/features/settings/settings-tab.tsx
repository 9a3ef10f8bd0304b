import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { PanelState } from '../../ui/states.tsx';
import { DeleteFolderDialog } from './delete-folder-dialog.tsx';
import { GeneralSettings } from './general-settings.tsx';

interface SettingsTabProps {
  folder: FolderCompleteData;
  role: Role;
  fileCount: number;
  /** The confirmation is open. */
  asking: boolean;
  onAsk: (asking: boolean) => void;
  onSaved: () => void;
  /** Resolves to the reason when it failed. */
  onDelete: () => Promise<string | null>;
}

const DangerZone = ({ onAsk }: { onAsk: () => void }) => (
  <section
    aria-labelledby="danger-zone"
    className="rounded-card bg-surface p-5 shadow-[0_0_0_1px_color-mix(in_oklch,var(--danger)_45%,transparent)] sm:p-6"
  >
    <h2 id="danger-zone" className="text-base font-semibold text-danger">
      Danger Zone
    </h2>
    <div className="mt-2 flex flex-wrap items-center justify-between gap-4">
      <p className="max-w-md text-sm text-muted">
        Deleting removes every file, the folder’s key and its link right away. Nobody can bring it back, including us.
      </p>
      <Button tone="danger" onClick={onAsk}>
        <Trash2 size={16} aria-hidden />
        Delete Folder
      </Button>
    </div>
  </section>
);

/** The Settings tab (§2). */
export function SettingsTab({ folder, role, fileCount, asking, onAsk, onSaved, onDelete }: SettingsTabProps) {
  if (role === 'public') {
    return (
      <PanelState
        pose="locked"
        title="Authentication Required"
        action={
          <Button asChild tone="primary" size="lg">
            <Link to="/auth">Sign In</Link>
          </Button>
        }
      >
        Please sign in to access folder settings.
      </PanelState>
    );
  }
  if (role === 'viewer') {
    return (
      <PanelState pose="locked" title="Settings Access Restricted">
        Only the folder owner can access settings.
      </PanelState>
    );
  }
  return (
    <div className="grid gap-4">
      <GeneralSettings folder={folder} onSaved={onSaved} />
      <DangerZone onAsk={() => onAsk(true)} />
      <DeleteFolderDialog
        slug={folder.folder_slug}
        fileCount={fileCount}
        open={asking}
        onOpenChange={onAsk}
        onDelete={onDelete}
      />
    </div>
  );
}
