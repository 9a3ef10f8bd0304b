import { eq } from 'drizzle-orm';
import { inTransaction } from '../platform/db.ts';
import { folders } from '../platform/schema.ts';
import { type Actor, type FolderRow, lockOwnFolder } from './folders.ts';
import { forgetGuests } from './grants.ts';
import { endLink, finishEnding, type LinkDeps } from './keys.ts';

/**
 * Revoke in Discord: takes back all that lets anybody but its owner into a folder. Cards, guests and grants go; an
 * encrypted folder's link ends for good; one that is not encrypted has no key that could end, and is restricted instead.
 * A second time does nothing.
 * @param options.report told when the key's share could not be erased; the sweeper erases it then
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function closeFolder(
  deps: LinkDeps,
  { viewer, folderId, report }: { viewer: Actor; folderId: string; report: (error: unknown) => void },
): Promise<FolderRow> {
  const { folder, queued } = await inTransaction(deps.db, async (tx) => {
    const folder = await lockOwnFolder(tx, folderId, viewer);
    await forgetGuests(tx, folder.id);
    if (folder.link_mode !== 'plain') return { folder, queued: await endLink(tx, folder) };
    await tx.update(folders).set({ access: 'restricted' }).where(eq(folders.id, folder.id));
    return { folder, queued: null };
  });
  if (queued) await finishEnding(deps, { folder, queued, report });
  return folder;
}
