import { textsIn } from '../language.ts';

/** Texts of /share for the folder’s owner: the receipt, Revoke and Extend. Names come escaped. */
export const RECEIPT_TEXTS = textsIn('receipt', {
  shared: '**{name}** is shared, and gone {relative}.',
  /** No card was posted. */
  unheard: 'Your own apps can’t post publicly in this server.',
  alone: 'Nobody else is here. Use /share in a channel where other people can read it.',
  /** Who gets in. */
  byLink: 'Everyone with the link gets in: {link}',
  byCardOne: '{who} gets in with Open.',
  byCard: '{who} get in with Open.',
  noWayIn: 'The link alone opens nothing, and no card lets anyone in.',
  clicker: 'everyone who clicks',
  member: '{person} (as a member of the server)',
  members: 'members of this server',
  membersOfAnother: 'members of another server',
  membersElsewhere: 'members of {servers} other servers',
  more: '{people} more',
  nowRestricted: 'The old link and earlier cards no longer work.',
  /** Who can read the files. */
  plain: 'Not encrypted.',
  deposited: 'Our server holds the key.',
  keyless: 'Only the full link opens the files.',
  revoked: 'The link is revoked: the files can’t be opened any more.',
  copy: 'Copy full link',
  extend: 'Extend',
  revoke: 'Revoke',
  /** Revoke. */
  questionLink:
    'Revoke the link of **{name}**? Everyone is shut out for good, and no files can be added. People may have kept what they opened.',
  questionPlain: 'Shut everyone out of **{name}**? Cards and link open nothing any more. You can share it again.',
  yes: 'Revoke',
  no: 'Cancel',
  closedLink: 'The link of **{name}** is revoked: it opens no files any more.',
  closedPlain: 'Only you get into **{name}** now.',
  kept: 'Nothing has changed.',
  /** Extend. */
  extendTitle: 'Extend',
  hours: 'Hours from now',
  hoursHint: 'At most {most}.',
  longest: '**{name}** already lives as long as it can: until {at}.',
  badHours: 'Give a number of hours from {least} to {most}. This form can’t shorten the folder’s life.',
});
