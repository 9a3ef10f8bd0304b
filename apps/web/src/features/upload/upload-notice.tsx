import { Trans, useLingui } from '@lingui/react/macro';
import type { AppError } from '@satchel/contract/errors';
import { Link } from '@tanstack/react-router';
import { KeyRound, LinkIcon } from 'lucide-react';
import { errorText } from '../../lib/error-text.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';

/** Why there is no upload zone, and the way out (CONTAINER §3 "Who may seal"). */
export type UploadBlock = 'needs_link' | 'revoked';

interface UploadNoticeProps {
  block: UploadBlock;
  /** What went wrong with the key, when something did. */
  error: AppError | null;
}

function Revoked() {
  const { t } = useLingui();
  return (
    <Banner
      tone="warning"
      label={t`Upload`}
      icon={<LinkIcon size={20} aria-hidden className="text-warning" />}
      action={
        <Button asChild>
          <Link to="/upload">
            <Trans>New folder</Trans>
          </Link>
        </Button>
      }
    >
      <p className="font-semibold">
        <Trans>The link of this folder was revoked</Trans>
      </p>
      <p className="text-muted">
        <Trans>It takes no further uploads. Make a new folder for new files.</Trans>
      </p>
    </Banner>
  );
}

function NeedsLink({ error }: { error: AppError | null }) {
  const { t } = useLingui();
  return (
    <Banner tone="warning" label={t`Upload`} icon={<KeyRound size={20} aria-hidden className="text-warning" />}>
      <p className="font-semibold">
        <Trans>Open the full link on this device</Trans>
      </p>
      <p className="text-muted">
        <Trans>
          This device has no key that may encrypt for this folder. Open the link with the part after the # sign, and
          uploading works here, too.
        </Trans>
      </p>
      {error && <p className="text-muted">{errorText(error)}</p>}
    </Banner>
  );
}

export const UploadNotice = ({ block, error }: UploadNoticeProps) =>
  block === 'revoked' ? <Revoked /> : <NeedsLink error={error} />;
