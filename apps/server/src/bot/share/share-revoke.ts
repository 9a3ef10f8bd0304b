import type { FolderRow } from '../../domain/access/find-folder.ts';
import { closeFolder } from '../../domain/folders/folder-settings.ts';
import { button, customId, row } from '../buttons.ts';
import type { ClickHandler, Message } from '../command.ts';
import { ownFolderOf } from '../folder-option.ts';
import type { Language } from '../language.ts';
import { folderTitle } from '../wording.ts';
import { RECEIPT_TEXTS } from './share-receipt-texts.ts';

/** Revoke: asks first. The answer to the question checks the folder's owner again. */

function questionOf(folder: FolderRow, language: Language): Message {
  const texts = RECEIPT_TEXTS[language];
  const name = folderTitle(folder, language);
  return {
    content: folder.link_mode === 'plain' ? texts.questionPlain({ name }) : texts.questionLink({ name }),
    components: [
      row(
        button('Danger', texts.yes, customId('share', 'close', folder.id)),
        button('Secondary', texts.no, customId('share', 'keep')),
      ),
    ],
  };
}

export const askToRevoke: ClickHandler = async (deps, click) => ({
  kind: 'private',
  message: questionOf(await ownFolderOf(deps, click, click.args[0] ?? ''), click.language),
});

export const revoke: ClickHandler = async (deps, click) => {
  const { id, owner_profile_id: profile_id } = await ownFolderOf(deps, click, click.args[0] ?? '');
  const folder = await closeFolder(deps, { viewer: { profile_id }, folderId: id, report: deps.report });
  const texts = RECEIPT_TEXTS[click.language];
  const name = folderTitle(folder, click.language);
  return {
    kind: 'update',
    message: { content: folder.link_mode === 'plain' ? texts.closedPlain({ name }) : texts.closedLink({ name }) },
  };
};

export const keepShared: ClickHandler = async (_, { language }) => ({
  kind: 'update',
  message: { content: RECEIPT_TEXTS[language].kept },
});
