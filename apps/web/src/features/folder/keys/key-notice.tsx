import { Trans, useLingui } from '@lingui/react/macro';
import type { LinkMode } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import { KeyRound } from 'lucide-react';
import { errorText } from '../../../lib/texts/error-text.ts';
import { Banner } from '../../../ui/states/banner.tsx';
import { KeyField } from './key-field.tsx';

interface KeyNoticeProps {
  mode: LinkMode;
  /** The link was replaced, and this device has only the older keys: newer files need the new link. */
  isReplaced: boolean;
  /** What is wrong with the key in the address. */
  error: AppError | null;
}

function WayOut({ mode, isReplaced, error }: KeyNoticeProps) {
  if (isReplaced && !error) {
    return <Trans>This device opens only the older files. Newer files open with the new link: paste it here.</Trans>;
  }
  if (mode === 'discord') return <Trans>The files open anyway: this folder’s link needs no key.</Trans>;
  return (
    <Trans>
      The files open anyway, because this device remembers the key. On other devices, the link in the address opens
      nothing.
    </Trans>
  );
}

/** Shown above files that open, but not with the key in the address. */
export function KeyNotice(props: KeyNoticeProps) {
  const { t } = useLingui();
  const { mode, isReplaced, error } = props;
  return (
    <Banner label={t`Key`} icon={<KeyRound size={20} aria-hidden className="self-start text-warning" />}>
      <p className="font-semibold">{error ? errorText(error) : <Trans>The link of this folder was replaced</Trans>}</p>
      <p className="text-muted">
        <WayOut {...props} />
      </p>
      {mode === 'private' && isReplaced && <KeyField error={error} />}
    </Banner>
  );
}
