import type { UpdateFolderInput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { eq } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { folders, temp_encryption_keys } from '../platform/schema.ts';
import { type FolderRow, lockFolder, requireOwner, toFolder, type Viewer } from './folders.ts';

const HOUR_MS = 3_600_000;

function changesOf(input: UpdateFolderInput, folder: FolderRow, lifetimeHours: number): Partial<FolderRow> {
  const expires_at = input.new_expires_at === undefined ? folder.expires_at : new Date(input.new_expires_at);
  if (expires_at.getTime() > folder.created_at.getTime() + lifetimeHours * HOUR_MS) {
    throw new AppError('folder.lifetime', { hours: lifetimeHours });
  }
  return {
    expires_at,
    name: input.new_name === undefined ? folder.name : input.new_name || null,
    description: input.new_description === undefined ? folder.description : input.new_description || null,
    hide_names: input.new_hide_names ?? folder.hide_names,
  };
}

/**
 * Changes what a folder's owner may change; an absent field stays (DESIGN §5).
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.lifetime
 */
export async function updateFolderSettings(
  { db, lifetimeHours }: { db: Db; lifetimeHours: number },
  viewer: Viewer,
  input: UpdateFolderInput,
): Promise<Folder> {
  return db.transaction(async (tx) => {
    const folder = await lockFolder(tx, input.folder_id);
    requireOwner(folder, viewer);
    const changes = changesOf(input, folder, lifetimeHours);
    const [changed] = await tx.update(folders).set(changes).where(eq(folders.id, folder.id)).returning();
    // A key lives exactly as long as its folder.
    await tx
      .update(temp_encryption_keys)
      .set({ expires_at: changed!.expires_at })
      .where(eq(temp_encryption_keys.folder_id, folder.id));
    return toFolder(changed!);
  });
}
