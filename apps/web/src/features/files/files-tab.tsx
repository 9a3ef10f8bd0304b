import type { AppError } from '@satchel/contract/errors';
import { CircleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button, Dots } from '../../ui/button.tsx';
import type { CardHandlers } from './file-card.tsx';
import { FileGrid } from './file-grid.tsx';
import type { FileItem } from './file-model.ts';
import { arrange, type Filter, type Sort } from './file-order.ts';
import { FilesToolbar } from './files-toolbar.tsx';

const DeleteFileDialog = lazy(async () => ({
  default: (await import('./delete-file-dialog.tsx')).DeleteFileDialog,
}));

interface FilesTabProps extends Omit<CardHandlers, 'onAskRemove'> {
  files: readonly FileItem[];
  loading: boolean;
  error: AppError | null;
  onReload: () => void;
  /** Removes a file for good, and resolves to whether it is gone; null for everyone but the owner. */
  onRemove: ((id: string) => Promise<boolean>) | null;
  /** What stands here when there are no files. */
  empty: ReactNode;
}

const Loading = () => (
  <div className="grid justify-items-center gap-3 py-16 text-muted">
    <p className="text-sm">Loading files...</p>
    <Dots label="" />
  </div>
);

function LoadError({ error, onReload }: { error: AppError; onReload: () => void }) {
  return (
    <div role="alert">
      <Banner
        tone="danger"
        icon={<CircleAlert size={18} aria-hidden className="text-danger" />}
        action={<Button onClick={onReload}>Try Again</Button>}
      >
        Error: {error.message}
      </Banner>
    </div>
  );
}

/** The file area (§2 "Folder tab"). */
export function FilesTab({ files, loading, error, onReload, empty, onRemove, ...handlers }: FilesTabProps) {
  const [filter, setFilter] = useState<Filter>('All');
  const [sort, setSort] = useState<Sort>('Added');
  const [removingId, setRemovingId] = useState<string | null>(null);
  const shown = useMemo(() => arrange(files, filter, sort), [files, filter, sort]);
  const removing = files.find(({ id }) => id === removingId);
  if (error && files.length === 0) return <LoadError error={error} onReload={onReload} />;
  if (loading && files.length === 0) return <Loading />;
  if (files.length === 0) return empty;
  return (
    <div>
      {error && (
        <div className="mb-4">
          <LoadError error={error} onReload={onReload} />
        </div>
      )}
      <FilesToolbar files={files} filter={filter} sort={sort} onFilter={setFilter} onSort={setSort} />
      {shown.length > 0 ? (
        <FileGrid files={shown} {...handlers} onAskRemove={onRemove ? setRemovingId : null} />
      ) : (
        <p className="py-10 text-center text-sm text-muted">No files of this kind are left.</p>
      )}
      {removing && onRemove && (
        <Suspense>
          <DeleteFileDialog
            file={removing}
            open
            onOpenChange={(open) => !open && setRemovingId(null)}
            onRemove={onRemove}
            onDone={() => setRemovingId(null)}
          />
        </Suspense>
      )}
    </div>
  );
}
