import { AppError } from '@satchel/contract/errors';
import type { KeyStore } from '../../lib/key-store.ts';
import type { UploadOrder } from '../../lib/upload-messages.ts';

/**
 * The last look before a file leaves in clear: whatever the page made of the server's answers, nothing does for a folder
 * that this device knows as an encrypted one (CONTAINER §6).
 * @throws upload.not_plain
 */
export async function requirePlain(
  { folder, keys, userId }: Pick<UploadOrder, 'folder' | 'keys' | 'userId'>,
  { recallFolder }: Pick<KeyStore, 'recallFolder'>,
): Promise<void> {
  if (folder.link_mode !== 'plain') return;
  if (keys !== null) throw new AppError('upload.not_plain');
  const { isPinned } = await recallFolder(userId, { folderId: folder.id, slug: folder.slug }).catch(() => ({
    isPinned: true,
  }));
  if (isPinned) throw new AppError('upload.not_plain');
}
