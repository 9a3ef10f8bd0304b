import { expect, test } from 'vitest';
import { stillPicture } from './still-picture.ts';

test.each([
  ['https://cdn.example/avatars/1/a_39d1.gif', 'https://cdn.example/avatars/1/a_39d1.png'],
  ['https://cdn.example/banners/1/a_39d1.gif?size=1024', 'https://cdn.example/banners/1/a_39d1.png?size=1024'],
  ['https://cdn.example/avatars/1/6f1c.png', 'https://cdn.example/avatars/1/6f1c.png'],
  ['https://cdn.gif.example/avatars/a.gifted', 'https://cdn.gif.example/avatars/a.gifted'],
])('%s stands still as %s', (url, still) => expect(stillPicture(url)).toBe(still));
