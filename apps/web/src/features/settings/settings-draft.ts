import type { FolderCompleteData } from '@satchel/contract/api';
import { dropUnseen } from '@satchel/contract/unseen';
import type { EndChoice } from './lifetime-choices.ts';

/** The owner's unsaved values. */
export interface SettingsDraft {
  readonly name: string;
  readonly description: string;
  readonly hideNames: boolean;
  readonly showName: boolean;
  readonly end: EndChoice;
  /** Whether the link alone lets nobody in. */
  readonly restricts: boolean;
}

type Settled = Pick<
  FolderCompleteData,
  'folder_name' | 'folder_description' | 'hide_names' | 'show_name_in_previews' | 'folder_access'
>;

export const draftOf = (folder: Settled): SettingsDraft => ({
  name: folder.folder_name ?? '',
  description: folder.folder_description ?? '',
  hideNames: folder.hide_names,
  showName: folder.show_name_in_previews,
  end: 'keep',
  restricts: folder.folder_access === 'restricted',
});

/** Normalized as on the server: pasted text brings invisible characters, which carry no meaning. */
export const tidy = ({ name, description, ...choices }: SettingsDraft): SettingsDraft => ({
  name: dropUnseen(name).trim(),
  description: dropUnseen(description).trim(),
  ...choices,
});

/** Whether saving one draft would change nothing of the other. */
export function isSameDraft(one: SettingsDraft, other: SettingsDraft): boolean {
  const [a, b] = [tidy(one), tidy(other)];
  return (Object.keys(a) as (keyof SettingsDraft)[]).every((name) => a[name] === b[name]);
}
