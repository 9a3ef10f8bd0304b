import { type Language, textsIn } from '../language.ts';

/** Texts of /share: its cards, the answers to clicks on them, questions and refusals. Names come escaped. */
export const SHARE_TEXTS = textsIn('share', {
  /** On the card. */
  sharedBy: 'Shared by {owner}',
  onlyFor: 'Lets in {person} alone',
  onlyMembers: 'Lets in members of this server alone',
  onlyForMember: 'Lets in {person} alone, as a member of this server',
  ends: 'Deletes itself {relative} ({at})',
  plain: 'Not encrypted',
  /** The server has the key. */
  deposited: 'Encrypted. Our server holds the key, so Open works.',
  open: 'Open',
  /** To the person who clicked Open. */
  letIn: '**{name}** opens in one browser, once, within five minutes.',
  keyFromOwner: 'Then open the full link from its owner there.',
  own: '**{name}** is yours: sign in on the site.',
  inBrowser: 'Open in browser',
  /** The outcomes of a click (domain/sharing). */
  gone: 'This card lets no one in any more: its owner took it back, or the folder is gone.',
  foreign_person: 'This card is for another person. Ask its owner to share the folder with you, too.',
  foreign_guild: 'This card lets in members of the server that it was posted in, and works only there.',
  revoked: 'The link of this folder is revoked: its files can’t be opened any more.',
  /** To the person who tried to share. */
  withYourself: 'You always get into your own folder. Name another person, or leave `with` out.',
  noServer: '`members_only` works in servers only: this place has no members that I could check.',
  nothingToShare: 'The link of **{name}** is revoked. Make a new folder by /upload to share its files again.',
  /** The server has no key: what it takes to post a card. */
  question:
    '**{name}** opens only with its full link. To post it, our server holds the key for at most {hours} and can read the files until then.',
  onlyFullLink: '**{name}** opens only with its full link: copy it in your browser.',
  post: 'Post so that Open works',
  /** What the managers of the server have set. */
  otherChannel: 'In this server /share posts only in {channels}.',
  tooLong: 'In this server a folder lives for at most {hours}. Shorten the life of **{name}** first.',
  /** Report on the card, and what it is for people who may delete others’ messages. */
  report: 'Report',
  reportLabel: 'Tell the site’s operator what is wrong',
  reported: 'Thank you. The operator of this site gets your report.',
  takeDown: 'Take down here',
  takeDownHint: 'The card goes. Only what you write is reported.',
  takenDown: 'Taken down here by {person}.',
});

/** Joins parts into a sentence: `A, B, and C`. */
export const listText = (parts: readonly string[], language: Language): string =>
  new Intl.ListFormat(language).format(parts);
