import { FolderName, Id, NewLinkMode } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { limitsOf } from '@satchel/contract/tiers';
import { dropUnseen } from '@satchel/contract/unseen';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { rememberLinkMode } from '../../domain/accounts/profiles.ts';
import { guildRules } from '../../domain/discord/guild-settings.ts';
import { makeIntentFor, newIntent } from '../../domain/discord/upload-intents.ts';
import { requireRoomForFolder } from '../../domain/folders/create-folder.ts';
import { inPrivate } from '../answers.ts';
import { linkButton, row } from '../buttons.ts';
import type { Answer, BotDeps, Command } from '../command.ts';
import { chooseFolder, ownFolderOf } from '../folder-option.ts';
import type { Call, KnownCaller } from '../interaction.ts';
import type { Language } from '../language.ts';
import { cut, folderTitle, plainText } from '../wording.ts';
import { UPLOAD_TEXTS } from './upload-texts.ts';

/**
 * /upload: a link to the browser, which makes folder and key, since the bot must never hold a key. The reply later says
 * what was uploaded (upload-replies).
 */

/** Discord's limit for the address of a button. */
const URL_MAX = 512;
/** Discord's limits for a suggestion's name, and for the number of suggestions. */
const CHOICE_NAME_MAX = 100;
const CHOICES_MAX = 25;

const answer = (lines: readonly (string | null)[], label: string, url: string): Answer => ({
  kind: 'private',
  message: {
    content: lines.filter((line) => line !== null).join('\n'),
    components: [row(linkButton(label, url))],
  },
});

/**
 * The caller's folder that the option names, or null for a new name. An id that finds no folder is an error, never a
 * name.
 */
async function existingFolder(deps: BotDeps, caller: KnownCaller, value: string): Promise<FolderRow | null> {
  try {
    return value === '' ? null : await ownFolderOf(deps, caller, value);
  } catch (error) {
    const isNew = error instanceof AppError && error.code === 'folder.not_found' && !Id.safeParse(value).success;
    if (!isNew) throw error;
    return null;
  }
}

const askedBy = ({ token, received_at }: Call) => ({ replyToken: token, received_at });

async function toExisting(deps: BotDeps, call: Call, folder: FolderRow): Promise<Answer> {
  const { language, discord_id, options } = call;
  const texts = UPLOAD_TEXTS[language];
  const name = folderTitle(folder, language);
  const address = `${deps.publicUrl}/f/${folder.slug}`;
  if (folder.link_mode === 'revoked') return answer([texts.revoked({ name })], texts.open, address);
  const { folder_files: most } = deps.caps;
  if (folder.file_count >= most) {
    const isFull = most === 1 ? texts.fullWithOne({ name }) : texts.full({ name, max: most });
    return answer([isFull], texts.open, address);
  }
  await makeIntentFor(deps, {
    folderId: folder.id,
    owner: { profile_id: folder.owner_profile_id },
    asked: askedBy(call),
    discord_id,
    language,
  });
  const asksMore = chosenMode(call) !== null || options.expires !== undefined;
  const lines = [texts.existing({ name }), asksMore ? texts.kept : null, texts.willTell];
  return answer(lines, texts.choose, `${address}?upload=true`);
}

/** @throws folder.lifetime, request.invalid */
function hoursOf({ options: { expires } }: Call, longest: number): number {
  if (expires === undefined) return longest;
  if (typeof expires !== 'number' || !(expires > 0)) throw new AppError('request.invalid', { message: 'expires' });
  if (expires > longest) throw new AppError('folder.lifetime', { hours: longest });
  return expires;
}

/**
 * Who opens the new folder, as the command says; null when it doesn't.
 * @throws request.invalid
 */
function chosenMode({ options: { who_opens } }: Call): NewLinkMode | null {
  if (who_opens === undefined) return null;
  const mode = NewLinkMode.safeParse(who_opens);
  if (!mode.success) throw new AppError('request.invalid', { message: 'who_opens' });
  return mode.data;
}

interface Wish {
  readonly folder_name: string | null;
  readonly lifetime_hours: number;
  readonly link_mode: NewLinkMode;
}

/**
 * The page with its form filled in: by the query at once for people who are signed in, by the intent for all. The
 * intent comes after the `#`, so that no server and no log sees it.
 */
function formAddress(publicUrl: string, { folder_name, lifetime_hours, link_mode }: Wish, token: string): string {
  const rest = `lifetime=${lifetime_hours}&mode=${link_mode}#intent=${token}`;
  const full = `${publicUrl}/upload?name=${encodeURIComponent(folder_name ?? '')}&${rest}`;
  return folder_name !== null && full.length <= URL_MAX ? full : `${publicUrl}/upload?${rest}`;
}

function newFolderText({ folder_name, link_mode }: Wish, language: Language): string {
  const texts = UPLOAD_TEXTS[language];
  const name = folder_name === null ? texts.unnamed : plainText(folder_name);
  return (link_mode === 'private' ? texts.sealed : texts[link_mode])({ name });
}

async function toNew(deps: BotDeps, call: Call, name: string): Promise<Answer> {
  const { language, discord_id, profile } = call;
  const texts = UPLOAD_TEXTS[language];
  const folder_name = FolderName.safeParse(dropUnseen(name));
  if (!folder_name.success) return inPrivate(texts.badName({ max: FOLDER_NAME_MAX }));
  const rules = await guildRules(deps, call.guild_id);
  const { folder_lifetime_hours } = limitsOf(deps.tiers, profile?.subscription_tier ?? 'free');
  const longest = Math.min(folder_lifetime_hours, rules.lifetime_hours ?? folder_lifetime_hours);
  const chosen = chosenMode(call);
  const last = profile?.upload_link_mode ?? 'private';
  const wish: Wish = {
    folder_name: folder_name.data || null,
    lifetime_hours: hoursOf(call, longest),
    link_mode: chosen ?? profile?.upload_link_mode ?? rules.link_mode ?? 'private',
  };
  // Refuses before the person fills in the form. A person without a profile has no folders.
  if (profile) await requireRoomForFolder(deps.db, { profile_id: profile.id }, deps.caps);
  if (profile && chosen) await rememberLinkMode(deps.db, profile.id, chosen);
  const { token, intent } = newIntent(deps, { ...wish, discord_id, language }, askedBy(call));
  // One sentence beside what the folder is and what the button does: what the person has to know first.
  const isAsLast = chosen === null && last !== 'private';
  const then = profile ? (isAsLast ? texts.asLastTime : texts.willTell) : texts.signIn;
  const lines = [newFolderText(wish, language), texts.once, then];
  const url = profile ? formAddress(deps.publicUrl, wish, token) : `${deps.publicUrl}/upload#intent=${token}`;
  return { ...answer(lines, texts.make, url), intent };
}

export const uploadCommand: Command = {
  name: 'upload',
  async run(deps, call) {
    const value = String(call.options.folder ?? '').trim();
    const existing = await existingFolder(deps, call, value);
    if (existing) return toExisting(deps, call, existing);
    return toNew(deps, call, value);
  },
  async autocomplete(deps, typing) {
    const known = await chooseFolder(deps, typing);
    const typed = String(typing.options[typing.focused] ?? '').trim();
    if (typed === '' || typed.length > FOLDER_NAME_MAX || (await existingFolder(deps, typing, typed))) return known;
    const name = cut(UPLOAD_TEXTS[typing.language].newFolder({ name: typed }), CHOICE_NAME_MAX);
    // After the existing folders: people who take the first suggestion mostly mean an existing folder.
    return [...known.slice(0, CHOICES_MAX - 1), { name, value: typed }];
  },
};
