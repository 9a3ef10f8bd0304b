import type { UploadNews } from '../upload-news.ts';
import { type AdmissionRules, admit } from './admission.ts';
import type { Choice } from './chosen-files.ts';
import { NONE_SKIPPED, newItem, type QueueAction, type UploadItem } from './queue.ts';

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
