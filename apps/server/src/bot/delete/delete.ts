import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { deleteFolder } from '../../domain/removal/delete-folder.ts';
import { type Answer, type BotDeps, type ClickHandler, type Command, customId, type Message } from '../command.ts';
import { chooseFolder, ownFolderOf } from '../folder-option.ts';
import type { Click } from '../interaction.ts';
import type { Language } from '../language.ts';
import { contentText, folderTitle } from '../wording.ts';
import { DELETE_TEXTS } from './delete-texts.ts';

/** /delete: asks first. The answer to the question checks the folder's owner again. */

function question(folder: FolderRow, language: Language): Message {
  const texts = DELETE_TEXTS[language];
  return {
    content: texts.question(folderTitle(folder, language), contentText(folder, language)),
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.Button,
            style: ButtonStyle.Danger,
            label: texts.yes,
            custom_id: customId('delete', 'yes', folder.id),
          },
          {
            type: ComponentType.Button,
            style: ButtonStyle.Secondary,
            label: texts.no,
            custom_id: customId('delete', 'no'),
          },
        ],
      },
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
  return answered(removed ? texts.deleted(folderTitle(removed, click.language)) : texts.gone);
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
