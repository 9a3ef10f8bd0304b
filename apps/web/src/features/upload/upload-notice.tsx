import { Trans, useLingui } from '@lingui/react/macro';
import type { SealBlock } from '@satchel/client/keys/folder-trust';
import type { AppError } from '@satchel/contract/errors';
import { KeyRound, LinkIcon, type LucideIcon, ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/texts/error-text.ts';
import { LinkButton } from '../../ui/base/button.tsx';
import { Banner } from '../../ui/states/banner.tsx';

interface Notice {
  readonly Icon: LucideIcon;
  readonly title: ReactNode;
  readonly text: ReactNode;
}

const NOTICES: Readonly<Record<SealBlock, Notice>> = {
  revoked: {
    Icon: LinkIcon,
    title: <Trans>The link of this folder was revoked</Trans>,
    text: <Trans>This folder takes no further uploads. Make a new folder for new files.</Trans>,
  },
  needs_link: {
    Icon: KeyRound,
    title: <Trans>Open the full link on this device</Trans>,
    text: (
      <Trans>
        This device has no key to encrypt files for this folder. Open the link with the part after the # sign, and you
        can upload from here, too.
      </Trans>
    ),
  },
  // Only the new link has the newest key: holders of old links could read files sealed under an older key.
  new_link: {
    Icon: KeyRound,
    title: <Trans>Open the new link on this device to upload</Trans>,
    text: (
      <Trans>
        The folder’s link was replaced on another device. Later files have a new key, which is in the new link. Files
        that you have chosen here wait for it.
      </Trans>
    ),
  },
  not_plain: {
    Icon: ShieldAlert,
    title: <Trans>The server says that this folder is not encrypted now</Trans>,
    text: (
      <Trans>
        This device knows this folder as encrypted, and has no key for it. So nothing is uploaded. Open the full link on
        this device, or make a new folder.
      </Trans>
    ),
  },
};

interface UploadNoticeProps {
  block: SealBlock;
  /** Error of the key, if any. */
  error: AppError | null;
}

/** The reason why there is no upload zone, and what to do (docs/container.md §3, §6). */
export function UploadNotice({ block, error }: UploadNoticeProps) {
  const { t } = useLingui();
  const { Icon, title, text } = NOTICES[block];
  return (
    <Banner
      tone="warning"
      label={t`Upload`}
      icon={<Icon size={20} aria-hidden className="text-warning" />}
      action={
        block === 'revoked' && (
          <LinkButton to="/upload">
            <Trans>New folder</Trans>
          </LinkButton>
        )
      }
    >
      <p className="font-semibold">{title}</p>
      <p className="text-muted">{text}</p>
      {block === 'needs_link' && error && <p className="text-muted">{errorText(error)}</p>}
    </Banner>
  );
}
