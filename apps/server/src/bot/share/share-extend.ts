import { HOUR_MS } from '@satchel/contract/limits';
import { limitsOf } from '@satchel/contract/tiers';
import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord-api-types/v10';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { profileById } from '../../domain/accounts/profiles.ts';
import { latestEndOf, updateFolderSettings } from '../../domain/folders/folder-settings.ts';
import { databaseTime } from '../../platform/database/db.ts';
import { inPrivate } from '../answers.ts';
import { customId } from '../buttons.ts';
import type { Answer, BotDeps, ClickHandler } from '../command.ts';
import { ownFolderOf } from '../folder-option.ts';
import type { Caller } from '../interaction.ts';
import type { Language } from '../language.ts';
import { folderTitle, timestampOf } from '../wording.ts';
import { receiptOf } from './share-receipt.ts';
import { RECEIPT_TEXTS } from './share-receipt-texts.ts';

/** Extend: a form that asks for the hours from now. It never shortens a life; the page's settings do. */

const FIELD = 'hours';

/** How long Discord accepts a form after it was opened. The longest life on the form stays valid for that time. */
const FORM_HOURS = 0.25;

/** Hours from now, in tenths: the folder's life now, and the longest one allowed. */
interface Room {
  readonly least: number;
  readonly most: number;
  /** The same limit to the millisecond. */
  readonly latest: Date;
}

async function roomOf({ db, tiers }: BotDeps, folder: FolderRow): Promise<Room> {
  const { subscription_tier } = await profileById(db, folder.owner_profile_id);
  const { folder_lifetime_hours } = limitsOf(tiers, subscription_tier);
  const nowMs = (await databaseTime(db)).getTime();
  const tenths = (moment: Date) => Math.floor(((moment.getTime() - nowMs) / HOUR_MS) * 10);
  const least = tenths(folder.expires_at) + 1;
  const latest = latestEndOf(folder, folder_lifetime_hours);
  return { least: least / 10, most: tenths(latest) / 10, latest };
}

const hoursText = (hours: number, language: Language): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 1, useGrouping: false }).format(hours);

/** A number with a decimal point or a comma. */
function hoursOf(text: string): number {
  const typed = text.trim().replace(',', '.');
  return /^\d{1,5}(\.\d{1,3})?$/.test(typed) ? Number(typed) : Number.NaN;
}

function formOf(folder: FolderRow, { most }: Room, language: Language): APIModalInteractionResponseCallbackData {
  const texts = RECEIPT_TEXTS[language];
  return {
    custom_id: customId('share', 'until', folder.id),
    title: texts.extendTitle,
    components: [
      {
        type: ComponentType.Label,
        label: texts.hours,
        description: texts.hoursHint({ most: hoursText(most, language) }),
        component: {
          type: ComponentType.TextInput,
          custom_id: FIELD,
          style: TextInputStyle.Short,
          max_length: 8,
          required: true,
          value: hoursText(most, language),
        },
      },
    ],
  };
}

function longestLife(folder: FolderRow, { language }: Caller): Answer {
  const name = folderTitle(folder, language);
  return inPrivate(RECEIPT_TEXTS[language].longest({ name, at: timestampOf(folder.expires_at, 'f') }));
}

export const askHowLong: ClickHandler = async (deps, click) => {
  const folder = await ownFolderOf(deps, click, click.args[0] ?? '');
  const room = await roomOf(deps, folder);
  if (room.most < room.least) return longestLife(folder, click);
  return { kind: 'modal', modal: formOf(folder, room, click.language) };
};

export const extend: ClickHandler = async (deps, click) => {
  const { language } = click;
  const folder = await ownFolderOf(deps, click, click.args[0] ?? '');
  const room = await roomOf(deps, folder);
  if (room.most < room.least) return longestLife(folder, click);
  const hours = hoursOf(click.fields[FIELD] ?? '');
  if (!(hours >= room.least && hours <= room.most + FORM_HOURS)) {
    const [least, most] = [hoursText(room.least, language), hoursText(room.most, language)];
    return inPrivate(RECEIPT_TEXTS[language].badHours({ least, most }));
  }
  const endMs = (await databaseTime(deps.db)).getTime() + hours * HOUR_MS;
  const new_expires_at = new Date(Math.min(endMs, room.latest.getTime())).toISOString();
  const viewer = { profile_id: folder.owner_profile_id };
  await updateFolderSettings(deps, viewer, { folder_id: folder.id, new_expires_at });
  // Read again: the receipt and Discord's texts show what is stored.
  return {
    kind: 'update',
    message: await receiptOf(deps, { folder: await ownFolderOf(deps, click, folder.id) }, click),
  };
};
