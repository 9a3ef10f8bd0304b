import { type ContentKind, contentKind } from '../../../engine/files/content-kind.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { BYTES_TYPE } from '../../../engine/files/render-type.ts';

/** Natural width and height, in pixels. */
export type MediaSize = readonly [widthPx: number, heightPx: number];

/** What the viewer shows of a file. A picture, film or sound without an address to show it from is its name alone. */
export function viewOf({ name, type, opened }: Pick<FileItem, 'name' | 'type' | 'opened'>): ContentKind {
  const kind = contentKind(opened?.name ?? name, opened?.type ?? type);
  // A film with the ending of a program is opened as bytes.
  if (opened?.type === BYTES_TYPE && kind !== 'zip') return 'default';
  const needsAddress = kind === 'image' || kind === 'video' || kind === 'audio';
  return needsAddress && opened && opened.objectUrl === null ? 'default' : kind;
}
