import { textsIn } from '../language.ts';

/** Texts of /upload. Names come escaped. */
export const UPLOAD_TEXTS = textsIn('upload', {
  /** For an existing folder. */
  existing: 'Choose the files for **{name}** in your browser.',
  /** The folder’s link was revoked. */
  revoked: 'The link of **{name}** is revoked, so it takes no more files. Use `/upload` with another name.',
  /** The folder has as many files as a folder may. */
  fullWithOne: '**{name}** is full: it holds 1 file. Delete it in your browser, or use `/upload` with another name.',
  full: '**{name}** is full: it holds {max} files. Delete some in your browser, or use `/upload` with another name.',
  /** Options for a new folder, given for an existing one. */
  kept: 'Its protection and end stay as they are.',
  /** For a new folder. */
  sealed: '**{name}** is encrypted in your browser.',
  discord: '**{name}**: our server holds the key.',
  plain: '**{name}** is not encrypted.',
  /** The name of a folder that has none yet. */
  unnamed: 'Your folder',
  /** The person's last answer holds, and is none that the page begins with. */
  asLastTime: 'As last time; `who_opens` changes that.',
  /** To a person who has never signed in. */
  signIn: 'Sign in there with this Discord account.',
  once: 'Only you can use this button, once, within 15 minutes.',
  willTell: 'I’ll update this message when your files are in.',
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
