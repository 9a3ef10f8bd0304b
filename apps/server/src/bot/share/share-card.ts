import type { APIEmbed } from 'discord-api-types/v10';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import type { InvitationRow } from '../../domain/sharing/invitations.ts';
import { button, customId, row } from '../buttons.ts';
import type { Message } from '../command.ts';
import type { Language } from '../language.ts';
import { contentText, folderTitle, timestampOf } from '../wording.ts';
import { SHARE_TEXTS } from './share-texts.ts';

/** The public card of /share: it names what there is to open, and opens nothing itself. */

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
  readonly invitation: InvitationRow;
  /** When the server deletes the key; null if it has none. */
  readonly depositEnd: Date | null;
  /** The Discord id of the person who shares. */
  readonly ownerId: string;
}

function keyText({ folder, depositEnd }: CardFacts, language: Language): string {
  const texts = SHARE_TEXTS[language];
  if (folder.link_mode === 'plain') return texts.plain;
  return depositEnd === null ? texts.keyless : texts.deposited;
}

function embedOf(facts: CardFacts, language: Language): APIEmbed {
  const { folder, invitation, ownerId } = facts;
  const texts = SHARE_TEXTS[language];
  const lines = [
    texts.sharedBy({ owner: mentionOf(ownerId) }),
    contentText(folder, language),
    texts.ends({ relative: timestampOf(folder.expires_at, 'R'), at: timestampOf(folder.expires_at, 'f') }),
    keyText(facts, language),
    audienceText(invitation, language),
  ];
  return {
    title: folderTitle(folder, language),
    description: lines.filter((line) => line !== null).join('\n'),
    color: ACCENT,
  };
}

export const cardOf = (facts: CardFacts, language: Language): Message => ({
  embeds: [embedOf(facts, language)],
  components: [
    row(button('Primary', SHARE_TEXTS[language].open, customId('share', 'open', facts.invitation.id, facts.folder.id))),
  ],
});
