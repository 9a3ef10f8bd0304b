import { Trans, useLingui } from '@lingui/react/macro';
import type { LinkMode } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { KeyRound } from 'lucide-react';
import { errorText } from '../../lib/error-text.ts';
import { Banner } from '../../ui/banner.tsx';

interface KeyNoticeProps {
  role: Role;
  mode: LinkMode;
  /** The files open, though not by what the address holds. */
  hasKey: boolean;
  /** Why the key did not come, or what is wrong with the address, when something is. */
  error: AppError | null;
}

function Title({ mode, hasKey, error }: KeyNoticeProps) {
  if (mode === 'revoked' && !hasKey) return <Trans>The link of this folder was revoked</Trans>;
  return error ? errorText(error) : <Trans>This address has no key</Trans>;
}

function WayOut({ role, mode, hasKey, error }: KeyNoticeProps) {
  if (hasKey && mode === 'discord') return <Trans>The files open all the same: this folder’s link needs no key.</Trans>;
  if (hasKey) {
    return (
      <Trans>
        The files open all the same, since this device remembers the key. The link in the address would open nothing
        elsewhere.
      </Trans>
    );
  }
  if (mode === 'revoked') {
    return (
      <Trans>
        These files are encrypted. Only a device that opened the folder before, and kept its key, can open them.
      </Trans>
    );
  }
  if (mode === 'discord') {
    return (
      <Trans>
        These files are encrypted, and our server does not have the key for them. Ask the owner for a new link.
      </Trans>
    );
  }
  if (role === 'owner') {
    return (
      <Trans>
        These files are encrypted. Open the full link, with the part after the # sign, or use the device that made the
        folder.
      </Trans>
    );
  }
  if (error?.code === 'key.unsealable') {
    return (
      <Trans>
        These files are encrypted. The link may have been cut short, or the owner may have replaced it: ask for the
        present one.
      </Trans>
    );
  }
  return <Trans>These files are encrypted. Ask the owner for the full link, with the part after the # sign.</Trans>;
}

/** Said above encrypted files whose key did not come by the address: the folder still loads (§8). */
export function KeyNotice(props: KeyNoticeProps) {
  const { t } = useLingui();
  return (
    <Banner
      tone={props.hasKey ? 'neutral' : 'warning'}
      label={t`Key`}
      icon={<KeyRound size={20} aria-hidden className="text-warning" />}
    >
      <p className="font-semibold">
        <Title {...props} />
      </p>
      <p className="text-muted">
        <WayOut {...props} />
      </p>
    </Banner>
  );
}
