import type { Folder } from '@satchel/contract/entities';
import { Link } from '@tanstack/react-router';
import { Plus, TriangleAlert } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';
import { Button, Dots } from '../../ui/button.tsx';
import { PanelState } from '../../ui/states.tsx';
import { FolderRow } from './folder-row.tsx';
import { useKeyFragments } from './use-key-fragments.ts';

const NOTHING: readonly Folder[] = [];

interface MyFoldersProps {
  userId: string;
  /** Undefined while they load. */
  folders: readonly Folder[] | undefined;
  failed: boolean;
  onRetry: () => void;
}

function List({ userId, folders }: { userId: string; folders: readonly Folder[] }) {
  const fragments = useKeyFragments(userId, folders);
  if (folders.length === 0) {
    return (
      <PanelState
        pose="closed"
        title="No folders yet"
        action={
          <Button asChild tone="primary" size="lg">
            <Link to="/upload">Create First Folder</Link>
          </Button>
        }
      >
        Pack your first files and share them with one link.
      </PanelState>
    );
  }
  return (
    <ul className="card divide-y divide-line">
      {folders.map((folder) => (
        <FolderRow key={folder.id} folder={folder} fragment={fragments.get(folder.id)} />
      ))}
    </ul>
  );
}

const Failed = ({ onRetry }: { onRetry: () => void }) => (
  <Banner
    tone="danger"
    icon={<TriangleAlert size={18} aria-hidden className="text-danger" />}
    action={<Button onClick={onRetry}>Try Again</Button>}
  >
    Your folders could not be loaded.
  </Banner>
);

export function MyFolders({ userId, folders, failed, onRetry }: MyFoldersProps) {
  const known = folders ?? NOTHING;
  return (
    <section aria-labelledby="my-folders">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-4">
        <h2 id="my-folders" className="display text-xl">
          My Folders ({known.length})
        </h2>
        {known.length > 0 && (
          <Button asChild tone="primary">
            <Link to="/upload">
              <Plus size={16} aria-hidden />
              New folder
            </Link>
          </Button>
        )}
      </div>
      {failed && <Failed onRetry={onRetry} />}
      {!failed && folders && <List userId={userId} folders={folders} />}
      {!failed && !folders && (
        <div className="card grid place-items-center p-10 text-subtle">
          <Dots label="Loading folders" />
        </div>
      )}
    </section>
  );
}
