import { type Language, textsIn } from '../language.ts';

/** Texts of /share: its cards, the answers to clicks on them, and refusals. Names come escaped. */
export const SHARE_TEXTS = textsIn('share', {
  /** On the card. */
  sharedBy: 'Shared by {owner}',
  onlyFor: 'Lets in {person} alone',
  onlyMembers: 'Lets in members of this server alone',
  onlyForMember: 'Lets in {person} alone, as a member of this server',
  ends: 'Deletes itself {relative} ({at})',
  plain: 'Not encrypted',
  /** The server has the key. */
  deposited: 'Encrypted. Open is all it takes: its owner lets our server hold the key.',
  keyless: 'Encrypted. The key is not on this card: its owner sends the full link.',
  open: 'Open',
  /** To the person who clicked Open. */
  letIn:
    'Here is your way into **{name}**. It lets in one browser, once, within five minutes. If it’s over, click Open again.',
  keyFromOwner:
    'The files are encrypted, and I don’t have the key. Go in by this button, then open the full link that the owner sends you, in the same browser.',
  own: '**{name}** is your own folder: sign in in your browser, and you get in.',
  inBrowser: 'Open in browser',
  /** The outcomes of a click (domain/sharing). */
  gone: 'This card lets no one in any more: its owner took it back, or the folder is gone.',
  foreign_person: 'This card is for another person. Ask the person who posted it to share the folder with you, too.',
  foreign_guild: 'This card lets in members of the server that it was posted in, and works only there.',
  revoked: 'The owner has revoked the link of this folder: its files can’t be opened any more.',
  /** To the person who tried to share. */
  withYourself: 'You always get into your own folder. Name another person, or leave `with` out.',
  noServer: '`members_only` works in servers only: this place has no members that I could check.',
  nothingToShare:
    'The link of **{name}** is revoked, so its files could not be opened. Make a new folder by /upload to share them again.',
});

/** Joins parts into a sentence: `A, B, and C`. */
export const listText = (parts: readonly string[], language: Language): string =>
  new Intl.ListFormat(language).format(parts);
