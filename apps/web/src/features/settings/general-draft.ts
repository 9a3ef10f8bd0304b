import type { FolderCompleteData } from '@satchel/contract/api';

/** What the owner is writing. */
export interface GeneralDraft {
  readonly name: string;
  readonly description: string;
  readonly hideNames: boolean;
}

type Settled = Pick<FolderCompleteData, 'folder_name' | 'folder_description' | 'hide_names'>;

export const draftOf = (folder: Settled): GeneralDraft => ({
  name: folder.folder_name ?? '',
  description: folder.folder_description ?? '',
  hideNames: folder.hide_names,
});

/** As the server keeps it. */
export const tidy = ({ name, description, hideNames }: GeneralDraft): GeneralDraft => ({
  name: name.trim(),
  description: description.trim(),
  hideNames,
});

/** Whether saving the one would change nothing of the other. */
export function isSameDraft(one: GeneralDraft, other: GeneralDraft): boolean {
  const [a, b] = [tidy(one), tidy(other)];
  return a.name === b.name && a.description === b.description && a.hideNames === b.hideNames;
}
