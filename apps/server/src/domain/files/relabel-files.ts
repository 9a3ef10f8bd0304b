import type { RelabelInput } from '@satchel/contract/api';
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, inTransaction } from '../../platform/database/db.ts';
import { files } from '../../platform/schema/files.ts';
import { folderByStoragePath, lockOwnFolder, type Viewer } from '../access/find-folder.ts';
import { requesterOfViewer } from '../access/folder-access.ts';
import type { FileRow } from './files.ts';

export interface NewLabels {
  readonly storagePath: string;
  readonly viewer: Viewer;
  readonly labels: RelabelInput['labels'];
}

/**
 * Gives files new labels, all in one transaction. A file whose label is no longer the one that the owner saw is left out:
 * it was renamed or replaced since, and the new label would be for another container.
 * @returns the files that have their new labels
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function relabelFiles(db: Db, { storagePath, viewer, labels }: NewLabels): Promise<FileRow[]> {
  const { id } = await folderByStoragePath(db, storagePath, requesterOfViewer(viewer));
  return await inTransaction(db, async (tx) => {
    const folder = await lockOwnFolder(tx, id, viewer);
    const column = (of: keyof NewLabels['labels'][number]) => sql.param(labels.map((label) => label[of]));
    // One statement, however many: every upload into the folder waits for its lock.
    const given = sql`unnest(${column('name')}::text[], ${column('sealed')}::text[], ${column('earlier')}::text[])
      as given (name, sealed, earlier)`;
    const isSeen = and(
      eq(files.folder_id, folder.id),
      eq(files.name, sql`given.name`),
      eq(files.sealed, sql`given.earlier`),
    );
    const relabelled: FileRow[] = await tx
      .update(files)
      .set({ sealed: sql`given.sealed`, updated_at: sql`clock_timestamp()` })
      .from(given)
      .where(isSeen)
      .returning(getTableColumns(files));
    if (relabelled.length > 0) noteChange(tx, folder.id);
    return relabelled;
  });
}
