import { Trans, useLingui } from '@lingui/react/macro';
import type { Role } from '@satchel/contract/roles';
import { Copy, Download, Share2, Trash2, Upload, X } from 'lucide-react';
import { bytes } from '../../lib/figures/format.ts';
import { Button, IconButton } from '../../ui/base/button.tsx';

/** What saves all files of the folder. */
export interface DownloadOffer {
  readonly sizeBytes: number;
  /** The folder has one file, which is saved as it is. */
  readonly isOne: boolean;
  /** Null while names are on their way, or a zip is being saved. */
  readonly onDownload: (() => void) | null;
}

interface FolderActionsProps {
  /** Null for the owner, and where nothing can be saved. */
  download: DownloadOffer | null;
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

function OwnerActions({ uploadOpen, quiet, onToggleUpload, onShare, onDelete }: FolderActionsProps) {
  const Icon = uploadOpen ? X : Upload;
  return (
    <>
      {/* The open zone has its own primary act. */}
      <Button
        tone={uploadOpen || quiet ? 'quiet' : 'primary'}
        aria-expanded={uploadOpen}
        onClick={onToggleUpload}
        className="max-sm:grow max-sm:px-3"
      >
        <Icon size={16} aria-hidden />
        {uploadOpen ? <Trans>Hide Upload</Trans> : <Trans>Upload File</Trans>}
      </Button>
      <Button onClick={onShare} className="max-sm:px-3">
        <Share2 size={16} aria-hidden />
        <Trans>Share</Trans>
      </Button>
      {/* It leads to the question, beside the red act of the Settings. */}
      <Button onClick={onDelete} className="max-sm:px-3">
        <Trash2 size={16} aria-hidden />
        <Trans>Delete</Trans>
      </Button>
    </>
  );
}

function DownloadAll({ sizeBytes, isOne, onDownload }: DownloadOffer) {
  const size = bytes(sizeBytes);
  return (
    <Button
      tone="primary"
      data-zip-start
      // Not disabled: focus returns here when the zip is complete.
      aria-disabled={onDownload === null || undefined}
      onClick={() => onDownload?.()}
      className="max-sm:w-full"
    >
      <Download size={16} aria-hidden />
      {isOne ? <Trans>Download · {size}</Trans> : <Trans>Download all · {size}</Trans>}
    </Button>
  );
}

function PublicActions({ download, copied, quiet, onCopy, onShare }: FolderActionsProps) {
  const { t } = useLingui();
  return (
    <>
      {download && <DownloadAll {...download} />}
      <Button tone={quiet || download ? 'quiet' : 'primary'} onClick={onCopy} className="max-sm:grow">
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

/** Actions of each role. */
export function FolderActions(props: FolderActionsProps) {
  const { role, download, quiet, onShare } = props;
  if (role === 'owner') return <OwnerActions {...props} />;
  if (role === 'public') return <PublicActions {...props} />;
  return (
    <>
      {download && <DownloadAll {...download} />}
      <Button tone={quiet || download ? 'quiet' : 'primary'} onClick={onShare} className="max-sm:grow">
        <Share2 size={16} aria-hidden />
        <Trans>Share Folder</Trans>
      </Button>
    </>
  );
}
