import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { RecentVisitor } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { useNow } from '../../lib/browser/hooks.ts';
import { localDateTime, timeAgo } from '../../lib/figures/format.ts';
import { Avatar } from '../../ui/base/avatar.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { Badge } from '../../ui/states/badge.tsx';

interface RowProps {
  visitor: RecentVisitor;
  /** The server's clock, in milliseconds since the epoch. */
  nowMs: number;
}

function Row({ visitor, nowMs }: RowProps) {
  const { t } = useLingui();
  const { username, avatar_url: avatarUrl, last_viewed_at: lastViewedAt, downloads } = visitor;
  const name = visitor.name || username || t`Unknown User`;
  return (
    <li className="grid grid-cols-[2.25rem_1fr_auto] items-center gap-3 py-3 last:pb-0">
      <Avatar name={name} url={avatarUrl} sizePx={36} />
      <div className="min-w-0">
        <p className="flex items-center gap-2 text-sm font-medium">
          <span className="truncate">{name}</span>
          {visitor.is_you && (
            <Badge tone="accent">
              <Trans>You</Trans>
            </Badge>
          )}
        </p>
        {username && username !== name && <p className="truncate text-xs text-muted">{username}</p>}
      </div>
      <p className="text-right text-xs text-muted">
        <span className="block text-sm text-ink tabular">
          <Plural value={downloads} one="# download" other="# downloads" />
        </span>
        <span className="sr-only">
          <Trans>Last viewed</Trans>{' '}
        </span>
        <time dateTime={lastViewedAt} title={localDateTime(lastViewedAt)}>
          {timeAgo(lastViewedAt, nowMs)}
        </time>
      </p>
    </li>
  );
}

interface RecentActivityProps {
  visitors: readonly RecentVisitor[];
  role: Role;
}

/** Recent visits: the owner sees all signed-in visitors, others only themselves. */
export function RecentActivity({ visitors, role }: RecentActivityProps) {
  const nowMs = useNow();
  return (
    <Card title={<Trans>Recent Activity</Trans>} className="p-5">
      {visitors.length > 0 && (
        <ul className="mt-2 divide-y divide-line">
          {visitors.map((visitor) => (
            <Row key={visitor.profile_id} visitor={visitor} nowMs={nowMs} />
          ))}
        </ul>
      )}
      {role !== 'owner' && (
        <p className="mt-3 text-xs text-muted">
          <Trans>You see yourself here. Other visitors are shown to the folder’s owner only.</Trans>
        </p>
      )}
      {role === 'owner' && visitors.length === 0 && (
        <p className="mt-3 text-sm text-muted">
          <Trans>
            No signed-in visitor has come yet. Visitors without an account are counted, but have no name here.
          </Trans>
        </p>
      )}
    </Card>
  );
}
