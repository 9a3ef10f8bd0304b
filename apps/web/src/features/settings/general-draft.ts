import type { FolderCompleteData } from '@satchel/contract/api';
import { dropUnseen } from '@satchel/contract/unseen';

/** What the owner is writing. */
export interface GeneralDraft {
  readonly name: string;
  readonly description: string;
  readonly hideNames: boolean;
  readonly showName: boolean;
}

type Settled = Pick<FolderCompleteData, 'folder_name' | 'folder_description' | 'hide_names' | 'show_name_in_previews'>;

export const draftOf = (folder: Settled): GeneralDraft => ({
  name: folder.folder_name ?? '',
  description: folder.folder_description ?? '',
  hideNames: folder.hide_names,
  showName: folder.show_name_in_previews,
});

/** As the server keeps it: what can't be seen comes with a pasted text, and is missed by nobody. */
export const tidy = ({ name, description, ...choices }: GeneralDraft): GeneralDraft => ({
  name: dropUnseen(name).trim(),
  description: dropUnseen(description).trim(),
  ...choices,
});

/** Whether saving the one would change nothing of the other. */
export function isSameDraft(one: GeneralDraft, other: GeneralDraft): boolean {
  const [a, b] = [tidy(one), tidy(other)];
  const isSameText = a.name === b.name && a.description === b.description;
  return isSameText && a.hideNames === b.hideNames && a.showName === b.showName;
}
