import { plural, t } from '@lingui/core/macro';
import { CHOSEN_FILES_MAX } from '../../engine/uploads/queue/chosen-files.ts';
import type { UploadNews } from '../../engine/uploads/upload-news.ts';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { namesOf, unreadableText } from './upload-texts.ts';

type News<Type extends UploadNews['type']> = Extract<UploadNews, { type: Type }>;

function sayChosen(news: News<'chosen'>): void {
  const { rejected, unreadable, isCut } = news;
  const [first] = rejected;
  if (news.added > 0) {
    announce(plural(news.added, { one: '# file added to the upload list', other: '# files added to the upload list' }));
  }
  if (first) {
    const reason = errorText(first.error);
    announce(
      plural(rejected.length, { one: `# file was not added: ${reason}`, other: `# files were not added: ${reason}` }),
      true,
    );
  }
  if (unreadable.length > 0) announce(unreadableText(unreadable), true);
  if (isCut) notify(() => t`Only the first ${CHOSEN_FILES_MAX} files were added.`, 'error');
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
  const message = errorText(first.error);
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
