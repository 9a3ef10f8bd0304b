import { deleteStored } from '@satchel/client/folders/delete-stored';
import { AppError } from '@satchel/contract/errors';
import { sizeText } from '@satchel/contract/files/sizes';
import { type ListedFile, openFolder, readFiles } from './folder.ts';
import { CommandError, EXIT } from './outcome.ts';
import type { Site } from './site.ts';
import { confirm } from './terminal.ts';

/** `satchel rm`. */

export interface RemoveWish {
  readonly slug: string;
  readonly hash: string;
  /** The whole folder where there is none. */
  readonly paths: readonly string[];
  readonly asksNothing: boolean;
  readonly passphraseFile?: string;
}

const NEEDS_YES = 'nothing was deleted: there is no terminal to ask at. Add --yes';

async function requireConsent({ asksNothing }: RemoveWish, question: string): Promise<void> {
  if (!asksNothing && !(await confirm(question, NEEDS_YES)))
    throw new CommandError(EXIT.refused, 'rm.kept', 'Nothing was deleted');
}

async function removeFolder(site: Site, wish: RemoveWish): Promise<void> {
  // The address alone says which folder it is: deleting needs no key.
  const data = await site.api.rpc('get_folder_complete_data', { input_folder_slug: wish.slug });
  if (!('folder_id' in data)) throw new AppError('folder.expired');
  const what = `${data.folder_name ?? wish.slug} with ${sizeText(data.folder_size_bytes)}`;
  await requireConsent(wish, `Delete the folder ${what} for everyone?`);
  await site.api.rpc('delete_folder_complete', { folder_id: data.folder_id });
  await site.keys.deleteKey(data.folder_id);
}

/** The files that paths name, or the directories that they lie in. @throws CommandError for one that names none */
function filesOf(paths: readonly string[], files: readonly ListedFile[]): ListedFile[] {
  const found = new Set<ListedFile>();
  for (const path of paths) {
    const own = path.replace(/\/$/, '');
    const named = files.filter((file) => file.path === own || file.path.startsWith(`${own}/`));
    if (named.length === 0) throw new CommandError(EXIT.refused, 'file.not_found', `${path} is not in this folder`);
    for (const file of named) found.add(file);
  }
  return [...found];
}

/** Deletes a folder, or files of it. @returns how many files were deleted; null for the folder */
export async function remove(site: Site, wish: RemoveWish): Promise<number | null> {
  if (site.userId === null) throw new AppError('auth.required');
  if (wish.paths.length === 0) {
    await removeFolder(site, wish);
    return null;
  }
  const opened = await openFolder(site, wish, wish.passphraseFile);
  const files = filesOf(wish.paths, (await readFiles(site, opened)).files);
  await requireConsent(wish, `Delete ${files.length} of the folder’s files for everyone?`);
  const { folder_bucket: bucket, folder_bucket_storage_path: storagePath } = opened.data;
  const names = files.map(({ entry }) => entry.name);
  await deleteStored(site.api, { bucket, storagePath }, names);
  return files.length;
}
