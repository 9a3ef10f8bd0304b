import { renderType } from '@satchel/client/open/render-type';
import { expect, test } from 'vitest';
import { contentKind } from './content-kind.ts';

const FILES = [
  ['drawing.svg', 'image/svg+xml', 'image'],
  ['clip.mov', '', 'video'],
  ['song.ogg', 'audio/ogg', 'audio'],
  ['IMG_0001.HEIC', '', 'rare_picture'],
  ['burst.heif', 'image/heif-sequence', 'rare_picture'],
  ['notes.txt', 'text/plain', 'text'],
  ['LICENSE', 'text/plain', 'text'],
  ['notes.md', 'text/markdown', 'markdown'],
  ['figures.csv', 'text/csv', 'table'],
  ['main.rs', '', 'code'],
  ['page.xyz', 'text/plain', 'text'],
  // A text that calls itself a zip is a text; a picture that does is a picture.
  ['backup.zip', 'text/plain', 'text'],
  ['backup.zip', 'image/png', 'image'],
  ['handbook.pdf', 'application/pdf', 'pdf'],
  ['page.html', 'text/html', 'code'],
  ['README', '', 'text'],
  ['Makefile', '', 'code'],
  ['.gitignore', '', 'text'],
  ['feed.xml', 'text/xml', 'code'],
  ['setup.bat', 'application/x-msdos-program', 'code'],
  ['setup.ps1', '', 'code'],
  ['release.nfo', 'text/x-nfo', 'text'],
  ['card.vcf', 'text/vcard', 'text'],
  ['study.ipynb', 'application/x-ipynb+json', 'code'],
  ['recording.mkv', 'video/x-matroska', 'video'],
  ['recording.mkv', '', 'video'],
  ['voice.mka', '', 'audio'],
  ['backup.zip', 'application/zip', 'zip'],
  ['backup.exe', 'application/zip', 'default'],
] as const;

test('a file is shown by its safe type, before it is opened and after', () => {
  for (const [name, type, kind] of FILES) {
    expect(contentKind(name, type), name).toBe(kind);
    expect(contentKind(name, renderType(name, type)), `${name}, opened`).toBe(kind);
  }
});
