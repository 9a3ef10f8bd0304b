import type { Role } from '@satchel/contract/roles';
import { Copy, Share2, Trash2, Upload, X } from 'lucide-react';
import { Button } from '../../ui/button.tsx';

interface FolderActionsProps {
  role: Role;
  uploadOpen: boolean;
  /** The link was copied less than two seconds ago. */
  copied: boolean;
  onToggleUpload: () => void;
  onShare: () => void;
  onDelete: () => void;
}

function OwnerActions({ uploadOpen, copied, onToggleUpload, onShare, onDelete }: FolderActionsProps) {
  const Icon = uploadOpen ? X : Upload;
  return (
    <>
      <Button tone="primary" aria-expanded={uploadOpen} onClick={onToggleUpload} className="max-sm:flex-1">
        <Icon size={16} aria-hidden />
        {uploadOpen ? 'Hide Upload' : 'Upload File'}
      </Button>
      <Button onClick={onShare}>
        {copied ? (
          '✓ Copied!'
        ) : (
          <>
            <Share2 size={16} aria-hidden />
            Share
          </>
        )}
      </Button>
      <Button tone="dangerSoft" onClick={onDelete}>
        <Trash2 size={16} aria-hidden />
        Delete
      </Button>
    </>
  );
}

/** What each role can do with the folder (§2 "Folder actions"). */
export function FolderActions(props: FolderActionsProps) {
  const { role, copied, onShare } = props;
  if (role === 'owner') return <OwnerActions {...props} />;
  const Icon = role === 'viewer' ? Share2 : Copy;
  return (
    <Button tone="primary" onClick={onShare} className="max-sm:flex-1">
      {copied ? (
        '✓ Copied!'
      ) : (
        <>
          <Icon size={16} aria-hidden />
          {role === 'viewer' ? 'Share Folder' : 'Copy Link'}
        </>
      )}
    </Button>
  );
}
