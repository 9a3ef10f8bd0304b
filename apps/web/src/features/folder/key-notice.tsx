import type { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { KeyRound } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';

interface KeyNoticeProps {
  role: Role;
  /** Why the key did not come, when something went wrong. */
  error: AppError | null;
}

/** Said above encrypted files that this page has no key for: the folder still loads without (§8). */
export const KeyNotice = ({ role, error }: KeyNoticeProps) => (
  <Banner tone="warning" label="Key" icon={<KeyRound size={20} aria-hidden className="text-warning" />}>
    <p className="font-semibold">{error ? error.message : 'This address has no key'}</p>
    <p className="text-muted">
      These files are encrypted.{' '}
      {role === 'owner'
        ? 'Open the full link, with the part after the # sign, or use the device that made the folder.'
        : 'Ask the owner for the full link, with the part after the # sign.'}
    </p>
  </Banner>
);
