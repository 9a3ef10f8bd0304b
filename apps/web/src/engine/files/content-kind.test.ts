import { expect, test } from 'vitest';
import { contentKind } from './content-kind.ts';
import { renderType } from './render-type.ts';

const FILES = [
  ['drawing.svg', 'image/svg+xml', 'image'],
  ['clip.mov', '', 'video'],
  ['song.ogg', 'audio/ogg', 'audio'],
  ['notes.md', 'text/markdown', 'text'],
  ['handbook.pdf', 'application/pdf', 'pdf'],
  ['page.html', 'text/html', 'default'],
  ['backup.zip', 'application/zip', 'default'],
] as const;

test('a file is shown by its safe type, before it is opened and after', () => {
  for (const [name, type, kind] of FILES) {
    expect(contentKind(name, type), name).toBe(kind);
    expect(contentKind(name, renderType(name, type)), `${name}, opened`).toBe(kind);
  }
});
