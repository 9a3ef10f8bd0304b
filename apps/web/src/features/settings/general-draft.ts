import type { FolderCompleteData } from '@satchel/contract/api';
import { dropUnseen } from '@satchel/contract/unseen';

/** The owner's unsaved values. */
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

/** Normalized as on the server: pasted text brings invisible characters, which carry no meaning. */
export const tidy = ({ name, description, ...choices }: GeneralDraft): GeneralDraft => ({
  name: dropUnseen(name).trim(),
  description: dropUnseen(description).trim(),
  ...choices,
});

/** Whether saving one draft would change nothing of the other. */
export function isSameDraft(one: GeneralDraft, other: GeneralDraft): boolean {
  const [a, b] = [tidy(one), tidy(other)];
  const isSameText = a.name === b.name && a.description === b.description;
  return isSameText && a.hideNames === b.hideNames && a.showName === b.showName;
}
