import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { REPORT_NOTE_MAX } from '@satchel/contract/limits';
import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord-api-types/v10';
import { submitReport } from '../../domain/moderation/reports.ts';
import { type CardAddress, folderOfCard, withdrawInvitation } from '../../domain/sharing/invitations.ts';
import { inPrivate } from '../answers.ts';
import { customId } from '../buttons.ts';
import type { ClickHandler } from '../command.ts';
import { sentenceOf } from '../error-texts.ts';
import type { Click } from '../interaction.ts';
import { logToGuild } from '../settings/guild-log.ts';
import { endedCard, mentionOf } from './share-card.ts';
import { SHARE_TEXTS } from './share-texts.ts';

/**
 * Report on a card: to the site's operators. To a person who may delete others' messages there, the same form is "Take down
 * here": it takes the card down, and reports the folder where they write why. Only an answer to a click on the card can edit it.
 */

const FIELD = 'note';

const addressOf = ({ args: [folderId = '', invitationId = ''] }: Click): CardAddress => ({ folderId, invitationId });

function formOf({ args, isModerator, language }: Click): APIModalInteractionResponseCallbackData {
  const texts = SHARE_TEXTS[language];
  return {
    custom_id: customId('share', 'reported', ...args),
    title: isModerator ? texts.takeDown : texts.report,
    components: [
      {
        type: ComponentType.Label,
        label: texts.reportLabel,
        ...(isModerator && { description: texts.takeDownHint }),
        component: {
          type: ComponentType.TextInput,
          custom_id: FIELD,
          style: TextInputStyle.Paragraph,
          max_length: REPORT_NOTE_MAX,
          required: !isModerator,
        },
      },
    ],
  };
}

/** Any other error may pass, and the card stays. */
const ENDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['folder.expired', 'folder.taken_down']);

/** Answers a click on a card that ended by saying so on the card. */
export const onCard =
  (act: ClickHandler): ClickHandler =>
  async (deps, click) => {
    try {
      return await act(deps, click);
    } catch (error) {
      const isOver = error instanceof AppError && ENDED.has(error.code);
      if (!isOver) throw error;
      return endedCard(sentenceOf(error, click.placeLanguage) ?? error.message);
    }
  };

export const askToReport: ClickHandler = onCard(async (deps, click) => {
  const folder = await folderOfCard(deps.db, addressOf(click));
  return folder ? { kind: 'modal', modal: formOf(click) } : endedCard(SHARE_TEXTS[click.placeLanguage].gone);
});

export const report: ClickHandler = onCard(async (deps, click) => {
  const { db, operators } = deps;
  const { isModerator, discord_id, guild_id, channel_id, placeLanguage } = click;
  const texts = SHARE_TEXTS[placeLanguage];
  const folder = await folderOfCard(db, addressOf(click));
  if (!folder) return endedCard(texts.gone);
  const note = (click.fields[FIELD] ?? '').trim().slice(0, REPORT_NOTE_MAX).replaceAll('\0', '').toWellFormed();
  if (note !== '') {
    await submitReport(db, operators, { folder_slug: folder.slug, reason: 'other', note, sealed_keys: [] });
  }
  if (!isModerator) return inPrivate(SHARE_TEXTS[click.language].reported);
  await withdrawInvitation(db, addressOf(click), guild_id);
  const place = guild_id && channel_id ? { guild_id, channel_id } : null;
  return {
    ...endedCard(texts.takenDown({ person: mentionOf(discord_id) })),
    afterwards: () => logToGuild(deps, place, placeLanguage, { act: 'tookDown', personId: discord_id, folder }),
  };
});
