import type { AppError } from '@satchel/contract/errors';
import { Link } from '@tanstack/react-router';
import { KeyRound, LinkIcon } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';

/** Why there is no upload zone, and the way out (CONTAINER §3 "Who may seal"). */
export type UploadBlock = 'needs_link' | 'revoked';

interface UploadNoticeProps {
  block: UploadBlock;
  /** What went wrong with the key, when something did. */
  error: AppError | null;
}

export function UploadNotice({ block, error }: UploadNoticeProps) {
  if (block === 'revoked') {
    return (
      <Banner
        tone="warning"
        label="Upload"
        icon={<LinkIcon size={20} aria-hidden className="text-warning" />}
        action={
          <Button asChild>
            <Link to="/upload">New folder</Link>
          </Button>
        }
      >
        <p className="font-semibold">The link of this folder was revoked</p>
        <p className="text-muted">It takes no further uploads. Make a new folder for new files.</p>
      </Banner>
    );
  }
  return (
    <Banner tone="warning" label="Upload" icon={<KeyRound size={20} aria-hidden className="text-warning" />}>
      <p className="font-semibold">Open the full link on this device</p>
      <p className="text-muted">
        This device has no key that may encrypt for this folder. Open the link with the part after the # sign, and
        uploading works here, too.{error ? ` ${error.message}.` : ''}
      </p>
    </Banner>
  );
}
