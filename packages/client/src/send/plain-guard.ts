import { AppError } from '@satchel/contract/errors';
import type { UploadOrder } from './order.ts';

/** Whether this device knows a folder as encrypted. */
export type RecallFolder = (
  userId: string,
  folder: { readonly folderId: string; readonly slug: string },
) => Promise<{ readonly isPinned: boolean }>;

/**
 * The last check before a file is sent in clear: refuses if this device knows the folder as encrypted, even if the page
 * concluded otherwise from the server's answers.
 * @throws upload.not_plain
 */
export async function requirePlain(
  { folder, keys, userId }: Pick<UploadOrder, 'folder' | 'keys' | 'userId'>,
  recallFolder: RecallFolder,
): Promise<void> {
  if (folder.link_mode !== 'plain') return;
  if (keys !== null) throw new AppError('upload.not_plain');
  const { isPinned } = await recallFolder(userId, { folderId: folder.id, slug: folder.slug }).catch(() => ({
    isPinned: true,
  }));
  if (isPinned) throw new AppError('upload.not_plain');
}
