import type { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { KeyRound } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';

interface KeyNoticeProps {
  role: Role;
  /** The owner ended the link (CONTAINER §3 "Revoking"). */
  revoked: boolean;
  /** Why the key did not come, when something went wrong. */
  error: AppError | null;
}

function wayOut({ role, revoked }: KeyNoticeProps): string {
  if (revoked) return 'Only a device that opened the folder before, and kept its key, can open them.';
  return role === 'owner'
    ? 'Open the full link, with the part after the # sign, or use the device that made the folder.'
    : 'Ask the owner for the full link, with the part after the # sign.';
}

/** Said above encrypted files that this page has no key for: the folder still loads without (§8). */
export function KeyNotice(props: KeyNoticeProps) {
  const title = props.revoked
    ? 'The link of this folder was revoked'
    : (props.error?.message ?? 'This address has no key');
  return (
    <Banner tone="warning" label="Key" icon={<KeyRound size={20} aria-hidden className="text-warning" />}>
      <p className="font-semibold">{title}</p>
      <p className="text-muted">These files are encrypted. {wayOut(props)}</p>
    </Banner>
  );
}
