import { plural, t } from '@lingui/core/macro';
import { localDate } from './format.ts';

/** What a folder without a name is called: 16 random characters tell a person nothing. */
export function unnamedTitle(createdAt: string): string {
  const day = localDate(createdAt);
  return t`Folder of ${day}`;
}

/** The name of a folder, else its first file and how many others there are, else its day. */
export function folderTitle(
  folder: { readonly folder_name: string | null; readonly folder_created_at: string },
  files: readonly { readonly name: string }[],
): string {
  if (folder.folder_name) return folder.folder_name;
  const [first, ...others] = files;
  if (!first) return unnamedTitle(folder.folder_created_at);
  const { name } = first;
  if (others.length === 0) return name;
  return plural(others.length, { one: `${name} and # more file`, other: `${name} and # more files` });
}
