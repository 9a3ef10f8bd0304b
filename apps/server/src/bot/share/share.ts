import { AppError } from '@satchel/contract/errors';
import { HOUR_MS } from '@satchel/contract/limits';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { type GuildRules, guildRules } from '../../domain/discord/guild-settings.ts';
import { closeFolder } from '../../domain/folders/folder-settings.ts';
import { lacksKey } from '../../domain/links/keys.ts';
import { inviteToFolder, type Opened, openInvitation } from '../../domain/sharing/invitations.ts';
import type { WaitingCard } from '../../platform/schema/bot.ts';
import { inPrivate, toPrivate } from '../answers.ts';
import { button, customId, linkButton, row } from '../buttons.ts';
import type { Answer, BotDeps, ClickHandler, Command, Message } from '../command.ts';
import { lifetimeText } from '../definitions.ts';
import { chooseFolder, ownFolderOf } from '../folder-option.ts';
import type { Acting, Caller } from '../interaction.ts';
import type { Language } from '../language.ts';
import { logToGuild } from '../settings/guild-log.ts';
import { folderTitle } from '../wording.ts';
import { cardOf, endedCard } from './share-card.ts';
import { askHowLong, extend } from './share-extend.ts';
import { askForKey, copyLink } from './share-keyless.ts';
import { receiptOf } from './share-receipt.ts';
import { RECEIPT_TEXTS } from './share-receipt-texts.ts';
import { askToReport, onCard, report } from './share-report.ts';
import { listText, SHARE_TEXTS } from './share-texts.ts';

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

const askToRevoke: ClickHandler = async (deps, click) => ({
  kind: 'private',
  message: questionOf(await ownFolderOf(deps, click, click.args[0] ?? ''), click.language),
});

const revoke: ClickHandler = async (deps, click) => {
  const { id, owner_profile_id: profile_id } = await ownFolderOf(deps, click, click.args[0] ?? '');
  const folder = await closeFolder(deps, { viewer: { profile_id }, folderId: id, report: deps.report });
  const texts = RECEIPT_TEXTS[click.language];
  const name = folderTitle(folder, click.language);
  return {
    kind: 'update',
    message: { content: folder.link_mode === 'plain' ? texts.closedPlain({ name }) : texts.closedLink({ name }) },
  };
};

const keepShared: ClickHandler = async (_, { language }) => ({
  kind: 'update',
  message: { content: RECEIPT_TEXTS[language].kept },
});

/**
 * /share: a card for everyone in the channel, and a receipt for the owner alone. A card holds no key. The card of a folder that
 * is open to its link has the link; the card of a restricted one opens nothing: Discord's signature says who clicks Open, and
 * each gets their own grant (docs/decisions/015).
 */

/** Why there can't be a card here; null if there can. */
function noCardText({ isForcedPrivate, isAlone, language }: Caller): string | null {
  const texts = RECEIPT_TEXTS[language];
  if (isAlone) return texts.alone;
  return isForcedPrivate ? texts.unheard : null;
}

/** Why a folder is not shared with these people; null if it may be. */
function refusalOf(caller: Caller, folder: FolderRow, wanted: Wanted): string | null {
  const texts = SHARE_TEXTS[caller.language];
  if (folder.link_mode === 'revoked') return texts.nothingToShare({ name: folderTitle(folder, caller.language) });
  if (wanted.discord_id === caller.discord_id) return texts.withYourself;
  if (wanted.isMembersOnly && caller.guild_id === null) return texts.noServer;
  return null;
}

interface Wanted {
  /** The only person that the card lets in, or null. */
  readonly discord_id: string | null;
  readonly isMembersOnly: boolean;
}

/** Why the server where the card is to be posted doesn't have it; null if it does. */
function ruledOut(caller: Caller, folder: FolderRow, rules: GuildRules, nowMs: number): string | null {
  const texts = SHARE_TEXTS[caller.language];
  const { channel_ids, lifetime_hours } = rules;
  if (channel_ids.length > 0 && !channel_ids.includes(caller.channel_id ?? '')) {
    const channels = channel_ids.map((id) => `<#${id}>`);
    return texts.otherChannel({ channels: listText(channels, caller.language) });
  }
  if (lifetime_hours === null || folder.expires_at.getTime() - nowMs <= lifetime_hours * HOUR_MS) return null;
  const name = folderTitle(folder, caller.language);
  return texts.tooLong({ name, hours: lifetimeText(lifetime_hours, caller.language) });
}

/** A card as it is to be, or why there is none. */
async function planOf(deps: BotDeps, acting: Acting, folder: FolderRow, wanted: Wanted): Promise<WaitingCard | string> {
  const { guild_id, channel_id, received_at } = acting;
  const rules = await guildRules(deps, guild_id);
  const isMembersOnly = wanted.isMembersOnly || rules.members_only;
  return (
    refusalOf(acting, folder, wanted) ??
    ruledOut(acting, folder, rules, received_at.getTime()) ?? {
      discord_id: wanted.discord_id,
      guild_id: isMembersOnly ? guild_id : null,
      place: guild_id && channel_id ? { guild_id, channel_id } : null,
    }
  );
}

async function share(deps: BotDeps, acting: Acting, folder: FolderRow, wanted: Wanted): Promise<Answer> {
  const { language, discord_id: ownerId } = acting;
  const plan = await planOf(deps, acting, folder, wanted);
  if (typeof plan === 'string') return inPrivate(plan);
  // Checked first: a card that can't be shown must change nothing of the folder.
  const noCard = noCardText(acting);
  if (noCard !== null) return { kind: 'private', message: await receiptOf(deps, { folder, noCard }, acting) };
  const { db, rest, publicUrl } = deps;
  if (await lacksKey(db, folder)) return { kind: 'private', message: await askForKey(deps, acting, folder, plan) };
  const shared = await inviteToFolder(db, { profile_id: folder.owner_profile_id }, folder.id, plan);
  return {
    kind: 'public',
    message: cardOf({ ...shared, ownerId, publicUrl }, language),
    afterwards: async () => {
      await rest.followUp(acting.token, toPrivate(await receiptOf(deps, shared, acting)));
      await logToGuild(deps, plan.place, acting.placeLanguage, { act: 'shared', personId: ownerId, folder });
    },
  };
}

const run: Command['run'] = async (deps, call) => {
  const { folder: named, with: person, members_only } = call.options;
  const folder = await ownFolderOf(deps, call, String(named ?? ''));
  const discord_id = person === undefined ? null : String(person);
  if (discord_id !== null && !/^\d{1,20}$/.test(discord_id)) throw new AppError('request.invalid');
  return share(deps, call, folder, { discord_id, isMembersOnly: members_only === true });
};

/** Share on a list: a public card, as by /share without options. */
const again: ClickHandler = async (deps, click) =>
  share(deps, click, await ownFolderOf(deps, click, click.args[0] ?? ''), { discord_id: null, isMembersOnly: false });

/** The link for a person who may come in. */
async function entranceOf(
  { db, publicUrl }: BotDeps,
  opened: Extract<Opened, { folder: FolderRow }>,
  { language }: Caller,
): Promise<Message> {
  const texts = SHARE_TEXTS[language];
  const { folder } = opened;
  const name = folderTitle(folder, language);
  const isOwner = opened.kind === 'owner';
  const needsKey = !isOwner && (await lacksKey(db, folder));
  const url = `${publicUrl}/f/${folder.slug}${isOwner ? '' : `#grant=${opened.grant}`}`;
  return {
    content: [isOwner ? texts.own({ name }) : texts.letIn({ name }), ...(needsKey ? [texts.keyFromOwner] : [])].join(
      '\n',
    ),
    components: [row(linkButton(texts.inBrowser, url))],
  };
}

const open: ClickHandler = onCard(async (deps, click) => {
  const [invitationId = '', folderId = ''] = click.args;
  const opened = await openInvitation(deps.db, { invitationId, folderId }, click);
  if ('folder' in opened) return { kind: 'private', message: await entranceOf(deps, opened, click) };
  const isOver = opened.kind === 'gone' || opened.kind === 'revoked';
  return isOver
    ? endedCard(SHARE_TEXTS[click.placeLanguage][opened.kind])
    : inPrivate(SHARE_TEXTS[click.language][opened.kind]);
});

export const shareCommand: Command = {
  name: 'share',
  run,
  autocomplete: chooseFolder,
  clicks: {
    open,
    again,
    copy: copyLink,
    report: askToReport,
    reported: report,
    revoke: askToRevoke,
    close: revoke,
    keep: keepShared,
    extend: askHowLong,
    until: extend,
  },
};
