import { AppError } from '@satchel/contract/errors';
import { DISCORD_KEY_HOURS } from '@satchel/contract/limits';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { discordIdOf, rememberCopiesLink, rememberLinkMode } from '../../domain/accounts/profiles.ts';
import { makeIntentFor } from '../../domain/discord/upload-intents.ts';
import { inviteToFolder } from '../../domain/sharing/invitations.ts';
import type { WaitingCard } from '../../platform/schema/bot.ts';
import { toData, toEdit } from '../answers.ts';
import { button, customId, linkButton, row } from '../buttons.ts';
import type { BotDeps, ClickHandler, Message } from '../command.ts';
import { lifetimeText } from '../definitions.ts';
import { ownFolderOf } from '../folder-option.ts';
import type { Acting } from '../interaction.ts';
import type { Language } from '../language.ts';
import { logToGuild } from '../settings/guild-log.ts';
import { folderTitle } from '../wording.ts';
import { cardOf } from './share-card.ts';
import { receiptOf } from './share-receipt.ts';
import { RECEIPT_TEXTS } from './share-receipt-texts.ts';
import { SHARE_TEXTS } from './share-texts.ts';

/**
 * A folder whose key the server lacks gets no card: its Open would open nothing. Its owner is asked once whether the
 * server shall hold the key. Only their browser can give it (docs/decisions/015); then the card is posted by itself.
 */

const addressOf = ({ publicUrl }: Pick<BotDeps, 'publicUrl'>, { slug }: FolderRow, share: 'discord' | 'true') =>
  `${publicUrl}/f/${slug}?share=${share}`;

function question(deps: BotDeps, folder: FolderRow, language: Language): Message {
  const texts = SHARE_TEXTS[language];
  const hours = lifetimeText(DISCORD_KEY_HOURS, language);
  return {
    content: texts.question({ name: folderTitle(folder, language), hours }),
    components: [
      row(
        linkButton(texts.post, addressOf(deps, folder, 'discord')),
        button('Secondary', RECEIPT_TEXTS[language].copy, customId('share', 'copy', folder.id)),
      ),
    ],
  };
}

/** For a person who has answered that they copy the link. */
function linkToCopy(deps: BotDeps, folder: FolderRow, language: Language): Message {
  const texts = SHARE_TEXTS[language];
  return {
    content: texts.onlyFullLink({ name: folderTitle(folder, language) }),
    components: [
      row(
        linkButton(RECEIPT_TEXTS[language].copy, addressOf(deps, folder, 'true')),
        linkButton(texts.post, addressOf(deps, folder, 'discord')),
      ),
    ],
  };
}

/** Answers /share for a folder without a key; the card is posted once the server has it. */
export async function askForKey(deps: BotDeps, acting: Acting, folder: FolderRow, card: WaitingCard): Promise<Message> {
  const { discord_id, language, token, received_at, profile } = acting;
  await makeIntentFor(deps, {
    folderId: folder.id,
    owner: { profile_id: folder.owner_profile_id },
    asked: { replyToken: token, received_at },
    discord_id,
    language,
    card,
  });
  return (profile?.copies_link ? linkToCopy : question)(deps, folder, language);
}

export const copyLink: ClickHandler = async (deps, click) => {
  const folder = await ownFolderOf(deps, click, click.args[0] ?? '');
  await rememberCopiesLink(deps.db, folder.owner_profile_id, true);
  return { kind: 'update', message: linkToCopy(deps, folder, click.language) };
};

/** What a card that waited is posted with. */
interface Waiting {
  readonly token: string;
  readonly language: Language;
  readonly card: WaitingCard;
}

/**
 * Posts a card whose folder's key the server has now, and turns the question into a receipt.
 * @throws DiscordCallError
 */
export async function postWaiting(
  deps: Pick<BotDeps, 'db' | 'rest' | 'publicUrl' | 'replyTokens' | 'report'>,
  { token, language, card }: Waiting,
  found: FolderRow,
): Promise<void> {
  const { db, rest } = deps;
  const owner = { profile_id: found.owner_profile_id };
  const { discord_id, guild_id, place } = card;
  const ownerId = await discordIdOf(db, owner);
  if (ownerId === null) throw new AppError('auth.required');
  const shared = await inviteToFolder(db, owner, found.id, { discord_id, guild_id });
  const { folder } = shared;
  await rememberCopiesLink(db, owner.profile_id, false);
  await rememberLinkMode(db, owner.profile_id, 'discord');
  const facts = { ...shared, ownerId, publicUrl: deps.publicUrl };
  await rest.followUp(token, toData(cardOf(facts, language)));
  const receipt = await receiptOf(deps, shared, { language, guild_id: place?.guild_id ?? null });
  await rest.editReply(token, toEdit(receipt));
  await logToGuild(deps, place, language, { act: 'shared', personId: ownerId, folder });
}
