import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Trash2 } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Dots, LinkButton } from '../../ui/base/button.tsx';
import { TypedConfirmDialog } from '../../ui/dialogs/typed-confirm-dialog.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { DangerZone } from '../../ui/sections/danger-zone.tsx';
import { PanelNote } from '../../ui/states/panel-note.tsx';
import { FolderSettings } from './folder-settings.tsx';

const DisplayPanel = lazyPart(() => import('../../ui/display-panel.tsx'), 'DisplayPanel', 'common');

interface DeleteFolderDialogProps {
  slug: string;
  fileCount: number;
  /** This tab is uploading to the folder. */
  isUploading: boolean;
  onClose: () => void;
  /** @throws AppError the folder is still there */
  onDelete: () => Promise<void>;
}

const Slug = ({ children }: { children?: ReactNode }) => (
  <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-xs text-ink wrap-anywhere">{children}</code>
);

type DescriptionProps = Pick<DeleteFolderDialogProps, 'slug' | 'fileCount' | 'isUploading'>;

const Description = ({ slug, fileCount, isUploading }: DescriptionProps) => (
  <p>
    {isUploading && (
      <>
        <Trans>Files are still uploading to this folder. The uploads stop.</Trans>{' '}
      </>
    )}
    {fileCount > 0 ? (
      <Trans>
        The folder <Slug>/{slug}</Slug> and its <Plural value={fileCount} one="# file" other="# files" /> will be
        deleted. This can’t be undone.
      </Trans>
    ) : (
      <Trans>
        The folder <Slug>/{slug}</Slug> will be deleted. This can’t be undone.
      </Trans>
    )}
  </p>
);

function DeleteFolderDialog({ onClose, onDelete, ...folder }: DeleteFolderDialogProps) {
  const { t } = useLingui();
  return (
    <TypedConfirmDialog
      word="DELETE"
      title={t`Delete this folder?`}
      description={<Description {...folder} />}
      yes={t`Yes, Delete Forever`}
      doing={t`Deleting...`}
      notDone={t`The folder was not deleted.`}
      onClose={onClose}
      onConfirm={onDelete}
    />
  );
}

interface SettingsTabProps {
  folder: FolderCompleteData;
  role: Role;
  fileCount: number;
  /** This tab is uploading to the folder. */
  isUploading: boolean;
  /** Who opens the folder, and the changes of its link. */
  link: ReactNode;
  /** The confirmation is open. */
  asking: boolean;
  onAsk: (asking: boolean) => void;
  onSaved: () => void;
  /** @throws AppError the folder is still there */
  onDelete: () => Promise<void>;
}

/** Only the owner has the folder's settings; everyone has the settings of this device. */
function VisitorSettings({ isSignedIn }: { isSignedIn: boolean }) {
  const { t } = useLingui();
  return (
    <div className="grid grid-cols-1 gap-4">
      <PanelNote
        pose="locked"
        title={isSignedIn ? t`Settings Access Restricted` : t`Authentication Required`}
        action={
          <LinkButton to={isSignedIn ? '/upload' : '/auth'} size="lg">
            {isSignedIn ? <Trans>Make a folder of your own</Trans> : <Trans>Sign In</Trans>}
          </LinkButton>
        }
      >
        {isSignedIn ? (
          <Trans>Only the folder owner can access settings.</Trans>
        ) : (
          <Trans>Please sign in to access folder settings.</Trans>
        )}
      </PanelNote>
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

/** The Settings tab. */
export function SettingsTab(props: SettingsTabProps) {
  const { folder, role, fileCount, isUploading, link, asking, onAsk, onSaved, onDelete } = props;
  if (role !== 'owner') return <VisitorSettings isSignedIn={role === 'viewer'} />;
  return (
    <div className="grid gap-4">
      <FolderSettings folder={folder} onSaved={onSaved} />
      <Card title={<Trans>Link</Trans>}>
        <div className="mt-4 max-w-lg">{link}</div>
      </Card>
      <DangerZone Icon={Trash2} act={<Trans>Delete Folder</Trans>} onAct={() => onAsk(true)}>
        <Trans>
          This deletes every file, the folder’s key and its link right away. They can’t be brought back, not even by us.
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
