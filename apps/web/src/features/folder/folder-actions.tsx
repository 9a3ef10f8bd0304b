import { Trans, useLingui } from '@lingui/react/macro';
import type { Role } from '@satchel/contract/roles';
import { Copy, Share2, Trash2, Upload, X } from 'lucide-react';
import { Button, IconButton } from '../../ui/base/button.tsx';

interface FolderActionsProps {
  role: Role;
  uploadOpen: boolean;
  /** The link was copied less than two seconds ago. */
  copied: boolean;
  /** Something else on the page must be done first. */
  quiet: boolean;
  onToggleUpload: () => void;
  /** Copies the link, then explains it. */
  onShare: () => void;
  /** Copies the link without an explanation. */
  onCopy: () => void;
  onDelete: () => void;
}

function OwnerActions({ uploadOpen, onToggleUpload, onShare, onDelete }: FolderActionsProps) {
  const Icon = uploadOpen ? X : Upload;
  return (
    <>
      {/* The open zone has its own primary act. */}
      <Button
        tone={uploadOpen ? 'quiet' : 'primary'}
        aria-expanded={uploadOpen}
        onClick={onToggleUpload}
        className="max-sm:flex-1"
      >
        <Icon size={16} aria-hidden />
        {uploadOpen ? <Trans>Hide Upload</Trans> : <Trans>Upload File</Trans>}
      </Button>
      <Button onClick={onShare}>
        <Share2 size={16} aria-hidden />
        <Trans>Share</Trans>
      </Button>
      <Button tone="dangerSoft" onClick={onDelete}>
        <Trash2 size={16} aria-hidden />
        <Trans>Delete</Trans>
      </Button>
    </>
  );
}

function PublicActions({ copied, quiet, onCopy, onShare }: FolderActionsProps) {
  const { t } = useLingui();
  return (
    <>
      <Button tone={quiet ? 'quiet' : 'primary'} onClick={onCopy} className="max-sm:flex-1">
        {copied ? (
          <Trans>✓ Copied!</Trans>
        ) : (
          <>
            <Copy size={16} aria-hidden />
            <Trans>Copy Link</Trans>
          </>
        )}
      </Button>
      <IconButton tone="quiet" label={t`QR code and more`} onClick={onShare}>
        <Share2 size={16} aria-hidden />
      </IconButton>
    </>
  );
}

/** Actions of each role (§2 "Folder actions"). */
export function FolderActions(props: FolderActionsProps) {
  const { role, quiet, onShare } = props;
  if (role === 'owner') return <OwnerActions {...props} />;
  if (role === 'public') return <PublicActions {...props} />;
  return (
    <Button tone={quiet ? 'quiet' : 'primary'} onClick={onShare} className="max-sm:flex-1">
      <Share2 size={16} aria-hidden />
      <Trans>Share Folder</Trans>
    </Button>
  );
}
