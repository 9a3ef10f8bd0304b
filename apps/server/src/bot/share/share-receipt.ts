import type { FolderRow } from '../../domain/access/find-folder.ts';
import { lacksKey } from '../../domain/links/keys.ts';
import { type InvitationRow, type Invited, invitationsTo } from '../../domain/sharing/invitations.ts';
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
  /** The server has no key, and the link needs one. */
  readonly isKeyless: boolean;
  readonly publicUrl: string;
}

const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Where previews show the folder's name, the link of its card (http/web/link-card.ts). */
const linkOf = ({ slug, show_name_in_previews }: FolderRow, publicUrl: string): string =>
  `${publicUrl}/${show_name_in_previews ? 's' : 'f'}/${slug}`;

function whoGetsIn({ folder, invitations, isKeyless, publicUrl }: Facts, place: Place): string | null {
  const texts = RECEIPT_TEXTS[place.language];
  if (folder.access === 'link') return isKeyless ? null : texts.byLink({ link: linkOf(folder, publicUrl) });
  const isForAll = invitations.some(({ discord_id, guild_id }) => discord_id === null && guild_id === null);
  const one = [...peopleTexts(invitations, place.language), ...(isForAll ? [texts.clicker] : [])];
  const many = membersTexts(invitations, place);
  if (one.length + many.length === 0) return texts.noWayIn;
  const who = capitalized(listText([...one, ...many], place.language));
  return one.length === 1 && many.length === 0 ? texts.byCardOne({ who }) : texts.byCard({ who });
}

function whoCanRead({ folder, isKeyless }: Facts, language: Language): string {
  const texts = RECEIPT_TEXTS[language];
  if (folder.link_mode === 'plain') return texts.plain;
  return isKeyless ? texts.keyless : texts.deposited;
}

function buttons({ folder, isKeyless, publicUrl }: Facts, language: Language): Row {
  const texts = RECEIPT_TEXTS[language];
  return row(
    ...(isKeyless ? [linkButton(texts.copy, `${publicUrl}/f/${folder.slug}?share=true`)] : []),
    button('Secondary', texts.extend, customId('share', 'extend', folder.id)),
    button('Danger', texts.revoke, customId('share', 'revoke', folder.id)),
  );
}

/** What there is to say first: that the folder is shared, and whether this shut people out; or why no card was posted. */
type Shared = Pick<Invited, 'folder'> & Partial<Pick<Invited, 'hasRestricted'>> & { readonly noCard?: string };

/** The receipt as of now. */
export async function receiptOf(
  { db, publicUrl }: Pick<BotDeps, 'db' | 'publicUrl'>,
  { folder, hasRestricted = false, noCard }: Shared,
  place: Place,
): Promise<Message> {
  const { language } = place;
  const texts = RECEIPT_TEXTS[language];
  if (folder.link_mode === 'revoked') return { content: texts.revoked };
  const facts: Facts = {
    folder,
    invitations: await invitationsTo(db, folder.id),
    isKeyless: await lacksKey(db, folder),
    publicUrl,
  };
  const relative = timestampOf(folder.expires_at, 'R');
  const lines = [
    noCard ?? texts.shared({ name: folderTitle(folder, language), relative }),
    whoGetsIn(facts, place),
    whoCanRead(facts, language),
    hasRestricted ? texts.nowRestricted : null,
  ];
  return { content: lines.filter((line) => line !== null).join('\n'), components: [buttons(facts, language)] };
}
