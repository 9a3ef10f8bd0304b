import type { UploadNews } from '@satchel/client/send/list/upload-news';
import { AppError } from '@satchel/contract/errors';
import { beforeEach, expect, test } from 'vitest';
import { politeAnnouncement, urgentAnnouncement } from '../../lib/base/announce.ts';
import { takeToasts } from '../../lib/base/toast.ts';
import { sayUploadNews } from './say-upload-news.ts';

const GONE = 'This upload was cancelled or has expired. Start it again';
const error = new AppError('upload.gone');
const chosen = { type: 'chosen', added: 0, rejected: [], unreadable: [], isCut: false } as const;
const rejected = [{ name: 'a.png', error }];

beforeEach(() => {
  politeAnnouncement.set(null);
  urgentAnnouncement.set(null);
  takeToasts();
});

test.each<[string, UploadNews]>([
  ['2 files added to the upload list', { ...chosen, added: 2 }],
  ['Upload 75% done', { type: 'progress', percent: 75 }],
  ['1 file uploaded', { type: 'ended', completed: 1, error: 0 }],
  ['4 files uploaded, 2 failed', { type: 'ended', completed: 4, error: 2 }],
])('%s: politely', (text, news) => {
  sayUploadNews(news);
  expect([politeAnnouncement.get()?.text, urgentAnnouncement.get(), takeToasts()]).toEqual([text, null, []]);
});

test.each<[string, UploadNews]>([
  [`1 file was not added: ${GONE}`, { ...chosen, rejected }],
  [
    `2 of 3 files added to the upload list; for the others: ${GONE}. 1 item could not be read: b.png`,
    { ...chosen, added: 2, rejected, unreadable: ['b.png'] },
  ],
  ['1 item could not be read: a.png', { ...chosen, unreadable: ['a.png'] }],
  ['The folder has another file of this name. Replace it, or keep both?', { type: 'differing', count: 1 }],
  [`a.png: Error: ${GONE}`, { type: 'failed', files: [{ name: 'a.png', error }] }],
  [
    `2 uploads failed. a.png: Error: ${GONE}`,
    {
      type: 'failed',
      files: [
        { name: 'a.png', error },
        { name: 'b.png', error },
      ],
    },
  ],
])('%s: at once', (text, news) => {
  sayUploadNews(news);
  expect([politeAnnouncement.get(), urgentAnnouncement.get()?.text, takeToasts()]).toEqual([null, text, []]);
});

test('a file that changed on the disk is told of by what happened, and not by its stream', () => {
  sayUploadNews({ type: 'failed', files: [{ name: 'a.png', error: new AppError('upload.stream_size') }] });
  const said = 'a.png: Error: The file was changed, moved or deleted after it was chosen';
  expect(urgentAnnouncement.get()?.text).toBe(said);
});

test.each<[string, UploadNews]>([
  [
    '5,000 files added to the upload list. More than 5,000 files were chosen; add the others afterwards',
    { ...chosen, added: 5000, isCut: true },
  ],
  [
    `1 of 2 files added to the upload list; for the others: ${GONE}. More than 5,000 files were chosen; add the others afterwards`,
    { ...chosen, added: 1, rejected, isCut: true },
  ],
  ['The browser could not read the file. Choose it again.', { type: 'lost', names: [null] }],
  ['The browser could not read a.png. Choose it again.', { type: 'lost', names: ['a.png', null] }],
  [`The earlier a.png is still in the folder: ${GONE}`, { type: 'not_replaced', name: 'a.png', error }],
])('%s: as a toast', (text, news) => {
  sayUploadNews(news);
  expect(takeToasts().map((toast) => [toast.text(), toast.kind])).toEqual([[text, 'error']]);
});
