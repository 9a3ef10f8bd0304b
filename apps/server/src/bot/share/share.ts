import { AppError } from '@satchel/contract/errors';
import { MessageFlags } from 'discord-api-types/v10';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { depositEnd } from '../../domain/links/keys.ts';
import { type Audience, inviteToFolder, type Opened, openInvitation } from '../../domain/sharing/invitations.ts';
import { linkButton, row } from '../buttons.ts';
import type { Answer, BotDeps, ClickHandler, Command, Message } from '../command.ts';
import { chooseFolder, ownFolderOf } from '../folder-option.ts';
import type { Caller } from '../interaction.ts';
import { folderTitle } from '../wording.ts';
import { cardOf } from './share-card.ts';
import { askHowLong, extend } from './share-extend.ts';
import { receiptOf } from './share-receipt.ts';
import { RECEIPT_TEXTS } from './share-receipt-texts.ts';
import { askToRevoke, keepShared, revoke } from './share-revoke.ts';
import { SHARE_TEXTS } from './share-texts.ts';

/**
 * /share: a card for everyone in the channel, and a receipt for the owner alone. A card holds no key and opens nothing:
 * Discord's signature says who clicks Open, and each gets a grant of their own (DESIGN R16).
 */

const told = (content: string): Answer => ({ kind: 'private', message: { content } });

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

async function share(deps: BotDeps, caller: Caller, folder: FolderRow, wanted: Wanted): Promise<Answer> {
  const refusal = refusalOf(caller, folder, wanted);
  if (refusal !== null) return told(refusal);
  // Checked first: a card that can't be shown must change nothing of the folder.
  const noCard = noCardText(caller);
  if (noCard !== null) return { kind: 'private', message: await receiptOf(deps, folder, caller, [noCard]) };
  const { db, rest } = deps;
  const audience: Audience = {
    discord_id: wanted.discord_id,
    guild_id: wanted.isMembersOnly ? caller.guild_id : null,
  };
  const shared = await inviteToFolder(db, { profile_id: folder.owner_profile_id }, folder.id, audience);
  const facts = { ...shared, depositEnd: await depositEnd(db, shared.folder), ownerId: caller.discord_id };
  const texts = RECEIPT_TEXTS[caller.language];
  const first = [
    texts.shared({ name: folderTitle(shared.folder, caller.language) }),
    ...(shared.hasRestricted ? [texts.nowRestricted] : []),
  ];
  return {
    kind: 'public',
    message: cardOf(facts, caller.language),
    afterwards: async () => {
      const { content, components } = await receiptOf(deps, shared.folder, caller, first);
      await rest.followUp(caller.token, {
        flags: MessageFlags.Ephemeral,
        ...(content !== undefined && { content }),
        ...(components && { components: [...components] }),
      });
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
  const needsKey = !isOwner && folder.link_mode !== 'plain' && (await depositEnd(db, folder)) === null;
  const url = `${publicUrl}/f/${folder.slug}${isOwner ? '' : `#grant=${opened.grant}`}`;
  return {
    content: [isOwner ? texts.own({ name }) : texts.letIn({ name }), ...(needsKey ? [texts.keyFromOwner] : [])].join(
      '\n',
    ),
    components: [row(linkButton(texts.inBrowser, url))],
  };
}

const open: ClickHandler = async (deps, click) => {
  const [invitationId = '', folderId = ''] = click.args;
  const opened = await openInvitation(deps.db, { invitationId, folderId }, click);
  if (!('folder' in opened)) return told(SHARE_TEXTS[click.language][opened.kind]);
  return { kind: 'private', message: await entranceOf(deps, opened, click) };
};

export const shareCommand: Command = {
  name: 'share',
  run,
  autocomplete: chooseFolder,
  clicks: { open, again, revoke: askToRevoke, close: revoke, keep: keepShared, extend: askHowLong, until: extend },
};
