import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Link } from '@tanstack/react-router';
import { localDateTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { PanelState } from '../../ui/states.tsx';
import { StorageOverview } from './storage-overview.tsx';

interface InfoTabProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string | null;
}

function FolderStatistics({ folder }: { folder: FolderCompleteData }) {
  const rows = [
    ['Created', folder.folder_created_at],
    ['Expires', folder.folder_expires_at],
  ] as const;
  return (
    <section aria-labelledby="folder-statistics" className="card p-5">
      <h2 id="folder-statistics" className="text-base font-semibold">
        Folder Statistics
      </h2>
      <dl className="mt-4 grid gap-2.5 text-sm">
        {rows.map(([name, moment]) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="text-muted">{name}</dt>
            <dd className="text-right tabular">{localDateTime(moment)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The Info tab (§2), as far as its figures are real (DESIGN R7). */
export function InfoTab({ folder, role, userId }: InfoTabProps) {
  if (role === 'public' || userId === null) {
    return (
      <PanelState
        pose="closed"
        title="Sign up to see detailed analytics"
        action={
          <Button asChild tone="primary" size="lg">
            <Link to="/auth">Get Started Free</Link>
          </Button>
        }
      >
        Folder details and storage are shown to people who are signed in.
      </PanelState>
    );
  }
  return (
    <div className="grid grid-cols-1 items-start gap-4 md:grid-cols-2">
      {role === 'owner' && <StorageOverview userId={userId} />}
      <FolderStatistics folder={folder} />
    </div>
  );
}
