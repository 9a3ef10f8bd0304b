import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { UploadNews } from '@satchel/client/send/list/upload-news';
import { CHOSEN_FILES_MAX } from '@satchel/client/send/order';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { namesOf, reasonText, unreadableText } from './upload-texts.ts';

type News<Type extends UploadNews['type']> = Extract<UploadNews, { type: Type }>;

/** How many of the chosen files came onto the list, and why the first of the others did not. */
function addedText({ added, rejected }: News<'chosen'>): string | null {
  const [first] = rejected;
  if (!first) {
    if (added === 0) return null;
    return plural(added, { one: '# file added to the upload list', other: '# files added to the upload list' });
  }
  const reason = errorText(first.error);
  if (added === 0)
    return plural(rejected.length, {
      one: `# file was not added: ${reason}`,
      other: `# files were not added: ${reason}`,
    });
  const [some, all] = [i18n.number(added), i18n.number(added + rejected.length)];
  return t`${some} of ${all} files added to the upload list; for the others: ${reason}`;
}

function chosenText(news: News<'chosen'>): string {
  const max = i18n.number(CHOSEN_FILES_MAX);
  const said = [
    addedText(news),
    news.unreadable.length > 0 ? unreadableText(news.unreadable) : null,
    news.isCut ? t`More than ${max} files were chosen; add the others afterwards` : null,
  ];
  return said.filter((text) => text !== null).join('. ');
}

/** One sentence for one choice: several would each say other numbers, and a screen reader hears only the last. */
function sayChosen(news: News<'chosen'>): void {
  const text = chosenText(news);
  if (news.isCut) notify(() => chosenText(news), 'error');
  else if (text !== '') announce(text, news.rejected.length + news.unreadable.length > 0);
}

/** Chosen files have names of the folder's, and another content. */
const differingText = ({ count }: News<'differing'>): string =>
  plural(count, {
    one: 'The folder has another file of this name. Replace it, or keep both?',
    other: 'The folder has other files of these # names. Replace them, or keep both?',
  });

function lostText({ names }: News<'lost'>): string {
  const known = namesOf(names.filter((name) => name !== null));
  if (known === '') return t`The browser could not read the file. Choose it again.`;
  return t`The browser could not read ${known}. Choose it again.`;
}

function endedText({ completed, error }: News<'ended'>): string {
  if (error === 0) return plural(completed, { one: '# file uploaded', other: '# files uploaded' });
  return plural(completed, { one: `# file uploaded, ${error} failed`, other: `# files uploaded, ${error} failed` });
}

function failedText({ files: [first, ...others] }: News<'failed'>): string {
  const { name } = first;
  const message = reasonText(first.error);
  if (others.length === 0) return t`${name}: Error: ${message}`;
  const count = others.length + 1;
  return t`${count} uploads failed. ${name}: Error: ${message}`;
}

function notReplacedText({ name, error }: News<'not_replaced'>): string {
  const reason = errorText(error);
  return t`The earlier ${name} is still in the folder: ${reason}`;
}

function progressText({ percent }: News<'progress'>): string {
  return t`Upload ${percent}% done`;
}

/** Tells a person the news of the uploads: progress politely, failures at once. */
export function sayUploadNews(news: UploadNews): void {
  if (news.type === 'chosen') sayChosen(news);
  else if (news.type === 'progress') announce(progressText(news));
  else if (news.type === 'ended') announce(endedText(news));
  else if (news.type === 'differing') announce(differingText(news), true);
  else if (news.type === 'failed') announce(failedText(news), true);
  else if (news.type === 'lost') notify(() => lostText(news), 'error');
  else notify(() => notReplacedText(news), 'error');
}
