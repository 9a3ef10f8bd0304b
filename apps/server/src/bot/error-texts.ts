import { AppError } from '@satchel/contract/errors';
import { lifetimeText } from './definitions.ts';
import { type Language, textsIn, type Values } from './language.ts';
import { cut, plainText } from './wording.ts';

/** Error texts for people who use a command. */

const REASON_MAX = 500;

export const ERROR_TEXTS = textsIn('errors', {
  /** For unexpected errors. */
  generic: 'That didn’t work. Try again in a moment.',
  unknownCommand: 'I don’t know this command any more. Type / to see the ones there are.',
  unknownClick: 'This message is too old for me to know what to do. Type the command again.',
  /** An argument has a `#`, so perhaps a link’s key. */
  hash: 'What you typed has a #. The part of a link after the # is the key to a folder, and only people who may read it should have it. So I looked at none of it. Type it again without the #.',
  /** Where an account may have one folder. */
  onlyFolder:
    'You have a folder, the only one that an account can have. Delete it with /delete, or wait until it expires.',
});

/** By the code of an error; a place has the name of the error’s parameter. */
export const CODE_TEXTS = textsIn('codes', {
  'folder.not_found': 'I can’t find this folder. It may have been deleted. /list shows yours.',
  'folder.expired': 'This folder has expired.',
  'folder.forbidden': 'Only the owner of this folder can do this.',
  'folder.lifetime': 'A folder lives for at most {hours}.',
  'folder.too_many':
    'You have {max} folders, the most that an account can have. Delete one with /delete, or wait until one expires.',
  'folder.plain': 'This folder isn’t encrypted, so its link has no key.',
  'folder.taken_down': 'The operator of this site has taken this folder down: {reason}',
  'key.lifetime': 'The server keeps a folder’s key for at most {hours}.',
  'auth.banned': 'The operator of this site has banned you from using it: {reason}',
  'request.invalid': 'I can’t use this value. Check it and try again.',
  'request.unavailable': 'That can’t be done just now. Try again in a moment.',
  'request.too_many': 'That was too much at once. Try again in {retry_after_seconds} s.',
});

export const LATE_TEXTS = textsIn('late', {
  /** Replaces the thinking, when the answer is a public message. */
  done: 'Done.',
  /** The deferral came first, so no form can open. */
  form: 'That took too long to open a form. Click again.',
});

/** An error in words; null for an unexpected one. */
export function sentenceOf(error: unknown, language: Language): string | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'folder.too_many' && error.params.max === 1) return ERROR_TEXTS[language].onlyFolder;
  const texts: Readonly<Record<string, string | ((values: Values) => string)>> = CODE_TEXTS[language];
  const text = texts[error.code];
  if (typeof text !== 'function') return text ?? null;
  const { hours, reason } = error.params;
  return text({
    ...error.params,
    hours: lifetimeText(Number(hours), language),
    // The operator's own words.
    reason: plainText(cut(String(reason), REASON_MAX)),
  });
}
