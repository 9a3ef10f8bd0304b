import type { FolderRow } from '../../domain/access/find-folder.ts';
import { depositEnd } from '../../domain/links/keys.ts';
import { type InvitationRow, invitationsTo } from '../../domain/sharing/invitations.ts';
import { button, customId, linkButton, type Row, row } from '../buttons.ts';
import type { BotDeps, Message } from '../command.ts';
import type { Caller } from '../interaction.ts';
import type { Language } from '../language.ts';
import { folderTitle, timestampOf } from '../wording.ts';
import { mentionOf } from './share-card.ts';
import { RECEIPT_TEXTS } from './share-receipt-texts.ts';
import { listText } from './share-texts.ts';

/** The owner's receipt of a share, made from the current state: who gets in, and who can read. */

const MAX_PEOPLE = 20;

/** Where the receipt appears, and in which language. */
type Place = Pick<Caller, 'language' | 'guild_id'>;

function peopleTexts(invitations: readonly InvitationRow[], language: Language): string[] {
  const texts = RECEIPT_TEXTS[language];
  const people = invitations.flatMap(({ discord_id, guild_id }) => {
    if (discord_id === null) return [];
    return [guild_id === null ? mentionOf(discord_id) : texts.member({ person: mentionOf(discord_id) })];
  });
  const rest = people.length - MAX_PEOPLE;
  return rest > 0 ? [...people.slice(0, MAX_PEOPLE), texts.more({ people: rest })] : people;
}

function membersTexts(invitations: readonly InvitationRow[], { language, guild_id: here }: Place): string[] {
  const texts = RECEIPT_TEXTS[language];
  const servers = invitations.flatMap(({ discord_id, guild_id }) =>
    discord_id === null && guild_id ? [guild_id] : [],
  );
  const elsewhere = servers.filter((id) => id !== here).length;
  return [
    ...(elsewhere < servers.length ? [texts.members] : []),
    ...(elsewhere === 1 ? [texts.membersOfAnother] : []),
    ...(elsewhere > 1 ? [texts.membersElsewhere({ servers: elsewhere })] : []),
  ];
}

interface Facts {
  readonly folder: FolderRow;
  readonly invitations: readonly InvitationRow[];
  readonly keptUntil: Date | null;
  readonly publicUrl: string;
}

/** True if the link needs a key that the server doesn't have. */
const needsKey = ({ folder, keptUntil }: Facts): boolean =>
  folder.link_mode !== 'plain' && folder.link_mode !== 'revoked' && keptUntil === null;

function whoGetsIn(facts: Facts, place: Place): string {
  const { folder, invitations, publicUrl } = facts;
  const texts = RECEIPT_TEXTS[place.language];
  if (folder.access === 'link') {
    return needsKey(facts) ? texts.seesByLink : texts.byLink({ link: `${publicUrl}/f/${folder.slug}` });
  }
  const isForAll = invitations.some(({ discord_id, guild_id }) => discord_id === null && guild_id === null);
  const who = [
    ...peopleTexts(invitations, place.language),
    ...membersTexts(invitations, place),
    ...(isForAll ? [texts.clicker] : []),
  ];
  return who.length === 0 ? texts.noWayIn : texts.byCard({ who: listText(who, place.language) });
}

function whoCanRead({ folder, keptUntil }: Facts, language: Language): string {
  const texts = RECEIPT_TEXTS[language];
  if (folder.link_mode === 'plain') return texts.plain;
  if (folder.link_mode === 'revoked') return texts.revoked;
  return keptUntil === null ? texts.keyless : texts.deposited({ until: timestampOf(keptUntil, 'f') });
}

function buttons(facts: Facts, language: Language): Row {
  const texts = RECEIPT_TEXTS[language];
  const { folder, publicUrl } = facts;
  return row(
    ...(needsKey(facts) ? [linkButton(texts.copy, `${publicUrl}/f/${folder.slug}?share=true`)] : []),
    button('Secondary', texts.extend, customId('share', 'extend', folder.id)),
    button('Danger', texts.revoke, customId('share', 'revoke', folder.id)),
  );
}

/**
 * The receipt as of now.
 * @param first its first line: that the folder was shared, or why not
 */
export async function receiptOf(
  { db, publicUrl }: Pick<BotDeps, 'db' | 'publicUrl'>,
  folder: FolderRow,
  place: Place,
  first: readonly string[] = [RECEIPT_TEXTS[place.language].shared({ name: folderTitle(folder, place.language) })],
): Promise<Message> {
  const { language } = place;
  const [invitations, keptUntil] = [await invitationsTo(db, folder.id), await depositEnd(db, folder)];
  const facts: Facts = { folder, invitations, keptUntil, publicUrl };
  const lines = [
    ...first,
    whoGetsIn(facts, place),
    whoCanRead(facts, language),
    RECEIPT_TEXTS[language].ends({ relative: timestampOf(folder.expires_at, 'R') }),
  ];
  return { content: lines.join('\n'), components: [buttons(facts, language)] };
}
