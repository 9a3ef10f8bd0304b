import { textsIn } from '../language.ts';

/** Texts of /share for the folder’s owner: the receipt, Revoke and Extend. Names come escaped. */
export const RECEIPT_TEXTS = textsIn('receipt', {
  shared: '**{name}** is shared here.',
  /** No card was posted. */
  unheard:
    'Only you see this: in this server, the apps that you bring along may not speak to everyone. So there is no card, and nothing about the folder has changed.',
  alone:
    'You are the only person here, so there is no card, and nothing about the folder has changed. Use /share where the others are.',
  /** Who gets in. */
  byLink: 'Everyone with the link gets in: {link}',
  seesByLink: 'Everyone with the link sees the folder; only the full link opens its files.',
  byCard: 'The link alone opens nothing. By Open on a card come in: {who}.',
  noWayIn: 'The link alone opens nothing, and no card lets anyone in.',
  clicker: 'everyone who clicks on it',
  member: '{person} (as a member of the server)',
  members: 'members of this server',
  membersOfAnother: 'members of another server',
  membersElsewhere: 'members of {servers} other servers',
  more: '{people} more',
  nowRestricted:
    'Until now everyone with the link got in. That’s over: they are shut out, and cards from before open nothing any more.',
  /** Who can read the files. */
  plain: 'It isn’t encrypted: our server can read the files.',
  deposited: 'Discord link: our server holds the key and can read the files, until {until}.',
  keyless:
    'It’s encrypted, and I don’t have the key. “Copy full link” takes you to the page that copies it, in a browser that has the key; then send it yourself.',
  revoked: 'Its link is revoked: the files can’t be opened any more.',
  ends: 'Deletes itself {relative}.',
  copy: 'Copy full link',
  extend: 'Extend',
  revoke: 'Revoke',
  /** Revoke. */
  questionLink:
    'Revoke the link of **{name}**? All cards are taken back, everyone is shut out, and people who come later can’t open the files. The folder takes no more uploads. This can’t be undone, and people who have opened it may have kept files and key.',
  questionPlain:
    'Shut everyone out of **{name}**? All cards are taken back, and the link opens nothing any more, except for you. What others have downloaded stays with them. You can share the folder anew.',
  yes: 'Revoke',
  no: 'Cancel',
  closedLink: 'The link of **{name}** is revoked. People who come now can’t open its files.',
  closedPlain: 'Only you get into **{name}** now.',
  kept: 'Nothing has changed.',
  /** Extend. */
  extendTitle: 'Extend',
  hours: 'Hours from now',
  hoursHint: 'At most {most}.',
  longest: '**{name}** already lives as long as it can: until {at}.',
  badHours: 'Give a number of hours from {least} to {most}. The folder doesn’t end before that anyway.',
});
