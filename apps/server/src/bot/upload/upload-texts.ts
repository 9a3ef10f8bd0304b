import { textsIn } from '../language.ts';

/** Texts of /upload. Names come escaped. */
export const UPLOAD_TEXTS = textsIn('upload', {
  /** For an existing folder. */
  existing: 'Choose the files for **{name}** in your browser.',
  /** The folder’s link was revoked. */
  revoked:
    'The link of **{name}** was revoked for good, so the folder takes no more files. Make a new one: `/upload` with another name.',
  /** The folder has as many files as a folder may. */
  fullWithOne:
    '**{name}** holds 1 file, which is as many as a folder may hold. Delete some in your browser, or make a new one: `/upload` with another name.',
  full: '**{name}** holds {max} files, which is as many as a folder may hold. Delete some in your browser, or make a new one: `/upload` with another name.',
  /** Options for a new folder, given for an existing one. */
  kept: 'It is there already, so it keeps its protection and its end.',
  /** For a new folder. */
  sealed: 'Your browser makes **{name}** and its key, which I never see. It deletes itself after {life}.',
  sealedUnnamed: 'Your browser makes the folder and its key, which I never see. It deletes itself after {life}.',
  discord:
    'Your browser makes **{name}** and its key. **Our server keeps that key**, for at most {keyLife}, so that the short link and /share open the folder: until then it can read the files, and so can everyone with the link. It deletes itself after {life}.',
  discordUnnamed:
    'Your browser makes the folder and its key. **Our server keeps that key**, for at most {keyLife}, so that the short link and /share open the folder: until then it can read the files, and so can everyone with the link. It deletes itself after {life}.',
  plain:
    'Your browser makes **{name}**. **It is not encrypted**: our server, and everyone with the link, can read its files. It deletes itself after {life}.',
  plainUnnamed:
    'Your browser makes the folder. **It is not encrypted**: our server, and everyone with the link, can read its files. It deletes itself after {life}.',
  /** The person's last answer holds, and is none that the page begins with. */
  asLastTime: 'As last time; `who_opens` changes that.',
  /** To a person who has never signed in. */
  signIn: 'You haven’t signed in to Satchel yet. The page asks you to, with this Discord account.',
  once: 'The button is for you alone and works once; it ends {until}.',
  willTell: 'Once files are there, this message says so.',
  badName: 'A folder’s name has at most {max} characters.',
  /** A suggestion, while a name is typed that no folder has. */
  newFolder: 'New folder: {name}',
  /** Once files are uploaded. */
  done: '**{name}** now holds {content}. It deletes itself {end}.',
  choose: 'Choose files',
  make: 'Make the folder',
  open: 'Open',
  share: 'Share',
  delete: 'Delete',
});
