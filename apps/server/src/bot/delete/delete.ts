import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { deleteFolder } from '../../domain/removal/delete-folder.ts';
import { button, customId, row } from '../buttons.ts';
import type { Answer, BotDeps, ClickHandler, Command, Message } from '../command.ts';
import { chooseFolder, ownFolderOf } from '../folder-option.ts';
import type { Click } from '../interaction.ts';
import { type Language, textsIn } from '../language.ts';
import { contentText, folderTitle } from '../wording.ts';

/** /delete: asks first. The answer to the question checks the folder's owner again. */

/** Texts of /delete. Names come escaped. */
export const DELETE_TEXTS = textsIn('delete', {
  question: 'Delete **{name}** ({content}) for everyone? This can’t be undone.',
  yes: 'Delete',
  no: 'Cancel',
  deleted: '**{name}** is deleted. Its links open nothing any more.',
  kept: 'Nothing was deleted.',
  gone: 'This folder is gone already.',
});

function question(folder: FolderRow, language: Language): Message {
  const texts = DELETE_TEXTS[language];
  return {
    content: texts.question({ name: folderTitle(folder, language), content: contentText(folder, language) }),
    components: [
      row(
        button('Danger', texts.yes, customId('delete', 'yes', folder.id)),
        button('Secondary', texts.no, customId('delete', 'no')),
      ),
    ],
  };
}

/** Replaces the question once it is answered. */
const answered = (content: string): Answer => ({ kind: 'update', message: { content, embeds: [], components: [] } });

/** @returns the folder as it was; null if it no longer exists, so that a second click does no harm */
async function remove({ db, blobs, keyShares, report }: BotDeps, click: Click): Promise<FolderRow | null> {
  const folderId = Id.safeParse(click.args[0]).data;
  const { profile } = click;
  if (!profile || folderId === undefined) return null;
  try {
    return await deleteFolder({ db, blobs, keyShares }, { viewer: { profile_id: profile.id }, folderId, report });
  } catch (error) {
    if (error instanceof AppError && error.code === 'folder.not_found') return null;
    throw error;
  }
}

const ask: ClickHandler = async (deps, click) => ({
  kind: 'private',
  message: question(await ownFolderOf(deps, click, click.args[0] ?? ''), click.language),
});

const yes: ClickHandler = async (deps, click) => {
  const removed = await remove(deps, click);
  const texts = DELETE_TEXTS[click.language];
  return answered(removed ? texts.deleted({ name: folderTitle(removed, click.language) }) : texts.gone);
};

const no: ClickHandler = async (_, { language }) => answered(DELETE_TEXTS[language].kept);

export const deleteCommand: Command = {
  name: 'delete',
  run: async (deps, call) => ({
    kind: 'private',
    message: question(await ownFolderOf(deps, call, String(call.options.folder ?? '')), call.language),
  }),
  autocomplete: chooseFolder,
  clicks: { ask, yes, no },
};
