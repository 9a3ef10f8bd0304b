import type { APIEmbed } from 'discord-api-types/v10';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import type { InvitationRow } from '../../domain/sharing/invitations.ts';
import { button, customId, linkButton, row } from '../buttons.ts';
import type { Answer, Message } from '../command.ts';
import type { Language } from '../language.ts';
import { contentText, folderTitle, timestampOf } from '../wording.ts';
import { SHARE_TEXTS } from './share-texts.ts';

/** The public card of /share. The card of a restricted folder opens nothing itself: see docs/decisions/015 and 041. */

/** The site's accent colour in Discord's notation. */
const ACCENT = 0xe8a25c;

export const mentionOf = (discordId: string): string => `<@${discordId}>`;

function audienceText({ discord_id, guild_id }: InvitationRow, language: Language): string | null {
  const texts = SHARE_TEXTS[language];
  if (discord_id === null) return guild_id === null ? null : texts.onlyMembers;
  return guild_id === null
    ? texts.onlyFor({ person: mentionOf(discord_id) })
    : texts.onlyForMember({ person: mentionOf(discord_id) });
}

export interface CardFacts {
  readonly folder: FolderRow;
  /** Null for a folder that its link opens. */
  readonly invitation: InvitationRow | null;
  /** The Discord id of the person who shares. */
  readonly ownerId: string;
  readonly publicUrl: string;
}

function embedOf({ folder, invitation, ownerId }: CardFacts, language: Language): APIEmbed {
  const texts = SHARE_TEXTS[language];
  const lines = [
    texts.sharedBy({ owner: mentionOf(ownerId) }),
    contentText(folder, language),
    texts.ends({ relative: timestampOf(folder.expires_at, 'R'), at: timestampOf(folder.expires_at, 'f') }),
    folder.link_mode === 'plain' ? texts.plain : texts.deposited,
    invitation && audienceText(invitation, language),
  ];
  return {
    title: folderTitle(folder, language),
    description: lines.filter((line) => line !== null).join('\n'),
    color: ACCENT,
  };
}

export function cardOf(facts: CardFacts, language: Language): Message {
  const { folder, invitation, publicUrl } = facts;
  const texts = SHARE_TEXTS[language];
  const open = invitation
    ? button('Primary', texts.open, customId('share', 'open', invitation.id, folder.id))
    : linkButton(texts.open, `${publicUrl}/f/${folder.slug}`);
  const ids = invitation ? [folder.id, invitation.id] : [folder.id];
  return {
    embeds: [embedOf(facts, language)],
    components: [row(open, button('Secondary', texts.report, customId('share', 'report', ...ids)))],
  };
}

/** Replaces a card that opens nothing any more by the reason, for everyone and in the place's language, without a button. */
export const endedCard = (description: string): Answer => ({ kind: 'update', message: { embeds: [{ description }] } });
