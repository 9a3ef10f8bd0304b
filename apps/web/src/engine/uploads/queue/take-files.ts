import { plural, t } from '@lingui/core/macro';
import { announce } from '../../../lib/base/announce.ts';
import { notify } from '../../../lib/base/toast.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { type AdmissionRules, admit } from './admission.ts';
import { CHOSEN_FILES_MAX, type Choice } from './chosen-files.ts';
import { NONE_SKIPPED, newItem, type QueueAction, type UploadItem } from './queue.ts';
import { unreadableText } from './upload-texts.ts';

/**
 * Takes chosen files onto the list, and says how many are taken, and which are not.
 * @param choice with the paths that its files have in the folder: see `placed`
 * @param listed what is on the list and not yet in the folder
 */
export function takeFiles(
  { files, leftOut, unreadable, isCut }: Choice,
  listed: readonly UploadItem[],
  rules: AdmissionRules,
): QueueAction {
  const sealed = rules.folder.link_mode !== 'plain';
  const { admitted, rejected, repeated, numbered } = admit(files, rules, listed);
  const [first] = rejected;
  if (admitted.length > 0) {
    announce(
      plural(admitted.length, { one: '# file added to the upload list', other: '# files added to the upload list' }),
    );
  }
  if (first) {
    const reason = errorText(first.error);
    announce(
      plural(rejected.length, { one: `# file was not added: ${reason}`, other: `# files were not added: ${reason}` }),
      true,
    );
  }
  if (unreadable.length > 0) announce(unreadableText(unreadable), true);
  if (isCut) notify(() => t`Only the first ${CHOSEN_FILES_MAX} files were added.`, 'error');
  const items = admitted.map((chosen) => newItem(crypto.randomUUID(), chosen, sealed));
  return {
    type: 'added',
    items,
    rejected,
    skipped: {
      ...NONE_SKIPPED,
      leftOut,
      unreadable,
      repeated: repeated.map(({ name }) => name),
      numbered: numbered.map(({ name }) => name),
    },
  };
}
