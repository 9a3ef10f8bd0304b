import { Trans, useLingui } from '@lingui/react/macro';
import type { LinkMode } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { KeyRound } from 'lucide-react';
import { errorText } from '../../../lib/texts/error-text.ts';
import { LinkButton } from '../../../ui/base/button.tsx';
import { Banner } from '../../../ui/states/banner.tsx';
import { KeyField } from './key-field.tsx';

interface KeyNoticeProps {
  role: Role;
  mode: LinkMode;
  /** The files open, but not with the key in the address. */
  hasKey: boolean;
  /** The link was replaced, and this device has only the older keys: newer files need the new link. */
  isReplaced: boolean;
  /** Why no key was found, or what is wrong with the address. */
  error: AppError | null;
  /** Another notice of the page says that the key is missing. */
  isExplained: boolean;
}

/** Whether a link or a key that the person has may open what is closed here. */
const takesKey = ({ mode, hasKey, isReplaced, error }: KeyNoticeProps): boolean =>
  mode === 'private' && (!hasKey || isReplaced) && error?.code !== 'key.discord_now';

function Title({ mode, hasKey, isReplaced, error }: KeyNoticeProps) {
  if (mode === 'revoked' && !hasKey) return <Trans>The link of this folder was revoked</Trans>;
  if (error) return errorText(error);
  return isReplaced ? <Trans>The link of this folder was replaced</Trans> : <Trans>This address has no key</Trans>;
}

/** For a secret that can't be verified: trust the server's key, as people without a secret do. */
const DiscordNow = () => (
  <Trans>
    So the key in your link can’t be checked, and the files stay closed. Ask the owner whether this folder is a Discord
    link now. If it is, you can open the folder with our server’s key.
  </Trans>
);

function WayOut({ role, mode, hasKey, isReplaced, error }: KeyNoticeProps) {
  if (error?.code === 'key.discord_now') return <DiscordNow />;
  if (isReplaced && !error) {
    return (
      <Trans>
        This device opens the files from before that. Newer files open with the new link: paste the new link here.
      </Trans>
    );
  }
  if (hasKey && mode === 'discord') return <Trans>The files open anyway: this folder’s link needs no key.</Trans>;
  if (hasKey) {
    return (
      <Trans>
        The files open anyway, because this device remembers the key. On other devices, the link in the address opens
        nothing.
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
        These files are encrypted. The link may have been cut short, or the owner may have replaced it: ask the owner
        for the link as it is now.
      </Trans>
    );
  }
  return <Trans>These files are encrypted. Ask the owner for the full link, with the part after the # sign.</Trans>;
}

/** Shown above encrypted files if the key did not come from the address: the folder still loads (§8). */
export function KeyNotice(props: KeyNoticeProps) {
  const { t } = useLingui();
  return (
    <Banner
      tone={props.hasKey ? 'neutral' : 'warning'}
      label={t`Key`}
      icon={<KeyRound size={20} aria-hidden className="self-start text-warning" />}
      action={
        props.error?.code === 'key.discord_now' && (
          <LinkButton to="." search hash="" replace>
            <Trans>Open with our server’s key</Trans>
          </LinkButton>
        )
      }
    >
      {!props.isExplained && (
        <>
          <p className="font-semibold">
            <Title {...props} />
          </p>
          <p className="text-muted">
            <WayOut {...props} />
          </p>
        </>
      )}
      {takesKey(props) && <KeyField error={props.error} />}
    </Banner>
  );
}
