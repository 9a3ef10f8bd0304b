import { type APIEmbed, ButtonStyle, ComponentType } from 'discord-api-types/v10';
import type { FolderRow } from '../domain/folders.ts';
import type { ShareRow } from '../domain/shares.ts';
import { customId, type Message } from './command.ts';
import type { Language } from './language.ts';
import { SHARE_TEXTS } from './share-texts.ts';
import { contentText, folderTitle, timestampOf } from './wording.ts';

/** The card that /share posts for everybody in a channel: it says what there is to open, and opens nothing itself. */

/** The accent of the site, as Discord writes colours. */
const ACCENT = 0xe8a25c;

export const mentionOf = (discordId: string): string => `<@${discordId}>`;

function audienceText({ discord_id, guild_id }: ShareRow, language: Language): string | null {
  const texts = SHARE_TEXTS[language];
  if (discord_id === null) return guild_id === null ? null : texts.onlyMembers;
  return guild_id === null ? texts.onlyFor(mentionOf(discord_id)) : texts.onlyForMember(mentionOf(discord_id));
}

export interface CardFacts {
  readonly folder: FolderRow;
  readonly share: ShareRow;
  /** Until when the server has the key; null when it hasn't. */
  readonly depositEnd: Date | null;
  /** Who shares, by their Discord id. */
  readonly ownerId: string;
}

function keyText({ folder, depositEnd }: CardFacts, language: Language): string {
  const texts = SHARE_TEXTS[language];
  if (folder.link_mode === 'plain') return texts.plain;
  return depositEnd === null ? texts.keyless : texts.deposited;
}

function embedOf(facts: CardFacts, language: Language): APIEmbed {
  const { folder, share, ownerId } = facts;
  const texts = SHARE_TEXTS[language];
  const lines = [
    texts.sharedBy(mentionOf(ownerId)),
    contentText(folder, language),
    texts.ends(timestampOf(folder.expires_at, 'R'), timestampOf(folder.expires_at, 'f')),
    keyText(facts, language),
    audienceText(share, language),
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
    {
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.Button,
          style: ButtonStyle.Primary,
          label: SHARE_TEXTS[language].open,
          custom_id: customId('share', 'open', facts.share.id, facts.folder.id),
        },
      ],
    },
  ],
});
