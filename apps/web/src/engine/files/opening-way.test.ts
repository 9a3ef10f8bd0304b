import { expect, test } from 'vitest';
import { contentKind } from './content-kind.ts';
import { openingWay } from './opening-way.ts';

test.each([
  ['photo.jpg', 'image/jpeg', 'whole'],
  ['IMG_0001.HEIC', '', 'itself'],
  ['IMG_0001', 'image/heic; x=1', 'itself'],
  ['holiday.heic', 'image/png', 'whole'],
  ['boat.avif', 'image/avif', 'whole'],
  ['backup.zip', 'application/zip', 'ranges'],
  ['backup.zip', 'application/x-zip-compressed', 'ranges'],
  ['backup.ZIP', '', 'ranges'],
  ['backup.zip', 'video/mp4', 'whole'],
  ['paper.pdf', 'application/pdf', 'whole'],
])('%s of type "%s" opens %s', (name, type, way) => {
  expect(openingWay(name, type)).toBe(way);
});

test('what opens otherwise than whole has a content that can ask for it', () => {
  for (const name of ['a.heic', 'a.heif', 'a.zip', 'a'])
    for (const type of ['', 'application/octet-stream', 'image/heic', 'image/heif-sequence', 'application/zip']) {
      const [way, kind] = [openingWay(name, type), contentKind(name, type)];
      if (way !== 'whole') expect(kind, `${name} ${type}`).toBe(way === 'ranges' ? 'zip' : 'rare_picture');
    }
});
