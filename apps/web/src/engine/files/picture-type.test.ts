import { renderType } from '@satchel/client/open/render-type';
import { expect, test } from 'vitest';
import { isPicture } from './picture-type.ts';

const EXTENSIONS = 'png,jpg,jpeg,gif,webp,avif,bmp,ico,svg,tiff,heic,mp4,webm,mp3,pdf,txt,html,exe,'.split(',');
const TYPES = ['', 'image/png', 'IMAGE/JPEG', 'image/jpg', 'image/svg+xml; charset=utf-8', 'image/vnd.microsoft.icon'];
const OTHERS = [
  'image/tiff',
  'image/heic',
  'image/heif-sequence',
  'video/mp4',
  'text/html',
  'application/octet-stream',
];
const isShownAsPicture = (name: string, type: string) => renderType(name, type).startsWith('image/');

test.each(EXTENSIONS)('a file that ends in .%s is a picture when it is shown as one', (extension) => {
  for (const type of ['', 'application/octet-stream']) {
    expect(isPicture(`a.${extension}`, type)).toBe(isShownAsPicture(`a.${extension}`, type));
  }
});

test.each([...TYPES, ...OTHERS])('a file of type "%s" is a picture when it is shown as one', (type) => {
  expect(isPicture('a', type)).toBe(isShownAsPicture('a', type));
});
