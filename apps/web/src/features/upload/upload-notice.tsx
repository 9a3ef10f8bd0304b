import { Trans, useLingui } from '@lingui/react/macro';
import type { AppError } from '@satchel/contract/errors';
import { Link } from '@tanstack/react-router';
import { KeyRound, LinkIcon, ShieldAlert } from 'lucide-react';
import type { SealBlock } from '../../engine/keys/folder-trust.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button } from '../../ui/base/button.tsx';
import { Banner } from '../../ui/states/banner.tsx';

interface UploadNoticeProps {
  block: SealBlock;
  /** Error of the key, if any. */
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

/** Only the new link has the newest key: holders of old links could read files sealed under an older key. */
function NewLink() {
  const { t } = useLingui();
  return (
    <Banner tone="warning" label={t`Upload`} icon={<KeyRound size={20} aria-hidden className="text-warning" />}>
      <p className="font-semibold">
        <Trans>Open the new link on this device to upload</Trans>
      </p>
      <p className="text-muted">
        <Trans>
          The folder’s link was replaced on another device. Later files have a new key, which is in the new link. Files
          that you have chosen here wait for it.
        </Trans>
      </p>
    </Banner>
  );
}

function NotPlain() {
  const { t } = useLingui();
  return (
    <Banner tone="warning" label={t`Upload`} icon={<ShieldAlert size={20} aria-hidden className="text-warning" />}>
      <p className="font-semibold">
        <Trans>The server says that this folder is not encrypted now</Trans>
      </p>
      <p className="text-muted">
        <Trans>
          This device knows it as an encrypted one, and has no key for it. So nothing is uploaded. Open the full link on
          this device, or make a new folder.
        </Trans>
      </p>
    </Banner>
  );
}

/** The reason why there is no upload zone, and what to do (CONTAINER §3 "Who may seal", §6). */
export function UploadNotice({ block, error }: UploadNoticeProps) {
  switch (block) {
    case 'revoked':
      return <Revoked />;
    case 'needs_link':
      return <NeedsLink error={error} />;
    case 'new_link':
      return <NewLink />;
    case 'not_plain':
      return <NotPlain />;
  }
}
