import { t } from '@lingui/core/macro';
import type { FolderPlace } from '@satchel/client/folders/list-files';
import type { RelabelInput } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { queryClient } from '../../../account/session/query-client.ts';
import { accessToken } from '../../../account/session/session.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { sendJson } from '../../../lib/api/api.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { filesQueryKey } from '../files-query-key.ts';

/** A file with its new name and directory. */
export interface Renaming {
  readonly file: FileItem;
  readonly name: string;
  readonly directory: string;
}

export interface RenameContext {
  readonly folderId: string;
  readonly place: FolderPlace;
}

type NewLabel = RelabelInput['labels'][number];

/** As many as the server takes (contract RELABEL_MAX). */
const AT_ONCE = 100;

/**
 * The label that says the new name, for the same container, under the key of the earlier label (docs/container.md §2).
 * Null for a file without one that binds.
 */
async function newLabel({ file, name, directory }: Renaming): Promise<NewLabel | null> {
  const { proof, entry } = file;
  const { sealed: earlier } = entry.metadata;
  if (!proof || earlier === undefined) return null;
  const { sealLabel } = await import('@satchel/container/label');
  const { header, sizeBytes, labelKeys, keyPlace, label } = proof;
  const place = keyPlace === undefined ? {} : { keyPlace };
  const bound = { ...label, name, sizeBytes, header, directory, ...place };
  const sealed = await sealLabel(labelKeys, bound, entry.name);
  return { name: entry.name, sealed, earlier };
}

function replaceEntries(folderId: string, changed: readonly FileEntry[]): void {
  const byId = new Map(changed.map((entry) => [entry.id, entry]));
  queryClient.setQueryData<FileEntry[]>(filesQueryKey(folderId), (entries) =>
    entries?.map((entry) => byId.get(entry.id) ?? entry),
  );
}

/** One batch. @returns how many files have their new names */
async function rename(renamings: readonly Renaming[], { folderId, place }: RenameContext): Promise<number> {
  const labels = (await Promise.all(renamings.map(newLabel))).filter((label) => label !== null);
  if (labels.length === 0) return 0;
  const { bucket, storagePath: prefix } = place;
  const path = `${PATHS.object}/${encodeURIComponent(bucket)}`;
  const token = await accessToken();
  const changed = await sendJson<FileEntry[]>('PATCH', path, { prefix, labels }, { token });
  replaceEntries(folderId, changed);
  return changed.length;
}

/**
 * Gives files their new names: new labels, which the server can't read.
 * @returns why some of them don't have theirs, in words; null when all do
 */
export async function renameFiles(renamings: readonly Renaming[], context: RenameContext): Promise<string | null> {
  const total = renamings.length;
  let count = 0;
  let reason: string | null = null;
  try {
    for (let at = 0; at < total; at += AT_ONCE) count += await rename(renamings.slice(at, at + AT_ONCE), context);
    if (count < total) reason = t`The folder has changed since. Look at the list and try again.`;
  } catch (error) {
    reason = errorText(toAppError(error, 'unexpected'));
  }
  if (reason === null) return null;
  void queryClient.invalidateQueries({ queryKey: filesQueryKey(context.folderId) });
  return total > 1 ? t`Only ${count} of ${total} files were renamed: ${reason}` : reason;
}
