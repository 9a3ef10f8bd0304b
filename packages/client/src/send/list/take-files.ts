import type { ChosenFile } from '../order.ts';
import { type AdmissionRules, admit } from './admission.ts';
import { NONE_SKIPPED, newItem, type QueueAction, type UploadItem } from './queue.ts';
import type { UploadNews } from './upload-news.ts';

/** What a person chose at once. */
export interface Choice {
  readonly files: readonly ChosenFile[];
  /** Names of files that an operating system leaves in directories, left out of the choice. */
  readonly leftOut: readonly string[];
  /** Names of files and directories that the browser could not read; the others are taken. */
  readonly unreadable: readonly string[];
  /** There are more than CHOSEN_FILES_MAX: the others were not taken. */
  readonly isCut: boolean;
}

/**
 * Takes chosen files onto the list.
 * @param choice with the paths that its files have in the folder: see `placed`
 * @param listed what is on the list and not yet in the folder
 */
export function takeFiles(
  { files, leftOut, unreadable, isCut }: Choice,
  listed: readonly UploadItem[],
  rules: AdmissionRules,
): { readonly action: QueueAction; readonly news: UploadNews } {
  const sealed = rules.folder.link_mode !== 'plain';
  const { admitted, rejected, repeated, numbered } = admit(files, rules, listed);
  const items = admitted.map((chosen) => newItem(crypto.randomUUID(), chosen, sealed));
  const skipped = {
    ...NONE_SKIPPED,
    leftOut,
    unreadable,
    repeated: repeated.map(({ name }) => name),
    numbered: numbered.map(({ name }) => name),
  };
  return {
    action: { type: 'added', items, rejected, skipped },
    news: { type: 'chosen', added: items.length, rejected, unreadable, isCut },
  };
}
