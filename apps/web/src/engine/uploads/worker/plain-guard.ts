import { AppError } from '@satchel/contract/errors';
import type { KeyStore } from '../../keys/key-store.ts';
import type { UploadOrder } from '../upload-messages.ts';

/**
 * The last check before a file is sent in clear: refuses when this device knows the folder as encrypted, whatever the page
 * concluded from the server's answers (CONTAINER §6).
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
